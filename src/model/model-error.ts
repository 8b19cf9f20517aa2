import { redactText, secretsOf } from "../observability/redact.js";
import { retryAfterInMs } from "../support/waiting.js";
import { withoutEnding } from "../text/one-line.js";
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

/** Reads what a chat model's client threw: its properties, since the classes of clients differ. */
export function classifyError(
  error: unknown,
  endpoint: Pick<Endpoint, "label" | "secrets">,
): ModelError {
  if (isModelError(error)) return error;
  const text = error instanceof Error ? error.message : String(error);
  const status = statusOf(error);
  const [kind, said] =
    status === undefined ? fromThrown(error, text, endpoint) : fromStatus(status, text, endpoint);
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

/** What a failure is told by; "…" stands for other words. */
type Phrases = string;
const TOO_LONG: readonly [Phrases, ...Finding] = [
  "context length|context_length|context window|context size|too long|too many tokens|exceed…context",
  "too_long",
  "the text was too long for {label}",
];
/** What clients throw of themselves, told by the name and the text of the error. */
const THROWN: readonly (readonly [Phrases, ...Finding])[] = [
  ["syntaxerror", "nonsense", "{label} sent something that is not JSON"],
  ["timeout|timelimit|timed out|time out|timedout", "timeout", "{label} did not answer in time"],
  TOO_LONG,
  [
    "lengthfinishreason|length limit",
    "no_room",
    "{label} ran out of tokens before its answer began",
  ],
];
const UNREACHABLE = "fetch failed|connection error|terminated|socket|premature close|network";
/** The endpoint is there and closed the connection, an idle one perhaps: another may hold. */
const CLOSED: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

function says(text: string, phrases: Phrases): boolean {
  const said = text.toLowerCase();
  return phrases
    .split("|")
    .some((phrase) => phrase.split("…").every((part) => said.includes(part)));
}

function fromThrown(error: unknown, text: string, endpoint: Pick<Endpoint, "secrets">): Finding {
  const causes = causesOf(error);
  const noAnswer = causes.find((each) => textOf(each, "name") === "NoAnswerError");
  if (noAnswer instanceof Error) return ["other", `{label} ${noAnswer.message}`];
  const named = `${textOf(error, "name") ?? ""} ${text}`;
  const known = THROWN.find(([phrases]) => says(named, phrases));
  if (known !== undefined) return [known[1], known[2]];
  const codes = causes.flatMap((each) => textOf(each, "code") ?? []);
  const code = codes.find((each) => each.startsWith("E") || each.startsWith("UND_ERR_"));
  if (code !== undefined && CLOSED.has(code))
    return ["server", `{label} closed the connection (${code})`];
  if (code !== undefined) return ["network", `{label} could not be reached (${code})`];
  if (says(text, UNREACHABLE)) return ["network", "{label} could not be reached"];
  // The client reads into what it takes for a completion: a log-in page, an answer without choices.
  if (text.startsWith("Cannot read propert"))
    return ["other", "{label} sent something that is no chat completion; check the base URL"];
  return ["other", `{label} failed: ${firstLine(text, endpoint)}`];
}

const BY_STATUS: Readonly<Record<number, Finding>> = {
  401: ["auth", "{label} refused the key (401)"],
  402: ["auth", "{label} has no credit left for this key (402)"],
  403: ["auth", "{label} refused the key (403)"],
  404: ["unknown_model", "{label} is not there (404): the model's name or the base URL is wrong"],
  408: ["timeout", "{label} did not answer in time (408)"],
  413: ["too_long", "the text was too long for {label} (413)"],
  429: ["rate_limit", "{label} is rate-limited or out of quota (429)"],
  501: ["refused_format", "{label} refused the form of the request (501)"],
  504: ["timeout", "{label} did not answer in time (504)"],
};
/** Refusals of other kinds, by what the endpoint says. */
const REFUSED: typeof THROWN = [
  TOO_LONG,
  [
    "model…not found|model…not exist|model…unknown|unknown model",
    "unknown_model",
    "{label} does not know the model",
  ],
  ["api key|api_key", "auth", "{label} refused the key"],
  [
    "response_format|schema|tool|function",
    "refused_format",
    "{label} refused the form of the request",
  ],
];
/** Routers that find no provider refuse forms with 404, servers whose grammar fails with 500. */
const FORMS = "response_format|schema|grammar|guided|tool_choice|support tool";

function fromStatus(status: number, text: string, endpoint: Pick<Endpoint, "secrets">): Finding {
  if ((status === 404 || status >= 500) && says(text, FORMS))
    return ["refused_format", `{label} refused the form of the request (${status})`];
  const known = BY_STATUS[status];
  if (known !== undefined) return known;
  if (status >= 500) return ["server", `{label} failed with status ${status}`];
  const [, kind, said] = REFUSED.find(([phrases]) => says(text, phrases)) ?? [];
  return kind === undefined
    ? ["other", `{label} refused the request: ${firstLine(text, endpoint)}`]
    : [kind, `${said} (${status})`];
}

/** What was said, without the keys in it. */
function firstLine(text: string, endpoint: Pick<Endpoint, "secrets">): string {
  return withoutEnding(withoutSecrets(text.split("\n", 1)[0] ?? "", endpoint).slice(0, 200));
}

function statusOf(error: unknown): number | undefined {
  const status: unknown =
    property(error, "status") ??
    property(error, "statusCode") ??
    property(property(error, "response"), "status") ??
    // An error in the middle of a stream has no status but its own.
    property(error, "code");
  return typeof status === "number" && status >= 400 ? status : undefined;
}

/** `Retry-After` in milliseconds; `retry-after-ms` where a gateway sends it. */
function retryAfterOf(error: unknown): number | undefined {
  // OpenAI's word for an account without credit, which no waiting mends.
  if (property(error, "code") === "insufficient_quota") return Infinity;
  const headers = property(error, "headers") ?? property(property(error, "response"), "headers");
  const header = (name: string): string | undefined =>
    headers instanceof Headers ? (headers.get(name) ?? undefined) : textOf(headers, name);
  const millis = Number(header("retry-after-ms") ?? Number.NaN);
  return millis >= 0 ? millis : retryAfterInMs(header("retry-after"));
}

/** Clients wrap what went wrong on the way: the cause may sit a few errors deep. */
function causesOf(error: unknown, depth = 4): unknown[] {
  if (error === undefined || depth === 0) return [];
  return [error, ...causesOf(property(error, "cause"), depth - 1)];
}

function textOf(value: unknown, key: string): string | undefined {
  const inner = property(value, key);
  return typeof inner === "string" ? inner : undefined;
}

function property(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
