/** Calls to one collection: a time limit on each attempt, retries where they help, and errors that say what to do. */
import type { QdrantClient } from "@qdrant/js-client-rest";
import { z } from "zod";
import { KnowledgeBaseError } from "../knowledge-base.js";
import { EndpointError, isFetchFailure, reasonOf, type EndpointFailure } from "../post-json.js";
import { retryWithBackoff, type RetryDecision } from "../retry-with-backoff.js";

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

/** What the client throws for an answer other than 200. */
const ApiFailure = z.object({ status: z.number(), data: z.unknown() });
const RateLimited = z.object({ retry_after: z.number() });
const ErrorBody = z.object({ status: z.object({ error: z.string() }) });

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
    const timeLimit = AbortSignal.timeout(timeoutInMs);
    try {
      const { data } = await send(api, {
        signal: signal ? AbortSignal.any([signal, timeLimit]) : timeLimit,
      });
      if (data.result === undefined)
        throw new EndpointError("malformed", `${host} answered without a result`);
      return data.result;
    } catch (error) {
      signal?.throwIfAborted();
      if (timeLimit.aborted)
        throw new EndpointError(
          "timeout",
          `no answer within ${timeoutInMs} ms`,
          undefined,
          undefined,
          { cause: error },
        );
      throw endpointError(error);
    }
  };
  const withRetries = <Result>(send: Send<Result>, signal: AbortSignal | undefined) =>
    retryWithBackoff({
      attempt: () => attempt(send, signal),
      decide,
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
    if (!(error instanceof EndpointError)) return error;
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
        if (error instanceof EndpointError && isMissingCollection(error)) return undefined;
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

function decide(error: unknown): RetryDecision {
  if (!(error instanceof EndpointError)) return { retry: false };
  return ["rate_limited", "server", "network", "timeout"].includes(error.failure)
    ? { retry: true, waitInMs: error.retryAfterInMs }
    : { retry: false };
}

function endpointError(error: unknown): unknown {
  if (error instanceof EndpointError) return error;
  // The client turns 429 into an error of its own when the server says how long to wait, in seconds.
  const limited = RateLimited.safeParse(error);
  if (limited.success) {
    return new EndpointError(
      "rate_limited",
      "the server's rate limit was reached (429)",
      429,
      limited.data.retry_after * 1000,
      {
        cause: error,
      },
    );
  }
  const failure = ApiFailure.safeParse(error);
  if (failure.success) {
    const { status, data } = failure.data;
    const body = ErrorBody.safeParse(data);
    const reason = body.success ? body.data.status.error.slice(0, 300) : "refused";
    return new EndpointError(kindOf(status), `${reason} (${status})`, status, undefined, {
      cause: error,
    });
  }
  return isFetchFailure(error)
    ? new EndpointError("network", `cannot be reached: ${reasonOf(error)}`, undefined, undefined, {
        cause: error,
      })
    : error;
}

function kindOf(status: number): EndpointFailure {
  if (status === 401 || status === 403) return "unauthorised";
  if (status === 404) return "not_found";
  if (status === 429) return "rate_limited";
  return status >= 500 || status === 408 ? "server" : "rejected";
}

function isMissingCollection(error: EndpointError): boolean {
  return error.failure === "not_found" && /collection/i.test(error.message);
}

function hintFor(failure: EndpointFailure): string | undefined {
  switch (failure) {
    case "unauthorised":
      return "The server refused the key: check QDRANT_API_KEY.";
    case "network":
    case "timeout":
      return "Check QDRANT_URL and that the server is running; QDRANT_TIMEOUT_SECONDS sets the time limit.";
    case "rate_limited":
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
