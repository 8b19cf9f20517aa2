/**
 * Stores and removes documents without transactions. One request writes a document's new passages,
 * removes its old ones and writes its marker with its hash, so a process killed before it leaves
 * the document as it was. Vectors follow: until then a passage is `pending`, and found by its
 * words.
 */
import type { Schemas } from "@qdrant/js-client-rest";
import {
  checkSizes,
  EMBED_BATCH,
  embedInBatches,
  termsToIndex,
  type VectorIndex,
} from "../indexed-text.js";
import type { Embedder } from "../../reader/embedder.js";
import { isRecord } from "../../support/json.js";
import type {
  DocumentRecord,
  EmbedPendingOptions,
  Passage,
  StoredDocument,
} from "../knowledge-base.js";
import { newVersion, readPoints, type QdrantConnection } from "./collection.js";
import {
  DENSE,
  documentPayload,
  documentPointId,
  passagePayload,
  passagePointId,
  passageVector,
  readPassage,
  SPARSE,
} from "./points.js";
import { has, pathIsOneOf, pointsOf } from "./search.js";

interface WriteContext {
  connection: QdrantConnection;
  embedder: Embedder | undefined;
  /** Absent in a collection without vectors. */
  index: VectorIndex | undefined;
  signal?: AbortSignal;
}

type Operation = Schemas["UpdateOperation"];

/** The server accepts 32 MB. */
const MAX_REQUEST_BYTES = 16_000_000;
/** Points or paths in one operation. */
const ITEMS_PER_OPERATION = 256;

/** Stores documents in an existing collection, each in place of whatever was under its path. */
export async function putDocuments(
  context: WriteContext,
  documents: readonly StoredDocument[],
): Promise<void> {
  const replacements = documents.map((document) => ({ document, parts: partsOf(document) }));
  const ids = replacements.flatMap(({ parts }) => parts.map(({ id }) => id));
  const embedded = new Set<string>();
  for (const some of chunks(ids)) {
    const stored = await readPoints(context.connection, some, context.signal);
    for (const [id, payload] of stored)
      if (isRecord(payload) && payload["type"] === "passage" && payload["pending"] !== true)
        embedded.add(id);
  }
  await commit(
    context,
    replacements.map(({ document, parts }) => replacing(context, document.record, parts, embedded)),
  );
}

export async function deleteDocuments(
  context: WriteContext,
  paths: readonly string[],
): Promise<void> {
  await commit(
    context,
    chunks(paths).map((some) => [{ delete: { filter: { must: [pathIsOneOf(some)] } } }]),
  );
}

/** Passages that wait for their vectors. */
export const PENDING = pointsOf("passage", [{ key: "pending", match: { value: true } }]);

/**
 * Embeds all pending passages, each batch in one request.
 * @param total of them
 */
export async function embedPassages(
  context: WriteContext & { embedder: Embedder; index: VectorIndex },
  total: number,
  onProgress: EmbedPendingOptions["onProgress"],
): Promise<void> {
  const { connection, embedder, index, signal } = context;
  const asked = { filter: PENDING, limit: EMBED_BATCH };
  await embedInBatches({
    embedder,
    total,
    onProgress,
    signal,
    async next() {
      const page = await connection.call((client, name) => client.scroll(name, asked), signal);
      return page.points.flatMap(({ id, payload }) => {
        const stored = readPassage(payload);
        return stored === undefined ? [] : [{ id, passage: stored.passage }];
      });
    },
    async store(items, vectors) {
      checkSizes(index, embedder.model, vectors);
      const points = items.map(({ id }, at) => ({
        id,
        vector: { [DENSE]: Array.from(vectors[at] ?? []) },
      }));
      const ids = items.map(({ id }) => id);
      await commit(context, [
        [{ update_vectors: { points } }, { delete_payload: { keys: ["pending"], points: ids } }],
      ]);
    },
  });
}

interface Part {
  id: string;
  passage: Passage;
  position: number;
}

function partsOf({ record, passages }: StoredDocument): Part[] {
  return passages.map((passage, position) => {
    const modifiedAt = passage.modifiedAt ?? record.modifiedAt;
    const metadata = passage.metadata ?? record.metadata;
    const complete = { ...passage, path: record.path, modifiedAt, metadata };
    return { id: passagePointId(complete), passage: complete, position };
  });
}

/**
 * Returns the operations that replace a document. New passages appear before old ones go, and the
 * marker comes last: if the server itself dies in between, nothing is lost, and the old hash makes
 * the next ingestion store the document again.
 * @param embedded ids of stored passages that have their vector, which they keep
 */
function replacing(
  { embedder, index }: WriteContext,
  record: DocumentRecord,
  parts: readonly Part[],
  embedded: ReadonlySet<string>,
): Operation[] {
  const written = parts.filter(({ id }) => !embedded.has(id));
  const kept = parts.filter(({ id }) => embedded.has(id));
  const isPending = ({ text }: Passage): boolean =>
    index !== undefined && embedder?.knowsPassage?.(text) !== false;
  const marker = documentPointId(record.path);
  const ids = [...parts.map(({ id }) => id), marker];
  return [
    ...chunks(written).map((some) => ({
      upsert: {
        points: some.map(({ id, passage, position }) => ({
          id,
          payload: passagePayload(passage, position, isPending(passage)),
          vector: { [SPARSE]: wordsOf(passage) },
        })),
      },
    })),
    ...kept.map(({ id, passage, position }) => ({
      overwrite_payload: { points: [id], payload: passagePayload(passage, position, false) },
    })),
    { delete: { filter: { must: [has("path", record.path)], must_not: [{ has_id: ids }] } } },
    { upsert: { points: [{ id: marker, vector: {}, payload: documentPayload(record) }] } },
  ];
}

function wordsOf(passage: Passage): ReturnType<typeof passageVector> {
  const terms = termsToIndex(passage);
  return passageVector([...terms.title, ...terms.text]);
}

/** Sends operations, keeping a document's in one request if they fit. */
async function commit(
  { connection, embedder, index, signal }: WriteContext,
  groups: readonly Operation[][],
): Promise<void> {
  const small = groups.flatMap((group) =>
    jsonBytes(group) <= MAX_REQUEST_BYTES ? [group] : pack(group, MAX_REQUEST_BYTES),
  );
  // Removal without an embedder must not erase the stored model name.
  const model = embedder?.model ?? index?.model;
  const embedding = index && model ? { model, dimensions: index.dimensions } : undefined;
  for (const group of pack(small, MAX_REQUEST_BYTES)) {
    const operations = [...group.flat(), newVersion(embedding)];
    await connection.call(
      (client, name) => client.batchUpdate(name, { wait: true, operations }),
      signal,
    );
  }
}

/** Splits items into requests, in order. An item that is too large gets a request of its own. */
export function pack<Item>(items: readonly Item[], maxBytes: number): Item[][] {
  const requests: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = jsonBytes(item);
    const current = requests.at(-1);
    if (current && bytes + size <= maxBytes) {
      current.push(item);
      bytes += size;
    } else {
      requests.push([item]);
      bytes = size;
    }
  }
  return requests;
}

function chunks<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / ITEMS_PER_OPERATION) }, (_, at) =>
    items.slice(at * ITEMS_PER_OPERATION, (at + 1) * ITEMS_PER_OPERATION),
  );
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
