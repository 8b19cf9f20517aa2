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
 * A model call that came to nothing. The message is made here and not taken from the endpoint,
 * because endpoints echo parts of the key.
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

const TOO_LONG =
  /context.?length|context window|maximum context|too long|too many tokens|exceeds? the (?:available )?context/i;

/** Reads what a chat model's client threw: its properties, since the classes of clients differ. */
export function classifyError(
  error: unknown,
  endpoint: Pick<Endpoint, "label" | "secrets">,
): ModelError {
  if (isModelError(error)) return error;
  const text = error instanceof Error ? error.message : String(error);
  const status = statusOf(error);
  const [kind, said] =
    status === undefined ? fromThrown(error, text, endpoint) : fromStatus(status, text);
  return new ModelError(
    kind,
    said.replace("{label}", () => endpoint.label),
    {
      ...(status !== undefined && { status }),
      ...(kind === "rate_limit" && { retryAfterInMs: retryAfterOf(error) }),
    },
  );
}

type Finding = readonly [kind: ModelFailureKind, said: string];

function fromThrown(error: unknown, text: string, endpoint: Pick<Endpoint, "secrets">): Finding {
  const causes = [...causesOf(error)];
  const noAnswer = causes.find((each) => stringProperty(each, "name") === "NoAnswerError");
  if (noAnswer instanceof Error) return ["other", `{label} ${noAnswer.message}`];
  const named = `${stringProperty(error, "name") ?? ""} ${text}`;
  if (/timeout|TimeLimit|timed? ?out/i.test(named))
    return ["timeout", "{label} did not answer in time"];
  if (TOO_LONG.test(text)) return ["too_long", "the text was too long for {label}"];
  if (/LengthFinishReason|length limit/i.test(named))
    return ["no_room", "{label} ran out of tokens before its answer began"];
  const code = causes
    .map((each) => stringProperty(each, "code"))
    .find((each) => each !== undefined && /^(E[A-Z_]+|UND_ERR_\w+)$/.test(each));
  if (code !== undefined) return ["network", `{label} could not be reached (${code})`];
  if (/fetch failed|connection error|terminated|socket|premature close|network/i.test(text))
    return ["network", "{label} could not be reached"];
  if (error instanceof SyntaxError) return ["nonsense", "{label} sent something that is not JSON"];
  // The client reads into what it takes for a completion: a log-in page, an answer without choices.
  if (error instanceof TypeError && text.startsWith("Cannot read propert"))
    return ["other", "{label} sent something that is no chat completion: is the base URL right?"];
  const line = withoutSecrets(text.split("\n", 1)[0] ?? "", endpoint).slice(0, 200);
  return ["other", `{label} failed: ${line}`];
}

function fromStatus(status: number, text: string): Finding {
  if (status === 401 || status === 403) return ["auth", `{label} refused the key (${status})`];
  if (status === 404)
    return [
      "unknown_model",
      "{label} is not there (404): the model's name or the base URL is wrong",
    ];
  if (status === 429) return ["rate_limit", "{label} is rate-limited or out of quota (429)"];
  if (status === 408 || status === 504)
    return ["timeout", `{label} did not answer in time (${status})`];
  if (status >= 500 && status !== 501) return ["server", `{label} failed with status ${status}`];
  if (TOO_LONG.test(text)) return ["too_long", `the text was too long for {label} (${status})`];
  if (/model.{0,80}(not found|does not exist|unknown|not exist)|unknown model/i.test(text))
    return ["unknown_model", `{label} does not know the model (${status})`];
  if (/response_format|schema|tools?\b|tool_choice|function/i.test(text) || status === 501)
    return ["refused_format", `{label} refused the form of the request (${status})`];
  return ["other", `{label} refused the request (${status})`];
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

function stringProperty(value: unknown, key: string): string | undefined {
  const inner = property(value, key);
  return typeof inner === "string" ? inner : undefined;
}

function property(value: unknown, key: string): unknown {
  return (typeof value === "object" && value !== null) || typeof value === "function"
    ? Reflect.get(value, key)
    : undefined;
}
