/** The connection to a collection of Qdrant, and what is known of the collection. */
import { randomUUID } from "node:crypto";
import { QdrantClient, type Schemas } from "@qdrant/js-client-rest";
import { z } from "zod";
import type { Embedder } from "../../reader/embedder.js";
import { reasonOf } from "../../support/errors.js";
import {
  errorMessageIn,
  failureOfStatus,
  HttpError,
  redact,
  waitBeforeRetry,
  type HttpFailure,
} from "../../support/json-client.js";
import { abortable, retry } from "../../support/waiting.js";
import { withoutCredentials, withoutEndSlash } from "../../support/web-address.js";
import { ANALYSER_VERSION } from "../../text/analyse.js";
import { oneLine } from "../../text/words.js";
import { checkModel, type VectorIndex } from "../indexed-text.js";
import { KnowledgeBaseError } from "../knowledge-base.js";
import { DENSE, PAYLOAD_INDEXES, pointId, SPARSE } from "./points.js";

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

export type QdrantConnection = ReturnType<typeof connectToQdrant>;

export class MissingCollectionError extends KnowledgeBaseError {}

/** Prepares requests to one collection; sends nothing yet. */
export function connectToQdrant({
  url,
  apiKey,
  collection,
  timeoutInMs = 10_000,
  maxRetries = 3,
  initialDelayInMs = 300,
}: QdrantConnectionOptions) {
  const { url: address, password, authorization } = withoutCredentials(addressOf(url));
  const { host } = new URL(url);
  const client = new QdrantClient({
    host: address.hostname,
    https: address.protocol === "https:",
    port: address.port === "" ? null : Number(address.port),
    prefix: withoutEndSlash(address.pathname),
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
    /** Of one attempt. */
    timeoutInMs,
    /**
     * Sends requests through Qdrant's client, again after failures that may pass. Rejects with
     * `KnowledgeBaseError`, or with the signal's reason.
     */
    async call<Result>(
      work: (client: QdrantClient, collection: string) => Promise<Result>,
      signal?: AbortSignal,
    ): Promise<Result> {
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
        if (cause.failure === "not_found" && cause.message.toLowerCase().includes("collection"))
          throw new MissingCollectionError(
            `Qdrant at ${host} has no collection "${collection}"`,
            "check QDRANT_COLLECTION, or fill it with: corrective-rag ingest PATH",
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

/** Reads what the client threw by its properties: most error classes are not exported. */
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

const UNREACHABLE =
  "check QDRANT_URL and that the server is running; QDRANT_TIMEOUT_SECONDS sets the time limit";
const NOT_QDRANT = "check QDRANT_URL: there may be no Qdrant at this address";
const HINTS: Partial<Readonly<Record<HttpFailure, string>>> = {
  unauthorized: "check QDRANT_API_KEY",
  network: UNREACHABLE,
  timeout: UNREACHABLE,
  not_found: NOT_QDRANT,
  malformed: NOT_QDRANT,
};

/** Raise it when payloads or vectors change, so that an old collection is refused. */
const FORMAT = `3.${ANALYSER_VERSION}`;

export interface CollectionState {
  /** Absent without vectors. */
  index?: VectorIndex;
}

const Layout = z.object({
  vectors: z
    .object({
      [DENSE]: z.object({ size: z.number() }).optional(),
      // Of a collection that LangChain made, whose one vector has no name.
      size: z.number().optional(),
    })
    .optional(),
  sparse_vectors: z.record(z.string(), z.unknown()).nullish(),
});

/**
 * Checks that the collection is ours and fits the embedder.
 * @throws MissingCollectionError
 */
export async function inspectCollection(
  connection: QdrantConnection,
  embedder: Embedder | undefined,
  signal?: AbortSignal,
): Promise<CollectionState> {
  const { collection } = connection;
  const refuse = (said: string, hint: string): never => {
    throw new KnowledgeBaseError(`the collection "${collection}" ${said}`, hint);
  };
  const info = await connection.call((client, name) => client.getCollection(name), signal);
  const { vectors, sparse_vectors } = Layout.parse(info.config.params);
  if (!sparse_vectors?.[SPARSE])
    refuse(
      vectors?.size === undefined
        ? `on Qdrant was not made by this agent: it has no "${SPARSE}"`
        : "was made by LangChain: it can be searched, but not ingested into",
      "choose another QDRANT_COLLECTION",
    );
  const facts = await readFacts(connection, signal);
  if (facts && facts.format !== FORMAT)
    refuse(
      `has format ${facts.format}; this version reads ${FORMAT}`,
      "ingest into another QDRANT_COLLECTION; your documents are not touched",
    );
  const dimensions = vectors?.[DENSE]?.size;
  if (dimensions === undefined) {
    if (embedder)
      refuse(
        `was made without vectors, but the embedding model ${embedder.model} is configured`,
        "unset CRAG_EMBEDDING_MODEL, or ingest into another QDRANT_COLLECTION",
      );
    return {};
  }
  const index: VectorIndex = {
    name: `the collection "${collection}"`,
    model: facts?.embedding?.model,
    dimensions,
    elsewhere: "ingest into another QDRANT_COLLECTION",
  };
  if (embedder) checkModel(index, embedder.model);
  return { index };
}

/** Creates the collection with default settings, unless another process has just done so. */
export async function createCollection(
  connection: QdrantConnection,
  size: number | undefined,
  signal?: AbortSignal,
): Promise<void> {
  const layout: Schemas["CreateCollection"] = {
    vectors: size === undefined ? {} : { [DENSE]: { size, distance: "Cosine" } },
    sparse_vectors: { [SPARSE]: { modifier: "idf" } },
  };
  try {
    await connection.call((client, name) => client.createCollection(name, layout), signal);
  } catch (error) {
    const cause = error instanceof KnowledgeBaseError ? error.cause : undefined;
    if (!(cause instanceof HttpError && cause.status === 409)) throw error;
  }
}

/** Creates the payload indexes that are missing, and waits for them. */
export async function createIndexes(
  connection: QdrantConnection,
  signal?: AbortSignal,
): Promise<void> {
  for (const [field_name, field_schema] of Object.entries(PAYLOAD_INDEXES))
    await connection.call(
      (client, name) => client.createPayloadIndex(name, { wait: true, field_name, field_schema }),
      signal,
    );
}

const Facts = z.object({
  format: z.union([z.string(), z.number()]).transform(String),
  version: z.string(),
  embedding: z.object({ model: z.string(), dimensions: z.number() }).optional(),
});
/** Facts about the collection, kept in a point of their own. */
type CollectionFacts = z.infer<typeof Facts>;

const FACTS_ID = pointId("collection");

/** Returns undefined before the first document is complete. */
export async function readFacts(
  connection: QdrantConnection,
  signal?: AbortSignal,
): Promise<CollectionFacts | undefined> {
  const points = await readPoints(connection, [FACTS_ID], signal);
  return Facts.safeParse(points.get(FACTS_ID)).data;
}

/** Returns the operation that must go with each change, which sets a new version. */
export function newVersion(embedding: CollectionFacts["embedding"]): Schemas["UpdateOperation"] {
  const facts: CollectionFacts = { format: FORMAT, version: randomUUID(), embedding };
  const payload = { type: "collection", ...facts };
  return { upsert: { points: [{ id: FACTS_ID, vector: {}, payload }] } };
}

export async function readPoints(
  connection: QdrantConnection,
  ids: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Map<string, unknown>> {
  const lookup = { ids: [...ids], with_payload: true };
  const points = await connection.call((client, name) => client.retrieve(name, lookup), signal);
  return new Map(points.map(({ id, payload }) => [String(id), payload]));
}

/** Returns the size of the vectors of a collection that LangChain made; undefined for any other. */
export async function sizeInLangChainCollection(
  connection: QdrantConnection,
): Promise<number | undefined> {
  const { config } = await connection.call((client, name) => client.getCollection(name));
  const { vectors, sparse_vectors } = Layout.parse(config.params);
  return sparse_vectors?.[SPARSE] ? undefined : vectors?.size;
}
