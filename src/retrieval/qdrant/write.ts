/**
 * Storing and removing documents. A collection has no transactions, so a document is stored in two
 * steps: its new passages are uploaded as `staged`, which no search looks at; then one request
 * makes them visible, removes what the document had before, and writes its marker with its hash.
 * The server carries that request out whether or not we live on. A kill before it leaves the
 * document as it was, with its old hash, so that the next ingestion takes it up again and finds
 * its staged passages there already.
 */
import type { Schemas } from "@qdrant/js-client-rest";
import { z } from "zod";
import { passageText } from "../../reader/reader.js";
import { checkSizes, readablePassage, termsToIndex } from "../indexed-text.js";
import type { DocumentRecord, Embedder, Passage, StoredDocument } from "../knowledge-base.js";
import { newVersion, readPoints, type CollectionState } from "./collection.js";
import type { QdrantConnection } from "./connection.js";
import {
  DENSE,
  documentPayload,
  documentPointId,
  passagePayload,
  passagePointId,
  passageVector,
  SPARSE,
} from "./points.js";
import { has, pathIsOneOf } from "./search.js";

export interface WriteContext {
  connection: QdrantConnection;
  embedder: Embedder | undefined;
  state: CollectionState;
  signal?: AbortSignal;
  maxRequestBytes: number;
}

type Operation = Schemas["UpdateOperation"];

/** Of anything: passages to embed, points, ids, documents. */
const ITEMS_PER_REQUEST = 256;

interface Part {
  id: string;
  passage: Passage;
  position: number;
}

/** Stores the documents, each replacing what was under its path. The collection exists. */
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
  const stored = new Set<string>();
  for (const some of pack(parts, context.maxRequestBytes)) {
    const ids = some.map(({ id }) => id);
    for (const id of (await readPoints(context.connection, ids, context.signal)).keys())
      stored.add(id);
  }
  const missing = parts.filter(({ id }) => !stored.has(id));
  for (const batch of pack(missing, context.maxRequestBytes)) await stage(context, batch);
  await commit(
    context,
    plans.map(({ record, parts }) => commitOperations(record, parts, stored)),
  );
}

/** Removes documents with all that belongs to them. */
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

/** Passages with their point ids; two that are alike in everything are one point. */
function partsOf({ record, passages }: StoredDocument): Part[] {
  const parts = new Map<string, Part>();
  for (const [position, passage] of passages.entries()) {
    const modifiedAt = passage.modifiedAt ?? record.modifiedAt;
    const dated = { ...passage, path: record.path, modifiedAt };
    const id = passagePointId(dated);
    if (!parts.has(id)) parts.set(id, { id, passage: dated, position });
  }
  return [...parts.values()];
}

async function stage(
  { connection, embedder, state, signal, maxRequestBytes }: WriteContext,
  parts: readonly Part[],
): Promise<void> {
  const texts = parts.map(({ passage }) => passageText(readablePassage(passage)));
  const vectors = await embedder?.embedDocuments(texts, signal);
  if (embedder && vectors && state.index) checkSizes(state.index, embedder.model, vectors);
  const points = parts.map(({ id, passage, position }, index): Schemas["PointStruct"] => {
    const dense = vectors?.[index];
    const terms = termsToIndex(passage);
    return {
      id,
      payload: passagePayload("staged", passage, position),
      vector: {
        [SPARSE]: passageVector([...terms.title, ...terms.text]),
        ...(dense && { [DENSE]: Array.from(dense) }),
      },
    };
  });
  for (const batch of pack(points, maxRequestBytes))
    await connection.send({
      method: "PUT",
      path: "/points?wait=true",
      body: { points: batch },
      result: z.unknown(),
      signal,
    });
}

/**
 * Returns what makes a document's new passages the document. They become visible before old ones
 * go, and the marker comes last: should the server itself die in between, nothing is lost, and the
 * hash still tells that the document must be stored again.
 */
function commitOperations(
  record: DocumentRecord,
  parts: readonly Part[],
  stored: ReadonlySet<string>,
): Operation[] {
  const uploaded = parts.flatMap(({ id }) => (stored.has(id) ? [] : [id]));
  const kept = parts.filter(({ id }) => stored.has(id));
  const marker = documentPointId(record.path);
  const all = [...parts.map(({ id }) => id), marker];
  return [
    ...(uploaded.length > 0
      ? [{ set_payload: { points: uploaded, payload: { type: "passage" } } }]
      : []),
    // Their place in the document may be another one now.
    ...kept.map(({ id, passage, position }) => ({
      overwrite_payload: { points: [id], payload: passagePayload("passage", passage, position) },
    })),
    { delete: { filter: { must: [has("path", record.path)], must_not: [{ has_id: all }] } } },
    { upsert: { points: [{ id: marker, vector: {}, payload: documentPayload(record) }] } },
  ];
}

/**
 * Sends the operations, those of one document in one request where they fit, each request with a
 * new version of the collection.
 */
async function commit(
  { connection, embedder, state, signal, maxRequestBytes }: WriteContext,
  groups: readonly Operation[][],
): Promise<void> {
  const small = groups.flatMap((group) =>
    jsonBytes(group) <= maxRequestBytes ? [group] : pack(group, maxRequestBytes),
  );
  const { index, facts } = state;
  // Kept when documents are removed without a model.
  const embedding =
    embedder && index ? { model: embedder.model, dimensions: index.dimensions } : facts?.embedding;
  for (const operations of pack(small, maxRequestBytes))
    await connection.send({
      path: "/points/batch?wait=true",
      body: { operations: [...operations.flat(), newVersion(embedding)] },
      result: z.unknown(),
      signal,
    });
}

/**
 * Fills requests in order: each holds at most so many items and bytes. An item that is larger than
 * a request gets one of its own, which the server may then refuse.
 */
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
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}
