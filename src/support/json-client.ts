/** The client of JSON endpoints: bounded in time and bytes, with errors that name the cause. */
import type { z } from "zod";
import { CorrectiveRagError, reasonOf } from "./errors.js";
import { isRecord, parsedJson } from "./json.js";
import { retry, retryAfterInMs, TimeLimitError, withinTime } from "./waiting.js";
import { withoutCredentials } from "./web-address.js";

/**
 * Kinds of failure that callers treat differently. `unauthorized` and `quota`: no retry helps.
 * `network`: not reached, or cut off. `malformed`: an answer of the wrong shape.
 */
export type HttpFailure =
  | "unauthorized"
  | "quota"
  | "not_found"
  | "rejected"
  | "rate_limited"
  | "server"
  | "network"
  | "timeout"
  | "malformed";

/** A failed request; the message quotes the answer, shortened and without secrets. */
export class HttpError extends CorrectiveRagError {
  override readonly name = "HttpError";
  readonly status: number | undefined;
  readonly retryAfterInMs: number | undefined;

  constructor(
    readonly failure: HttpFailure,
    message: string,
    details: { status?: number; retryAfterInMs?: number; cause?: unknown } = {},
  ) {
    super(message, { code: `http_${failure}`, cause: details.cause });
    this.status = details.status;
    this.retryAfterInMs = details.retryAfterInMs;
  }
}

export interface JsonRequest<Result> {
  /** A name and a password in it are sent as basic authentication, unless there is a key. */
  url: string | URL;
  /** Posted as JSON. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Shape of the answer. */
  schema: z.ZodType<Result>;
  /** Kept out of errors. */
  apiKey?: string;
  /** Header for the key; by default it is a bearer token. */
  keyHeader?: string;
  /** Per attempt. */
  timeoutInMs?: number;
  /** Limit of the answer, counted after decompression. */
  maxBytes?: number;
  maxRetries?: number;
  initialDelayInMs?: number;
  maxDelayInMs?: number;
  signal?: AbortSignal;
  fetch?: typeof globalThis.fetch;
}

/** Failures that a retry may overcome. */
const MAY_PASS: readonly HttpFailure[] = ["rate_limited", "server", "network", "timeout"];

/** Returns the least wait in ms before a request is repeated; undefined where that cannot help. */
export function waitBeforeRetry(error: unknown): number | undefined {
  return error instanceof HttpError && MAY_PASS.includes(error.failure)
    ? (error.retryAfterInMs ?? 0)
    : undefined;
}

/** A search result with full pages takes a few hundred KB. */
const MAX_BYTES = 2_000_000;

type Fail = (
  failure: HttpError["failure"],
  said: string,
  details?: ConstructorParameters<typeof HttpError>[2],
) => HttpError;

/**
 * Sends a request and returns the validated answer. Retries on 429, 5xx, timeouts and broken
 * connections; follows no redirect, which would carry the key to another host.
 * @throws HttpError without secrets in its message; the signal's reason when canceled
 */
export async function requestJson<Result>(request: JsonRequest<Result>): Promise<Result> {
  const { apiKey, timeoutInMs = 30_000, signal } = request;
  const { url, password, authorization } = withoutCredentials(request.url);
  const fail: Fail = (failure, said, details) =>
    new HttpError(failure, redact(`${url.host} ${said}`, [apiKey, password]), details);
  const attempt = async (): Promise<Result> => {
    try {
      const sending = (limit: AbortSignal): Promise<Result> =>
        send({ ...request, url }, authorization, fail, limit);
      return await withinTime(sending, { timeoutInMs, signal });
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof HttpError) throw cause;
      if (cause instanceof TimeLimitError)
        throw fail("timeout", `gave ${cause.message}`, { cause });
      if (cause instanceof BodyTooLargeError)
        throw fail("malformed", `failed: ${cause.message}`, { cause });
      const reason = reasonOf(cause).slice(0, 100);
      throw fail("network", `could not be reached or was cut off (${reason})`, { cause });
    }
  };
  return retry({
    attempt,
    waitFor: waitBeforeRetry,
    maxRetries: request.maxRetries ?? 0,
    initialDelayInMs: request.initialDelayInMs,
    maxDelayInMs: request.maxDelayInMs,
    signal,
  });
}

async function send<Result>(
  request: JsonRequest<Result>,
  basic: string | undefined,
  fail: Fail,
  signal: AbortSignal,
): Promise<Result> {
  const { url, body, apiKey, keyHeader, schema, maxBytes = MAX_BYTES } = request;
  const { fetch = globalThis.fetch } = request;
  const key = keyHeader === undefined ? `Bearer ${apiKey}` : apiKey;
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(basic && { authorization: basic }),
      ...(apiKey && { [keyHeader ?? "authorization"]: key }),
      ...request.headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: "manual",
    signal,
  });
  const { status } = response;
  const waitInMs = retryAfterInMs(response.headers.get("retry-after"));
  const details = { status, retryAfterInMs: waitInMs };
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    const said = `answered ${status}: redirects are not followed, set the final address`;
    throw fail("rejected", said, details);
  }
  const text = new TextDecoder().decode(await readBounded(response.body, maxBytes));
  const answer = parsedJson(text);
  const said = answer === undefined ? nameOf(text) : errorMessageIn(answer);
  if (!response.ok)
    throw fail(failureOfStatus(status), `answered ${status}${said ? `: ${said}` : ""}`, details);
  if (answer === undefined)
    throw fail("malformed", `answered with ${said} where JSON was due`, details);
  // Some endpoints report failures with status 200.
  if (said !== undefined && isRecord(answer) && answer["error"])
    throw fail(failureOfMessage(said), `failed: ${said}`, details);
  const checked = schema.safeParse(answer);
  if (checked.success) return checked.data;
  const { path, message } = checked.error.issues[0] ?? { path: [], message: "" };
  const where = path.join(".") || "the answer";
  throw fail("malformed", `answered in an unknown form: ${where} ${message}`, details);
}

/** Names a body that is not JSON. Plain text is quoted, because gateways explain failures in it. */
function nameOf(text: string): string {
  const start = text.slice(0, 1_000).trim();
  if (start === "") return "an empty body";
  if (start.startsWith("<")) return "an HTML page";
  return `"${shortened(start)}"`;
}

/** Classifies a failure by the HTTP status of the answer. */
export function failureOfStatus(status: number): HttpFailure {
  if (status === 401 || status === 403) return "unauthorized";
  // 432 and 433 are Tavily's limits of the plan and of pay-as-you-go.
  if (status === 402 || status === 432 || status === 433) return "quota";
  if (status === 404) return "not_found";
  if (status === 408) return "timeout";
  if (status === 429) return "rate_limited";
  return status >= 500 ? "server" : "rejected";
}

/** Classifies a failure by its message, because some endpoints send it with status 200. */
export function failureOfMessage(message: string): HttpFailure {
  if (/rate.?limit|too many requests|too quickly|throttl/i.test(message)) return "rate_limited";
  // Not far apart: "invalid request: at most 512 tokens" says something else.
  if (
    /unauthori[sz]ed|invalid.{0,20}(?:key|token)|missing.{0,20}(?:key|token)|forbidden/i.test(
      message,
    )
  )
    return "unauthorized";
  if (/quota|usage limit|plan.{0,20}limit|payment required|credits/i.test(message)) return "quota";
  return "malformed";
}

/** Removes known secrets, because endpoints repeat keys in their errors. */
export function redact(text: string, secrets: readonly (string | undefined)[]): string {
  return secrets
    .filter((secret) => secret !== undefined && secret.length > 3)
    .reduce<string>((clean, secret) => clean.split(String(secret)).join("[key]"), text);
}

/** Finds the message in the forms of error objects that endpoints use. */
export function errorMessageIn(value: unknown): string | undefined {
  if (value === null || typeof value !== "object") return undefined;
  for (const key of ["error", "detail", "message", "info", "code", "status"]) {
    const inner: unknown = Reflect.get(value, key);
    if (typeof inner === "string" && inner !== "") return shortened(inner);
    const nested = errorMessageIn(inner);
    if (nested !== undefined) return nested;
  }
  return undefined;
}

function shortened(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, 200);
}

/** A body is longer than the limit; the rest was not read. */
export class BodyTooLargeError extends CorrectiveRagError {
  override readonly name = "BodyTooLargeError";
  constructor(maxBytes: number) {
    super(`the answer is longer than ${Math.round(maxBytes / 1024)} KB`, { code: "too_large" });
  }
}

/**
 * Reads a body up to a limit, counted after decompression; the rest is not downloaded.
 * @throws BodyTooLargeError
 */
export async function readBounded(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bounded(body ?? [], maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Passes a body on up to a limit. @throws BodyTooLargeError */
export async function* bounded(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > maxBytes) throw new BodyTooLargeError(maxBytes);
    yield chunk;
  }
}
