/**
 * Stores and removes documents without transactions. The terms of new passages are first uploaded
 * as `staged` points, which no search sees; one request then gives them their payload, removes the
 * document's old passages and writes its marker with its hash. A process killed before that request
 * leaves the document as it was, and the next ingestion finds the staged points. Vectors follow:
 * until then a passage is `pending`, and found by its words.
 */
import type { Schemas } from "@qdrant/js-client-rest";
import { passageText } from "../../reader/reader.js";
import { checkSizes, readablePassage, termsToIndex, type VectorIndex } from "../indexed-text.js";
import type { Embedder } from "../../reader/embedder.js";
import { isRecord } from "../../support/is-record.js";
import type {
  DocumentRecord,
  EmbedPendingOptions,
  Passage,
  StoredDocument,
} from "../knowledge-base.js";
import { newVersion, readPoints } from "./collection.js";
import type { QdrantConnection } from "./connection.js";
import {
  DENSE,
  documentPayload,
  documentPointId,
  passagePayload,
  passagePointId,
  passageVector,
  readPassage,
  SPARSE,
  type PointType,
} from "./points.js";
import { has, pathIsOneOf, pointsOf } from "./search.js";

export interface WriteContext {
  connection: QdrantConnection;
  embedder: Embedder | undefined;
  /** Absent in a collection without vectors. */
  index: VectorIndex | undefined;
  signal?: AbortSignal;
  maxRequestBytes: number;
}

type Operation = Schemas["UpdateOperation"];

const ITEMS_PER_REQUEST = 256;

interface Part {
  id: string;
  passage: Passage;
  position: number;
}

/** Stores documents in an existing collection, each in place of whatever was under its path. */
export async function putDocuments(
  context: WriteContext,
  documents: readonly StoredDocument[],
): Promise<void> {
  const byPath = new Map(documents.map((document) => [document.record.path, document]));
  const plans = [...byPath.values()].map((document) => ({
    record: document.record,
    parts: partsOf(document),
  }));
  const parts = plans.flatMap((plan) => plan.parts);
  const stored = new Map<string, unknown>();
  for (const some of pack(parts, context.maxRequestBytes)) {
    const ids = some.map(({ id }) => id);
    for (const [id, payload] of await readPoints(context.connection, ids, context.signal))
      stored.set(id, payload);
  }
  const hasVector = (id: string): boolean => isEmbedded(stored.get(id));
  const missing = parts.filter(({ id }) => !stored.has(id));
  for (const batch of pack(missing, context.maxRequestBytes)) await stage(context, batch);
  await commit(
    context,
    plans.map(({ record, parts }) =>
      publishing(
        record,
        parts,
        ({ id, passage }) =>
          context.index !== undefined &&
          context.embedder?.knowsPassage?.(passage.text) !== false &&
          !hasVector(id),
      ),
    ),
  );
}

/** Removes documents with their passages. */
export async function removeDocuments(
  context: WriteContext,
  paths: readonly string[],
): Promise<void> {
  await commit(
    context,
    pack(paths, context.maxRequestBytes).map((some) => [
      { delete: { filter: { must: [pathIsOneOf(some)] } } },
    ]),
  );
}

function partsOf({ record, passages }: StoredDocument): Part[] {
  return passages.map((passage, position) => {
    const modifiedAt = passage.modifiedAt ?? record.modifiedAt;
    const metadata = passage.metadata ?? record.metadata;
    const dated = { ...passage, path: record.path, modifiedAt, metadata };
    return { id: passagePointId(dated), passage: dated, position };
  });
}

async function stage(
  { connection, signal, maxRequestBytes }: WriteContext,
  parts: readonly Part[],
): Promise<void> {
  const points = parts.map(({ id, passage }) => {
    const terms = termsToIndex(passage);
    return {
      id,
      payload: { type: "staged" satisfies PointType, path: passage.path },
      vector: { [SPARSE]: passageVector([...terms.title, ...terms.text]) },
    };
  });
  for (const batch of pack(points, maxRequestBytes))
    await connection.call(
      (client, name) => client.upsert(name, { wait: true, points: batch }),
      signal,
    );
}

/** True for the payload of a published passage that has its vector. */
function isEmbedded(payload: unknown): boolean {
  return isRecord(payload) && payload["type"] === "passage" && payload["pending"] !== true;
}

/** Passages that wait for their vectors. */
export const PENDING = pointsOf("passage", [{ key: "pending", match: { value: true } }]);

/** Passages to embed at a time: a second or two of work on a slow machine. */
const BATCH = 32;

/**
 * Embeds all pending passages, each batch in one request.
 * @param total of them, for the progress
 */
export async function embedPassages(
  context: WriteContext & { embedder: Embedder; index: VectorIndex },
  total: number,
  onProgress: EmbedPendingOptions["onProgress"],
): Promise<void> {
  const { connection, embedder, index, signal } = context;
  const wanted = { filter: PENDING, limit: BATCH };
  for (let done = 0; ; onProgress?.({ done, total: Math.max(total, done) })) {
    signal?.throwIfAborted();
    const page = await connection.call((client, name) => client.scroll(name, wanted), signal);
    if (page.points.length === 0) return;
    const batch = page.points.flatMap(({ id, payload }) => {
      const stored = readPassage(payload);
      return stored === undefined ? [] : [{ id, passage: stored.passage }];
    });
    const texts = batch.map(({ passage }) => passageText(readablePassage(passage)));
    const vectors = await embedder.embedDocuments(texts, signal);
    checkSizes(index, embedder.model, vectors);
    const points = batch.map(({ id }, at) => ({
      id,
      vector: { [DENSE]: Array.from(vectors[at] ?? []) },
    }));
    const ids = page.points.map(({ id }) => id);
    await commit(context, [
      [{ update_vectors: { points } }, { delete_payload: { keys: ["pending"], points: ids } }],
    ]);
    done += batch.length;
  }
}

/**
 * Returns the operations that publish a document's passages. New ones appear before old ones go, and
 * the marker comes last: if the server itself dies in between, nothing is lost, and the old hash
 * makes the next ingestion store the document again.
 */
function publishing(
  record: DocumentRecord,
  parts: readonly Part[],
  isPending: (part: Part) => boolean,
): Operation[] {
  const marker = documentPointId(record.path);
  const ids = [...parts.map(({ id }) => id), marker];
  return [
    ...parts.map((part) => ({
      overwrite_payload: {
        points: [part.id],
        payload: passagePayload(part.passage, part.position, isPending(part)),
      },
    })),
    { delete: { filter: { must: [has("path", record.path)], must_not: [{ has_id: ids }] } } },
    { upsert: { points: [{ id: marker, vector: {}, payload: documentPayload(record) }] } },
  ];
}

/** Sends operations, keeping a document's in one request if they fit. */
async function commit(
  { connection, embedder, index, signal, maxRequestBytes }: WriteContext,
  groups: readonly Operation[][],
): Promise<void> {
  const small = groups.flatMap((group) =>
    jsonBytes(group) <= maxRequestBytes ? [group] : pack(group, maxRequestBytes),
  );
  // Keeps the model's name when documents are removed without a model.
  const model = embedder?.model ?? index?.model;
  const embedding = index && model ? { model, dimensions: index.dimensions } : undefined;
  for (const group of pack(small, maxRequestBytes)) {
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
    if (current && current.length < ITEMS_PER_REQUEST && bytes + size <= maxBytes) {
      current.push(item);
      bytes += size;
    } else {
      requests.push([item]);
      bytes = size;
    }
  }
  return requests;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
