/** The one way to talk to JSON endpoints: bounded in time and bytes, with errors that name what came instead. */
import type { z } from "zod";
import { BodyTooLargeError, readBounded } from "./bounded-body.js";
import { reasonOf } from "./errors.js";
import {
  errorMessageIn,
  failureOfMessage,
  failureOfStatus,
  HttpError,
  mayPass,
  redact,
} from "./http-error.js";
import { isRecord } from "./is-record.js";
import { retry, retryAfterInMs } from "./retry.js";
import { TimeLimitError, withinTime, type Clock } from "./waiting.js";

export interface JsonRequest<Result> {
  url: string | URL;
  /** Sent as JSON; without it the request is a GET. */
  body?: unknown;
  /** POST with a body, by default. */
  method?: "GET" | "POST" | "PUT";
  headers?: Readonly<Record<string, string>>;
  /** Shape of the answer. */
  schema: z.ZodType<Result>;
  /** Sent as a bearer token. */
  apiKey?: string;
  /** Never repeated in an error; `apiKey` is one of them. */
  secrets?: readonly string[];
  /** Per attempt. */
  timeoutInMs?: number;
  /** Of the answer, counted after decompression. */
  maxBytes?: number;
  maxRetries?: number;
  initialDelayInMs?: number;
  signal?: AbortSignal;
  fetch?: typeof globalThis.fetch;
  clock?: Clock;
}

/** A search with the full text of pages in it takes a few hundred KB. */
const MAX_BYTES = 2_000_000;

/**
 * Sends one request and returns the checked answer. Retries on 429, 5xx, time limits and broken
 * connections; never follows a redirect, which would carry the key to another host.
 * @throws HttpError, never with a secret in its message; the signal's reason when cancelled
 */
export async function requestJson<Result>(request: JsonRequest<Result>): Promise<Result> {
  const { timeoutInMs = 30_000, maxRetries = 0, initialDelayInMs, signal, clock } = request;
  return retry({
    attempt: () => attemptWithin(timeoutInMs, request),
    decide: (error) =>
      error instanceof HttpError && mayPass(error)
        ? { retry: true, waitInMs: error.retryAfterInMs }
        : { retry: false },
    maxRetries,
    initialDelayInMs,
    signal,
    clock,
  });
}

async function attemptWithin<Result>(
  timeoutInMs: number,
  request: JsonRequest<Result>,
): Promise<Result> {
  const { url, apiKey, secrets = [], signal, clock } = request;
  try {
    return await withinTime((limit) => send(request, limit), { timeoutInMs, signal, clock });
  } catch (error) {
    signal?.throwIfAborted();
    const fail = (failure: HttpError["failure"], said: string): HttpError =>
      new HttpError(failure, redact(`${hostOf(url)} ${said}`, [apiKey, ...secrets]), {
        cause: error,
      });
    if (error instanceof HttpError) throw error;
    if (error instanceof TimeLimitError) throw fail("timeout", `gave ${error.message}`);
    if (error instanceof BodyTooLargeError) throw fail("malformed", `failed: ${error.message}`);
    throw fail("network", `could not be reached or was cut off (${reasonOf(error).slice(0, 100)})`);
  }
}

async function send<Result>(
  {
    url,
    body,
    method = body === undefined ? "GET" : "POST",
    headers = {},
    schema,
    apiKey,
    secrets = [],
    maxBytes = MAX_BYTES,
    fetch = globalThis.fetch,
    clock,
  }: JsonRequest<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const response = await fetch(url, {
    method,
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: "manual",
    signal,
  });
  const { status } = response;
  const fail = (failure: HttpError["failure"], said: string): HttpError =>
    new HttpError(failure, redact(`${hostOf(url)} ${said}`, [apiKey, ...secrets]), {
      status,
      retryAfterInMs: retryAfterInMs(response.headers.get("retry-after"), clock?.now()),
    });
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    throw fail("rejected", `answered ${status}: redirects are not followed, set the final address`);
  }
  const text = new TextDecoder().decode(await readBounded(response.body, maxBytes));
  const answer = parse(text);
  const said = answer === undefined ? nameOf(text) : errorMessageIn(answer.value);
  if (!response.ok)
    throw fail(failureOfStatus(status), `answered ${status}${said ? `: ${said}` : ""}`);
  if (answer === undefined) throw fail("malformed", `answered with ${said} where JSON was due`);
  // Some endpoints report failures with status 200.
  const failure =
    isRecord(answer.value) && answer.value["error"] ? errorMessageIn(answer.value) : undefined;
  if (failure !== undefined) throw fail(failureOfMessage(failure), `failed: ${failure}`);
  const checked = schema.safeParse(answer.value);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  throw fail(
    "malformed",
    `answered in an unknown form: ${issue?.path.join(".") || "the answer"} ${issue?.message ?? ""}`,
  );
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Names what is no JSON. Plain text is quoted, since gateways say there what failed. */
function nameOf(text: string): string {
  const start = text.slice(0, 1_000).trim();
  if (start === "") return "an empty body";
  if (start.startsWith("<")) return "an HTML page";
  return `"${start.replace(/\s+/g, " ").slice(0, 200)}"`;
}

function hostOf(url: string | URL): string {
  return URL.canParse(String(url)) ? new URL(url).host : String(url);
}
