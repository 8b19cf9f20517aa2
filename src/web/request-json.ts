import { BodyTooLargeError, readBounded } from "../support/bounded-body.js";
import { WebSearchError } from "./search-provider.js";
import { retryAfterInMs } from "../support/retry.js";

/** What a thin client needs from outside. */
export interface HttpOptions {
  fetch?: typeof globalThis.fetch;
  /** Bytes of an answer at most, counted after decompression. */
  maxBytes?: number;
  now?: () => number;
}

/** An answer of three results takes some 20 KB; with the full text of pages in it, a few hundred. */
const MAX_BYTES = 2_000_000;

/**
 * One request to a search provider: sends it, checks the status, reads the body up to a limit, parses it. No retries: those are the chain's.
 * Redirects are not followed, because a key in a header of its own would be sent along to wherever they point.
 * @param keyName where the key is set, for the message when the provider refuses it
 * @throws WebSearchError, never with the key or the URL's query in its message
 */
export async function requestJson({
  url,
  init,
  http: { fetch = globalThis.fetch, maxBytes = MAX_BYTES, now = Date.now } = {},
  signal,
  keyName,
}: {
  url: URL;
  init?: RequestInit;
  http?: HttpOptions;
  signal?: AbortSignal;
  keyName?: string;
}): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, redirect: "manual", signal: signal ?? null });
  } catch (error) {
    throw networkError(error, signal);
  }
  const failure = statusError(response, keyName, now());
  if (failure !== undefined) {
    // The reason stands in the body, but it is the provider's text and may repeat the query: only a known shape is quoted.
    const reason = await errorInBody(response).catch(() => undefined);
    throw reason === undefined
      ? failure
      : new WebSearchError(failure.kind, `${failure.message}: ${reason}`, failure.retryAfterInMs);
  }
  return parse(await readText(response, maxBytes, signal), response);
}

function statusError(
  response: Response,
  keyName: string | undefined,
  now: number,
): WebSearchError | undefined {
  const { status } = response;
  if (response.ok) return undefined;
  const said = `HTTP ${status}`;
  if (status >= 300 && status < 400)
    return new WebSearchError(
      "bad_response",
      `${said}: redirects are not followed, set the final address as its URL`,
    );
  if (status === 401 || status === 403)
    return new WebSearchError("auth", keyName === undefined ? said : `${said} (check ${keyName})`);
  // 432 and 433 are Tavily's: limit of the plan, limit of pay-as-you-go.
  if (status === 402 || status === 432 || status === 433)
    return new WebSearchError("quota", `${said} (the plan's quota is used up)`);
  if (status === 429)
    return new WebSearchError(
      "rate_limit",
      said,
      retryAfterInMs(response.headers.get("retry-after"), now),
    );
  if (status === 408) return new WebSearchError("timeout", said);
  if (status >= 500)
    return new WebSearchError(
      "server",
      said,
      retryAfterInMs(response.headers.get("retry-after"), now),
    );
  return new WebSearchError("bad_response", said);
}

async function errorInBody(response: Response): Promise<string | undefined> {
  if (!(response.headers.get("content-type") ?? "").includes("json")) {
    await response.body?.cancel();
    return undefined;
  }
  return errorMessage(
    JSON.parse(new TextDecoder().decode(await readBounded(response.body, 20_000))),
  );
}

async function readText(
  response: Response,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  try {
    return new TextDecoder().decode(await readBounded(response.body, maxBytes));
  } catch (error) {
    if (error instanceof BodyTooLargeError) throw new WebSearchError("bad_response", error.message);
    throw networkError(error, signal);
  }
}

function parse(text: string, response: Response): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const type = (response.headers.get("content-type") ?? "no content type").split(";")[0] ?? "";
    const what =
      text.trim() === ""
        ? "an empty body"
        : /^\s*</.test(text)
          ? "HTML"
          : `text that is no JSON (${type.slice(0, 40)})`;
    throw new WebSearchError(
      "bad_response",
      `answered with ${what} where JSON was asked for`,
      undefined,
      { cause },
    );
  }
  const error = errorMessage(value);
  // Some providers report failures with status 200.
  if (error !== undefined) throw new WebSearchError(kindOfMessage(error), error);
  return value;
}

/** The message of an error object in one of the shapes that search providers use; undefined where there is none. */
export function errorMessage(value: unknown): string | undefined {
  if (value === null || typeof value !== "object") return undefined;
  for (const key of ["error", "detail", "message", "info", "code"]) {
    const inner: unknown = Reflect.get(value, key);
    if (typeof inner === "string" && inner !== "") return inner.replace(/\s+/g, " ").slice(0, 200);
    const nested = errorMessage(inner);
    if (nested !== undefined) return nested;
  }
  return undefined;
}

/** What kind of failure a provider's words mean; `bad_response` when they say nothing that we know. */
export function kindOfMessage(message: string): "auth" | "quota" | "rate_limit" | "bad_response" {
  if (/rate.?limit|too many requests|too quickly|throttl/i.test(message)) return "rate_limit";
  if (
    /unauthori[sz]ed|invalid.{0,20}(key|token)|missing.{0,20}(key|token)|forbidden/i.test(message)
  )
    return "auth";
  if (/quota|usage limit|plan.{0,20}limit|payment required|credits/i.test(message)) return "quota";
  return "bad_response";
}

function networkError(error: unknown, signal: AbortSignal | undefined): WebSearchError {
  if (signal?.aborted)
    return new WebSearchError("cancelled", "cancelled", undefined, { cause: error });
  return new WebSearchError(
    "network",
    `could not be reached or was cut off (${reasonOf(error)})`,
    undefined,
    { cause: error },
  );
}

/** `fetch` hides the reason in the cause of a bare "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown reason";
  const code: unknown = Reflect.get(error, "code");
  if (typeof code === "string") return code;
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message.slice(0, 100);
}
