import { redactText, secretsOf } from "../observability/redact.js";
import { retryAfterInMs } from "../support/waiting.js";
import type { Endpoint } from "./endpoint.js";

/** What can go wrong with a model endpoint, told apart because each is mended differently. */
export type ModelFailureKind =
  | "auth"
  | "unknown_model"
  | "rate_limit"
  | "refused_format"
  | "too_long"
  | "server"
  | "timeout"
  | "network"
  | "nonsense"
  | "no_room"
  | "cut_stream"
  | "other";

/**
 * A model call that came to nothing. The message is made here and not taken from the endpoint, because endpoints echo parts of the key.
 * The model reasoner turns it into the embedded result; with `model_fallback: off` it ends the run.
 */
export class ModelError extends Error {
  override readonly name = "ModelError";
  constructor(
    readonly kind: ModelFailureKind,
    message: string,
    readonly details: {
      /** HTTP status, where there was one. */
      status?: number;
      /** Milliseconds after which the endpoint wants to be asked again. */
      retryAfterInMs?: number;
      /** What the model said, cut; for `nonsense` and `cut_stream`. */
      output?: string;
    } = {},
  ) {
    super(message);
  }
}

/** Tells a `ModelError` of any copy of this package. */
export function isModelError(error: unknown): error is ModelError {
  return error instanceof Error && error.name === "ModelError" && "kind" in error;
}

/** Takes the endpoint's keys, and whatever looks like one, out of a text that it sent. */
export function withoutSecrets(text: string, { secrets }: Pick<Endpoint, "secrets">): string {
  return redactText(text, [...secrets, ...secretsOf(process.env)]);
}

/** Reads what a chat model's client threw. Clients differ, so this looks at properties (`status`, `headers`, `code`, `name`) and not at classes. */
export function classifyError(
  error: unknown,
  endpoint: Pick<Endpoint, "label" | "secrets">,
): ModelError {
  if (isModelError(error)) return error;
  const { label } = endpoint;
  const status = statusOf(error);
  const text = error instanceof Error ? error.message : String(error);
  if (status !== undefined) return fromStatus(status, text, error, label);
  const noAnswer = [...causesOf(error)].find(
    (each) => stringProperty(each, "name") === "NoAnswerError",
  );
  if (noAnswer instanceof Error) return new ModelError("other", `${label} ${noAnswer.message}`);
  const name = stringProperty(error, "name") ?? "";
  if (/timeout|TimeLimit/i.test(name) || /timed? ?out/i.test(text))
    return new ModelError("timeout", `${label} did not answer in time`);
  if (TOO_LONG.test(text)) return new ModelError("too_long", `the text was too long for ${label}`);
  if (/LengthFinishReason|length limit/i.test(`${name} ${text}`))
    return new ModelError("no_room", `${label} ran out of tokens before its answer began`);
  const code = deepCode(error);
  if (
    code !== undefined ||
    /fetch failed|connection error|terminated|socket|premature close|network/i.test(text)
  )
    return new ModelError(
      "network",
      `${label} could not be reached${code === undefined ? "" : ` (${code})`}`,
    );
  if (error instanceof SyntaxError)
    return new ModelError("nonsense", `${label} sent something that is not JSON`);
  // The client reads into what it takes for a completion: a log-in page, `null`, an answer without choices.
  if (error instanceof TypeError && /^Cannot read propert/.test(text))
    return new ModelError(
      "other",
      `${label} sent something that is no chat completion: is the base URL right?`,
    );
  const said = withoutSecrets(text.split("\n", 1)[0] ?? "", endpoint).slice(0, 200);
  return new ModelError("other", `${label} failed: ${said}`);
}

const TOO_LONG =
  /context.?length|context window|maximum context|too long|too many tokens|exceeds? the (?:available )?context/i;

function fromStatus(status: number, text: string, error: unknown, label: string): ModelError {
  const details = { status };
  const failed = (kind: ModelFailureKind, what: string): ModelError =>
    new ModelError(kind, what, details);
  if (status === 401 || status === 403)
    return failed("auth", `${label} refused the key (${status})`);
  if (status === 404)
    return failed(
      "unknown_model",
      `${label} is not there (404): the model's name or the base URL is wrong`,
    );
  if (status === 429)
    return new ModelError("rate_limit", `${label} is rate-limited or out of quota (429)`, {
      status,
      retryAfterInMs: retryAfterOf(error),
    });
  if (status === 408 || status === 504)
    return failed("timeout", `${label} did not answer in time (${status})`);
  if (status >= 500 && status !== 501)
    return failed("server", `${label} failed with status ${status}`);
  if (TOO_LONG.test(text))
    return failed("too_long", `the text was too long for ${label} (${status})`);
  if (/model.{0,80}(not found|does not exist|unknown|not exist)|unknown model/i.test(text))
    return failed("unknown_model", `${label} does not know the model (${status})`);
  if (/response_format|schema|tools?\b|tool_choice|function/i.test(text) || status === 501)
    return failed("refused_format", `${label} refused the form of the request (${status})`);
  return failed("other", `${label} refused the request (${status})`);
}

function statusOf(error: unknown): number | undefined {
  const status: unknown =
    property(error, "status") ??
    property(error, "statusCode") ??
    property(property(error, "response"), "status");
  return typeof status === "number" && status >= 400 ? status : undefined;
}

/** `Retry-After` in milliseconds; `retry-after-ms` where a gateway sends it. */
function retryAfterOf(error: unknown): number | undefined {
  const headers = property(error, "headers") ?? property(property(error, "response"), "headers");
  const header = (name: string): string | undefined =>
    headers instanceof Headers ? (headers.get(name) ?? undefined) : stringProperty(headers, name);
  const millis = Number(header("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(millis) && millis >= 0) return millis;
  return retryAfterInMs(header("retry-after"));
}

/** Clients wrap what went wrong on the way: the cause may sit a few errors deep. */
function* causesOf(error: unknown): Generator {
  let current = error;
  for (let depth = 0; current !== undefined && depth < 4; depth += 1) {
    yield current;
    current = property(current, "cause");
  }
}

function deepCode(error: unknown): string | undefined {
  for (const each of causesOf(error)) {
    const code = stringProperty(each, "code");
    if (code !== undefined && /^(E[A-Z_]+|UND_ERR_\w+)$/.test(code)) return code;
  }
  return undefined;
}

function stringProperty(value: unknown, key: string): string | undefined {
  const inner = property(value, key);
  return typeof inner === "string" ? inner : undefined;
}

function property(value: unknown, key: string): unknown {
  return (typeof value === "object" && value !== null) || typeof value === "function"
    ? Reflect.get(value, key)
    : undefined;
}
