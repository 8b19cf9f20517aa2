import { QdrantClient } from "@qdrant/js-client-rest";
import {
  errorMessageIn,
  failureOfStatus,
  HttpError,
  redact,
  waitBeforeRetry,
  type HttpFailure,
} from "../../support/json-client.js";
import { reasonOf } from "../../support/errors.js";
import { abortable, retry } from "../../support/waiting.js";
import { withoutCredentials } from "../../support/web-address.js";
import { oneLine } from "../../text/one-line.js";
import { KnowledgeBaseError } from "../knowledge-base.js";

export interface QdrantConnectionOptions {
  /** `http://localhost:6333`; the port defaults to 6333. */
  url: string;
  collection: string;
  apiKey?: string;
  /** For each attempt. */
  timeoutInMs?: number;
  maxRetries?: number;
  initialDelayInMs?: number;
}

export interface QdrantConnection {
  readonly collection: string;
  readonly host: string;
  readonly client: QdrantClient;
  /**
   * Sends requests through Qdrant's client, again after failures that may pass. Rejects with
   * `KnowledgeBaseError`, or with the signal's reason.
   */
  call<Result>(
    work: (client: QdrantClient, collection: string) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result>;
}

export class MissingCollectionError extends KnowledgeBaseError {}

/** Prepares requests to one collection; sends nothing yet. */
export function connectToQdrant({
  url,
  apiKey,
  collection,
  timeoutInMs = 10_000,
  maxRetries = 3,
  initialDelayInMs = 300,
}: QdrantConnectionOptions): QdrantConnection {
  const { url: address, password, authorization } = withoutCredentials(addressOf(url));
  const { host } = new URL(url);
  const client = new QdrantClient({
    host: address.hostname,
    https: address.protocol === "https:",
    port: address.port === "" ? null : Number(address.port),
    prefix: address.pathname === "/" ? "" : address.pathname.replace(/\/$/u, ""),
    // As a header, since the client warns of its own option on every address without TLS.
    headers: { ...(apiKey && { "api-key": apiKey }), ...(authorization && { authorization }) },
    timeout: timeoutInMs,
    checkCompatibility: false,
  });
  const attempt = async <Result>(work: Promise<Result>, signal?: AbortSignal): Promise<Result> => {
    try {
      return await abortable(work, signal);
    } catch (error) {
      signal?.throwIfAborted();
      const [failure, said, details] = failureIn(error, timeoutInMs);
      const message = redact(oneLine(`${host} ${said}`, 300), [apiKey, password]);
      throw new HttpError(failure, message, { ...details, cause: error });
    }
  };
  return {
    collection,
    host,
    client,
    async call(work, signal) {
      try {
        return await retry({
          attempt: () => attempt(work(client, collection), signal),
          waitFor: waitBeforeRetry,
          maxRetries,
          initialDelayInMs,
          signal,
        });
      } catch (cause) {
        if (!(cause instanceof HttpError)) throw cause;
        if (isMissing(cause))
          throw new MissingCollectionError(
            `Qdrant at ${host} has no collection "${collection}"`,
            "Check QDRANT_COLLECTION, or fill the collection with `npm run ingest -- PATH`.",
          );
        throw new KnowledgeBaseError(
          `Qdrant, collection "${collection}": ${cause.message}`,
          HINTS[cause.failure],
          { cause },
        );
      }
    },
  };
}

type Failure = [
  failure: HttpFailure,
  said: string,
  details?: { status?: number; retryAfterInMs?: number },
];

/** Reads what the client threw: its properties, since it does not export the class of most errors. */
function failureIn(error: unknown, timeoutInMs: number): Failure {
  const { name, status, data, retry_after: seconds } = Object(error) as Record<string, unknown>;
  if (typeof seconds === "number")
    return ["rate_limited", "answered 429", { status: 429, retryAfterInMs: seconds * 1000 }];
  if (typeof status === "number") {
    const said = typeof data === "string" && data !== "" ? `"${data}"` : errorMessageIn(data);
    return [failureOfStatus(status), `answered ${status}${said ? `: ${said}` : ""}`, { status }];
  }
  if (name === "QdrantClientTimeoutError" || name === "AbortError")
    return ["timeout", `gave no answer within ${timeoutInMs} ms`];
  if (name === "TypeError")
    return ["network", `could not be reached or was cut off (${reasonOf(error)})`];
  return ["malformed", `did not answer as Qdrant does (${reasonOf(error)})`];
}

/** Adds Qdrant's port if there is none. An explicit `:443`, which `URL` drops, counts as one. */
function addressOf(url: string): URL {
  const address = new URL(url);
  const host = url.split("/")[2]?.split("@").at(-1) ?? "";
  if (host.lastIndexOf(":") <= host.lastIndexOf("]")) address.port = "6333";
  return address;
}

function isMissing({ failure, message }: HttpError): boolean {
  return failure === "not_found" && message.toLowerCase().includes("collection");
}

const UNREACHABLE =
  "Check QDRANT_URL and that the server is running; QDRANT_TIMEOUT_SECONDS sets the time limit.";
const NOT_QDRANT = "Check QDRANT_URL: there may be no Qdrant at this address.";
const HINTS: Partial<Readonly<Record<HttpFailure, string>>> = {
  unauthorized: "Check QDRANT_API_KEY.",
  network: UNREACHABLE,
  timeout: UNREACHABLE,
  not_found: NOT_QDRANT,
  malformed: NOT_QDRANT,
};
