/** One way to talk to embedding and reranking endpoints: JSON out, checked JSON back, with a time limit and retries. */
import type { z } from "zod";
import { retryAfterInMs, retryWithBackoff, type RetryDecision } from "./retry-with-backoff.js";

/** What went wrong, as far as the caller needs to tell it apart. */
export type EndpointFailure =
  | "unauthorised"
  | "not_found"
  | "rejected"
  | "rate_limited"
  | "server"
  | "network"
  | "timeout"
  | "malformed";

/** The endpoint failed; the message holds its answer, cut and without the key. */
export class EndpointError extends Error {
  override readonly name = "EndpointError";
  constructor(
    readonly failure: EndpointFailure,
    message: string,
    readonly status?: number,
    readonly retryAfterInMs?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface PostJsonOptions<Result> {
  url: string;
  body: unknown;
  /** What the answer must look like. */
  schema: z.ZodType<Result>;
  /** Sent as a bearer token, and never repeated in an error. */
  apiKey?: string;
  /** Per attempt. */
  timeoutInMs: number;
  maxRetries?: number;
  initialDelayInMs?: number;
  signal?: AbortSignal;
  fetch?: typeof globalThis.fetch;
}

const CHARACTERS_OF_ANSWER_IN_ERRORS = 300;

/** Posts and returns the checked answer. Retries on 429, 5xx, time-outs and broken connections; rejects with `EndpointError`. */
export async function postJson<Result>(options: PostJsonOptions<Result>): Promise<Result> {
  return retryWithBackoff({
    attempt: () => postOnce(options),
    decide: decideOnEndpointError,
    maxRetries: options.maxRetries ?? 2,
    initialDelayInMs: options.initialDelayInMs,
    signal: options.signal,
  });
}

function decideOnEndpointError(error: unknown): RetryDecision {
  if (!(error instanceof EndpointError)) return { retry: false };
  switch (error.failure) {
    case "rate_limited":
    case "server":
    case "network":
    case "timeout":
      return { retry: true, waitInMs: error.retryAfterInMs };
    case "unauthorised":
    case "not_found":
    case "rejected":
    case "malformed":
      return { retry: false };
    default:
      return error.failure satisfies never;
  }
}

async function postOnce<Result>({
  url,
  body,
  schema,
  apiKey,
  timeoutInMs,
  signal,
  fetch = globalThis.fetch,
}: PostJsonOptions<Result>): Promise<Result> {
  const timeLimit = AbortSignal.timeout(timeoutInMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      },
      body: JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, timeLimit]) : timeLimit,
      // A redirect would carry the key to another host.
      redirect: "error",
    });
    text = await response.text();
  } catch (error) {
    signal?.throwIfAborted();
    if (timeLimit.aborted)
      throw new EndpointError(
        "timeout",
        `no answer from ${hostOf(url)} within ${timeoutInMs} ms`,
        undefined,
        undefined,
        { cause: error },
      );
    throw new EndpointError(
      "network",
      `cannot reach ${hostOf(url)}: ${reasonOf(error)}`,
      undefined,
      undefined,
      { cause: error },
    );
  }
  if (!response.ok) {
    const answer = withoutKey(text, apiKey).slice(0, CHARACTERS_OF_ANSWER_IN_ERRORS).trim();
    throw new EndpointError(
      failureOf(response.status),
      `${hostOf(url)} answered ${response.status}${answer === "" ? "" : `: ${answer}`}`,
      response.status,
      retryAfterInMs(response.headers.get("retry-after")),
    );
  }
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new EndpointError(
      "malformed",
      `${hostOf(url)} answered in an unknown form: ${issue ? `${issue.path.join(".")} ${issue.message}` : "no JSON"}`,
    );
  }
  return parsed.data;
}

function failureOf(status: number): EndpointFailure {
  if (status === 401 || status === 403) return "unauthorised";
  if (status === 404) return "not_found";
  if (status === 429) return "rate_limited";
  return status >= 500 || status === 408 ? "server" : "rejected";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withoutKey(text: string, apiKey: string | undefined): string {
  return apiKey ? text.split(apiKey).join("[key]") : text;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/**
 * A request that broke on the way, as undici reports it: a TypeError with the reason in `cause`. Told by its shape, because an error from
 * another realm (a worker, a test runner's sandbox) is no instance of our classes.
 */
export function isFetchFailure(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "cause" in error &&
    "message" in error &&
    /^(fetch failed|terminated)/.test(String(error.message))
  );
}

/** The most telling part of a failure: a failed fetch hides the reason in `cause`. */
export function reasonOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  if ("cause" in error && typeof error.cause === "object" && error.cause !== null) {
    if ("code" in error.cause && typeof error.cause.code === "string") return error.cause.code;
    if ("message" in error.cause) return String(error.cause.message);
  }
  return "message" in error ? String(error.message) : "unknown reason";
}
