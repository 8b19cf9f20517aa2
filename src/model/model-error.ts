import { redactText, secretsOf } from "../observability/redact.js";
import { CorrectiveRagError } from "../support/errors.js";
import { retryAfterInMs } from "../support/waiting.js";
import { cutText, withoutEnding } from "../text/words.js";
import { textIn, type Endpoint } from "./endpoint.js";

/** Kinds of failure of a model endpoint; each needs another remedy. */
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

/** A model call that failed. Its message holds no key, although endpoints echo parts of them. */
export class ModelError extends CorrectiveRagError {
  override readonly name = "ModelError";
  constructor(
    readonly kind: ModelFailureKind,
    message: string,
    readonly details: {
      /** HTTP status, if any. */
      status?: number;
      /** Milliseconds after which the endpoint wants to be asked again. */
      retryAfterInMs?: number;
      /** Said by the model, shortened; for `nonsense` and `cut_stream`. */
      output?: string;
    } = {},
  ) {
    super(message, { code: "model" });
  }
}

const MAX_MESSAGE = 300;

/** Recognizes a `ModelError` of any copy of this package. */
export function isModelError(error: unknown): error is ModelError {
  return CorrectiveRagError.isInstance(error) && error.code === "model" && "kind" in error;
}

/** Removes the endpoint's keys, and whatever looks like one, from a text that it sent. */
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
  const [kind, said] = status === undefined ? fromThrown(error, text) : fromStatus(status, text);
  const message = cutText(withoutSecrets(`${endpoint.label} ${said}`, endpoint), MAX_MESSAGE);
  return new ModelError(kind, message, {
    ...(status !== undefined && { status }),
    ...(kind === "rate_limit" && { retryAfterInMs: retryAfterOf(error) }),
  });
}

/** A kind of failure, and what the endpoint did, as the end of a sentence about it. */
type Finding = readonly [kind: ModelFailureKind, said: string];
/** Phrases that identify a failure, between bars; "…" stands for other words. */
type Rule = readonly [phrases: string, ...Finding];

const TOO_LONG: Rule = [
  "context length|context_length|context window|too long|too many tokens|exceed…context",
  "too_long",
  "refused the text as too long",
];
/** Failures of clients, recognized by the name and the text of the error. */
const THROWN: readonly Rule[] = [
  ["syntaxerror", "nonsense", "sent something that is not JSON"],
  ["timeout|timelimit|timed out|time out|timedout", "timeout", "did not answer in time"],
  TOO_LONG,
  ["lengthfinishreason|length limit", "no_room", "ran out of tokens before its answer began"],
  ["bytestring|headers.append", "auth", "has a key that no HTTP header can hold"],
];
const UNREACHABLE = "fetch failed|connection error|terminated|socket|premature close|network";
/** The endpoint is there and closed the connection, an idle one perhaps: another may hold. */
const CLOSED: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

function says(text: string, phrases: string): boolean {
  const said = text.toLowerCase();
  return phrases
    .split("|")
    .some((phrase) => phrase.split("…").every((part) => said.includes(part)));
}

function fromThrown(error: unknown, text: string): Finding {
  const causes = causesOf(error);
  const noAnswer = causes.find((each) => textIn(each, "code") === "no_answer");
  if (noAnswer instanceof Error) return ["other", noAnswer.message];
  const known = THROWN.find(([phrases]) => says(`${textIn(error, "name") ?? ""} ${text}`, phrases));
  if (known !== undefined) return [known[1], known[2]];
  // Codes of Node are in capitals (`ECONNREFUSED`, `SELF_SIGNED_CERT_IN_CHAIN`), those of APIs not.
  const codes = causes.flatMap((each) => textIn(each, "code") ?? []);
  const code = codes.find((each) => each === each.toUpperCase());
  if (code !== undefined && CLOSED.has(code)) return ["server", `closed the connection (${code})`];
  if (code !== undefined || says(text, UNREACHABLE)) {
    const why = code ?? firstLine(textIn(causes.at(-1), "message") ?? text);
    return ["network", `could not be reached (${why})`];
  }
  // The client reads into what it takes for a completion: a log-in page, an answer without choices.
  if (text.startsWith("Cannot read propert"))
    return ["other", "sent something that is no chat completion; check the base URL"];
  return ["other", `failed: ${firstLine(text)}`];
}

const BY_STATUS: Readonly<Record<number, Finding>> = {
  401: ["auth", "refused the key (401)"],
  402: ["auth", "has no credit left for this key (402)"],
  403: ["auth", "refused the key (403)"],
  404: ["unknown_model", "is not there (404): the model's name or the base URL is wrong"],
  408: ["timeout", "did not answer in time (408)"],
  413: ["too_long", "refused the text as too long (413)"],
  429: ["rate_limit", "is rate-limited or out of quota (429)"],
  501: ["refused_format", "refused the form of the request (501)"],
  504: ["timeout", "did not answer in time (504)"],
};
/** Refusals under other statuses. */
const REFUSED: readonly Rule[] = [
  TOO_LONG,
  ["model…not found|model…not exist|unknown model", "unknown_model", "does not know the model"],
  ["api key|api_key", "auth", "refused the key"],
  ["response_format|schema", "refused_format", "refused the form of the request"],
];
/** Routers that find no provider refuse forms with 404, servers whose grammar fails with 500. */
const FORMS = "response_format|json_schema|json schema|grammar|guided";

function fromStatus(status: number, text: string): Finding {
  if ((status === 404 || status >= 500) && says(text, FORMS))
    return ["refused_format", `refused the form of the request (${status})`];
  const known = BY_STATUS[status];
  if (known !== undefined) return known;
  // A proxy's page is for people and begins with its markup.
  const said = text.includes("<") ? "" : firstLine(text.replace(`${status} `, ""));
  const why = `with status ${status}${said && `: ${said}`}`;
  if (status >= 500) return ["server", `failed ${why}`];
  const rule = REFUSED.find(([phrases]) => says(text, phrases));
  return rule === undefined
    ? ["other", `refused the request ${why}`]
    : [rule[1], `${rule[2]} (${status})`];
}

function firstLine(text: string): string {
  return withoutEnding(text.split("\n", 1)[0] ?? "");
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
  // OpenAI's word for an account without credit, where waiting is no use.
  if (property(error, "code") === "insufficient_quota") return Infinity;
  const headers = property(error, "headers") ?? property(property(error, "response"), "headers");
  const header = (name: string): string | undefined =>
    headers instanceof Headers ? (headers.get(name) ?? undefined) : textIn(headers, name);
  const millis = Number(header("retry-after-ms") ?? Number.NaN);
  return millis >= 0 ? millis : retryAfterInMs(header("retry-after"));
}

/** Clients wrap what went wrong on the way: the cause may sit a few errors deep. */
function causesOf(error: unknown, depth = 4): unknown[] {
  if (error === undefined || depth === 0) return [];
  return [error, ...causesOf(property(error, "cause"), depth - 1)];
}

function property(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
