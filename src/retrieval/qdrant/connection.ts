/** Calls to one collection: a time limit on each attempt, retries where they help, and errors that say what to do. */
import type { QdrantClient } from "@qdrant/js-client-rest";
import { z } from "zod";
import { KnowledgeBaseError } from "../knowledge-base.js";
import { reasonOf } from "../../support/errors.js";
import {
  errorMessageIn,
  failureOfStatus,
  HttpError,
  mayPass,
  redact,
  type HttpFailure,
} from "../../support/http-error.js";
import { isRecord } from "../../support/is-record.js";
import { retry } from "../../support/retry.js";
import { TimeLimitError, withinTime } from "../../support/waiting.js";

export type QdrantApi = ReturnType<QdrantClient["api"]>;

export interface QdrantConnectionOptions {
  url: string;
  apiKey?: string;
  collection: string;
  /** Of one attempt. */
  timeoutInMs: number;
  maxRetries: number;
  initialDelayInMs: number;
}

export type Send<Result> = (
  api: QdrantApi,
  init: RequestInit,
) => Promise<{ data: { result?: Result } }>;

export interface QdrantConnection {
  readonly collection: string;
  readonly host: string;
  /** Rejects with `KnowledgeBaseError`, or with the signal's reason. */
  call<Result>(send: Send<Result>, signal?: AbortSignal): Promise<Result>;
  /** As `call`, but a missing collection gives undefined. */
  callIfPresent<Result>(send: Send<Result>, signal?: AbortSignal): Promise<Result | undefined>;
  missingCollection(): KnowledgeBaseError;
}

/** What the client throws for an answer other than 200, and for 429 with a time to wait. */
const ApiFailure = z.object({ status: z.number(), data: z.unknown() });
const RateLimited = z.object({ retry_after: z.number() });

/** Makes the client; talks to nobody yet. */
export async function connectToQdrant(options: QdrantConnectionOptions): Promise<QdrantConnection> {
  const { url, apiKey, collection, timeoutInMs, maxRetries, initialDelayInMs } = options;
  const { address, host, port, prefix } = parseUrl(url);
  const { QdrantClient } = await import("@qdrant/js-client-rest");
  const client = new QdrantClient({
    url: address,
    port,
    prefix,
    // As a header, because the client prints a warning for `apiKey` over HTTP even when the server is on this machine.
    headers: apiKey ? { "api-key": apiKey } : undefined,
    // The client's own time limit would replace our signal.
    timeout: Infinity,
    checkCompatibility: false,
  });
  const api = client.api();

  const attempt = async <Result>(
    send: Send<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> => {
    try {
      const { data } = await withinTime((limit) => send(api, { signal: limit }), {
        timeoutInMs,
        signal,
      });
      if (data.result === undefined) throw new HttpError("malformed", "answered without a result");
      return data.result;
    } catch (error) {
      signal?.throwIfAborted();
      throw httpErrorOf(error, apiKey);
    }
  };
  const withRetries = <Result>(send: Send<Result>, signal: AbortSignal | undefined) =>
    retry({
      attempt: () => attempt(send, signal),
      decide: (error) =>
        error instanceof HttpError && mayPass(error)
          ? { retry: true, waitInMs: error.retryAfterInMs }
          : { retry: false },
      maxRetries,
      initialDelayInMs,
      signal,
    });

  const missingCollection = () =>
    new KnowledgeBaseError(
      `Qdrant at ${host} has no collection "${collection}"`,
      "Check QDRANT_COLLECTION, or fill the collection with `npm run ingest -- PATH`.",
    );
  const explain = (error: unknown) => {
    if (!(error instanceof HttpError)) return error;
    if (isMissingCollection(error)) return missingCollection();
    return new KnowledgeBaseError(
      `Qdrant at ${host}, collection "${collection}": ${error.message}`,
      hintFor(error.failure),
      {
        cause: error,
      },
    );
  };

  return {
    collection,
    host,
    missingCollection,
    async call(send, signal) {
      try {
        return await withRetries(send, signal);
      } catch (error) {
        throw explain(error);
      }
    },
    async callIfPresent(send, signal) {
      try {
        return await withRetries(send, signal);
      } catch (error) {
        if (error instanceof HttpError && isMissingCollection(error)) return undefined;
        throw explain(error);
      }
    },
  };
}

/**
 * The parts that the client wants apart: it drops a path, and takes an explicit default port (`:443`) for none at all, which to it is 6333.
 */
function parseUrl(url: string): {
  address: string;
  host: string;
  port: number | undefined;
  prefix: string | undefined;
} {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new KnowledgeBaseError(
      `QDRANT_URL is no address of a server: ${url}`,
      "It should look like http://localhost:6333.",
    );
  }
  const { origin, host, pathname } = new URL(url);
  const explicitPort = /^https?:\/\/[^/]*:(\d+)(?:\/|$)/.exec(url)?.[1];
  const prefix = pathname.replace(/\/+$/, "");
  return {
    address: origin,
    host,
    port: explicitPort === undefined ? undefined : Number(explicitPort),
    prefix: prefix === "" ? undefined : prefix,
  };
}

/** What the client throws is told by its shape: it comes in six classes, some of them not exported. */
function httpErrorOf(error: unknown, apiKey: string | undefined): unknown {
  if (error instanceof HttpError) return error;
  if (error instanceof TimeLimitError)
    return new HttpError("timeout", error.message, { cause: error });
  const limited = RateLimited.safeParse(error);
  if (limited.success)
    return new HttpError("rate_limited", "the server's rate limit was reached (429)", {
      status: 429,
      retryAfterInMs: limited.data.retry_after * 1000,
      cause: error,
    });
  const failure = ApiFailure.safeParse(error);
  if (failure.success) {
    const { status, data } = failure.data;
    const said =
      (typeof data === "string"
        ? data
        : errorMessageIn(isRecord(data) ? (data["status"] ?? data) : data)) ?? "refused";
    const reason = redact(said, [apiKey]).replace(/\s+/g, " ").trim().slice(0, 300);
    return new HttpError(failureOfStatus(status), `${reason || "refused"} (${status})`, {
      status,
      cause: error,
    });
  }
  // Told by its name: an error from another realm (a test runner's sandbox) is no instance of ours.
  const name: unknown = error instanceof Object ? Reflect.get(error, "name") : undefined;
  if (name === "SyntaxError")
    return new HttpError("server", `answered with something that is no JSON`, { cause: error });
  return isFetchFailure(error)
    ? new HttpError("network", `cannot be reached: ${reasonOf(error)}`, { cause: error })
    : error;
}

/** A request that broke on the way, as undici reports it: a TypeError with the reason in `cause`. */
function isFetchFailure(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "cause" in error &&
    "message" in error &&
    /^(fetch failed|terminated)/.test(String(error.message))
  );
}

function isMissingCollection(error: HttpError): boolean {
  return error.failure === "not_found" && /collection/i.test(error.message);
}

function hintFor(failure: HttpFailure): string | undefined {
  switch (failure) {
    case "unauthorized":
      return "The server refused the key: check QDRANT_API_KEY.";
    case "network":
    case "timeout":
      return "Check QDRANT_URL and that the server is running; QDRANT_TIMEOUT_SECONDS sets the time limit.";
    case "rate_limited":
    case "quota":
    case "server":
      return "The server is overloaded or failing: try again later, and look at its log.";
    case "not_found":
    case "malformed":
      return "The address may not be Qdrant's: check QDRANT_URL.";
    case "rejected":
      return undefined;
    default:
      return failure satisfies never;
  }
}
