/** The collection: what it is made of, and whether the one found is what the settings say. */
import { randomUUID } from "node:crypto";
import type { Schemas } from "@qdrant/js-client-rest";
import { KnowledgeBaseError, type Embedder, type Vector } from "../knowledge-base.js";
import type { QdrantConnection } from "./connection.js";
import {
  COLLECTION_POINT_ID,
  collectionPayload,
  FORMAT,
  PAYLOAD_INDEXES,
  readCollectionFacts,
  type CollectionFacts,
} from "./payload.js";

export const DENSE = "dense";
export const SPARSE = "bm25";

/** How a new collection is laid out; what is not given is the server's default. See `docs/deploy.md`. */
export interface QdrantCollectionSettings {
  /** Parts over which a cluster spreads the collection. */
  shards?: number;
  /** Copies of each shard. */
  replication?: number;
  /** Copies that must have taken a write before it counts. */
  writeConsistency?: number;
  /** Keep vectors, sparse index and payload on disk. */
  onDisk?: boolean;
  /** Smaller vectors in memory: `scalar` a quarter, `binary` a thirty-second; the originals re-score what was found. */
  quantization?: "none" | "scalar" | "binary";
}

/** What is known of a collection that exists. */
export interface CollectionState {
  /** Absent in a collection without vectors. */
  dimensions?: number;
  facts?: CollectionFacts;
  /** When it was looked at. */
  points: number;
  /** Fields that lack their payload index. */
  missingIndexes: (keyof typeof PAYLOAD_INDEXES)[];
}

/** The request that makes a collection. Pure. */
function createCollectionRequest(
  dimensions: number | undefined,
  settings: QdrantCollectionSettings,
): Schemas["CreateCollection"] {
  const { shards, replication, writeConsistency, onDisk, quantization = "none" } = settings;
  return {
    vectors:
      dimensions === undefined
        ? {}
        : { [DENSE]: { size: dimensions, distance: "Cosine", on_disk: onDisk } },
    sparse_vectors: {
      [SPARSE]: { modifier: "idf", index: onDisk === undefined ? undefined : { on_disk: onDisk } },
    },
    shard_number: shards,
    replication_factor: replication,
    write_consistency_factor: writeConsistency,
    on_disk_payload: onDisk,
    quantization_config: quantizationConfig(quantization),
  };
}

function quantizationConfig(
  quantization: "none" | "scalar" | "binary",
): Schemas["QuantizationConfig"] | undefined {
  switch (quantization) {
    case "none":
      return undefined;
    case "scalar":
      return { scalar: { type: "int8", always_ram: true } };
    case "binary":
      return { binary: { always_ram: true } };
    default:
      return quantization satisfies never;
  }
}

/** Looks the collection up, and checks that it is ours and fits the embedder. Undefined when there is none. */
export async function inspectCollection(
  connection: QdrantConnection,
  embedder: Embedder | undefined,
  signal?: AbortSignal,
): Promise<CollectionState | undefined> {
  const { collection, host } = connection;
  const info = await connection.callIfPresent(
    (api, init) => api.getCollection({ collection_name: collection }, init),
    signal,
  );
  if (!info) return undefined;
  const { vectors, sparse_vectors } = info.config.params;
  if (!sparse_vectors?.[SPARSE]) {
    throw new KnowledgeBaseError(
      `The collection "${collection}" on Qdrant at ${host} was not made by this agent: it has no sparse vector "${SPARSE}"`,
      "Choose another QDRANT_COLLECTION; a collection made with LangChain can be brought as a vector store.",
    );
  }
  const dimensions = sizeOf(vectors);
  const facts = await readFacts(connection, signal);
  if (facts && facts.format !== FORMAT) {
    throw new KnowledgeBaseError(
      `The collection "${collection}" has format ${facts.format}; this version reads format ${FORMAT}`,
      "Ingest into another QDRANT_COLLECTION; your documents are not touched.",
    );
  }
  if (embedder) checkModel(collection, embedder, dimensions, facts);
  const indexed = new Set(Object.keys(info.payload_schema));
  return {
    dimensions,
    facts,
    points: info.points_count ?? 0,
    missingIndexes: indexFields().filter((field) => !indexed.has(field)),
  };
}

function checkModel(
  collection: string,
  embedder: Embedder,
  dimensions: number | undefined,
  facts: CollectionFacts | undefined,
): void {
  if (dimensions === undefined) {
    throw new KnowledgeBaseError(
      `The collection "${collection}" was made without vectors, but the embedding model ${embedder.model} is configured`,
      "Unset EMBEDDING_MODEL, or ingest into another QDRANT_COLLECTION.",
    );
  }
  if (facts?.embedding && facts.embedding.model !== embedder.model) {
    throw new KnowledgeBaseError(
      `The collection "${collection}" was made with the embedding model ${facts.embedding.model} (${dimensions} dimensions), but ${embedder.model} is configured`,
      `Set EMBEDDING_MODEL to the former, or ingest into another QDRANT_COLLECTION.`,
    );
  }
}

/** Throws when a vector does not fit the collection; the message names both sizes. */
export function checkSize(
  collection: string,
  model: string,
  vector: Vector,
  dimensions: number,
): void {
  if (vector.length === dimensions) return;
  throw new KnowledgeBaseError(
    `The collection "${collection}" holds vectors of ${dimensions} dimensions, but ${model} gives ${vector.length}`,
    "Configure the model with which the collection was made, or ingest into another QDRANT_COLLECTION.",
  );
}

/** Makes the collection. Somebody else making it at the same moment is as good. */
export async function createCollection(
  connection: QdrantConnection,
  dimensions: number | undefined,
  settings: QdrantCollectionSettings,
  signal?: AbortSignal,
): Promise<void> {
  const { collection: collection_name } = connection;
  await connection.call(async (api, init) => {
    try {
      return await api.createCollection(
        { collection_name, ...createCollectionRequest(dimensions, settings) },
        init,
      );
    } catch (error) {
      if (error instanceof Error && "status" in error && error.status === 409)
        return { data: { result: true } };
      throw error;
    }
  }, signal);
}

/** Makes the payload indexes that are missing, and waits for them. */
export async function createIndexes(
  connection: QdrantConnection,
  fields: CollectionState["missingIndexes"],
  signal?: AbortSignal,
): Promise<void> {
  for (const field of fields) {
    await connection.call(
      (api, init) =>
        api.createFieldIndex(
          {
            collection_name: connection.collection,
            wait: true,
            field_name: field,
            field_schema: PAYLOAD_INDEXES[field],
          },
          init,
        ),
      signal,
    );
  }
}

export function indexFields(): (keyof typeof PAYLOAD_INDEXES)[] {
  return ["type", "path", "folders", "kind", "modifiedAt"];
}

/** What the collection says of itself; undefined before the first document was complete. */
export async function readFacts(
  connection: QdrantConnection,
  signal?: AbortSignal,
): Promise<CollectionFacts | undefined> {
  const [point] = await connection.call(
    (api, init) =>
      api.getPoints(
        { collection_name: connection.collection, ids: [COLLECTION_POINT_ID], with_payload: true },
        init,
      ),
    signal,
  );
  return readCollectionFacts(point?.payload);
}

/** The operation that gives the collection a new version, to go with each change of its content. */
export function newVersion(embedding: CollectionFacts["embedding"]): Schemas["UpdateOperation"] {
  const facts: CollectionFacts = {
    format: FORMAT,
    version: randomUUID(),
    ...(embedding ? { embedding } : {}),
  };
  return {
    upsert: {
      points: [{ id: COLLECTION_POINT_ID, vector: {}, payload: collectionPayload(facts) }],
    },
  };
}

function sizeOf(vectors: Schemas["CollectionParams"]["vectors"]): number | undefined {
  if (!vectors || !(DENSE in vectors)) return undefined;
  const dense: unknown = vectors[DENSE];
  return typeof dense === "object" &&
    dense !== null &&
    "size" in dense &&
    typeof dense.size === "number"
    ? dense.size
    : undefined;
}
