import { randomUUID } from "node:crypto";
import type { Schemas } from "@qdrant/js-client-rest";
import { z } from "zod";
import { HttpError } from "../../support/json-client.js";
import { ANALYSER_VERSION } from "../../text/analyse.js";
import { checkModel, type VectorIndex } from "../indexed-text.js";
import type { Embedder } from "../../reader/embedder.js";
import { KnowledgeBaseError } from "../knowledge-base.js";
import type { QdrantConnection } from "./connection.js";
import { DENSE, PAYLOAD_INDEXES, pointId, SPARSE } from "./points.js";

/** Raise it when payloads or vectors change, so that an old collection is refused. */
const FORMAT = `3.${ANALYSER_VERSION}`;

/** An existing collection. */
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
    throw new KnowledgeBaseError(`The collection "${collection}" ${said}`, hint);
  };
  const info = await connection.call((client, name) => client.getCollection(name), signal);
  const { vectors, sparse_vectors } = Layout.parse(info.config.params);
  if (!sparse_vectors?.[SPARSE])
    refuse(
      vectors?.size === undefined
        ? `on Qdrant was not made by this agent: it has no "${SPARSE}"`
        : "was made by LangChain: it can be searched, but not ingested into",
      "Choose another QDRANT_COLLECTION.",
    );
  const facts = await readFacts(connection, signal);
  if (facts && facts.format !== FORMAT)
    refuse(
      `has format ${facts.format}; this version reads ${FORMAT}`,
      "Ingest into another QDRANT_COLLECTION; your documents are not touched.",
    );
  const dimensions = vectors?.[DENSE]?.size;
  if (dimensions === undefined) {
    if (embedder)
      refuse(
        `was made without vectors, but the embedding model ${embedder.model} is configured`,
        "Unset CRAG_EMBEDDING_MODEL, or ingest into another QDRANT_COLLECTION.",
      );
    return {};
  }
  const index: VectorIndex = {
    name: `The collection "${collection}"`,
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

/** Returns the payloads of existing points by id. */
export async function readPoints(
  connection: QdrantConnection,
  ids: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Map<string, unknown>> {
  const wanted = { ids: [...ids], with_payload: true };
  const points = await connection.call((client, name) => client.retrieve(name, wanted), signal);
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
