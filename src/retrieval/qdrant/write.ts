/**
 * Storing and removing documents. A collection has no transactions, so a document is stored in two steps: first its new passages are
 * uploaded under the type `staged`, which no search looks at; then one request makes them visible, removes what the document had before,
 * and writes the document's marker with its hash. The server carries that request out whether or not we live on. A kill before it leaves
 * the document as it was, with its old hash, so that the next ingestion takes it up again and finds its staged passages there already.
 */
import type { Schemas } from "@qdrant/js-client-rest";
import { passageText } from "../../reader/reader.js";
import { readablePassage, termsToIndex } from "../indexed-text.js";
import type { DocumentRecord, Embedder, Passage } from "../knowledge-base.js";
import { passageVector } from "./bm25-vector.js";
import { checkSize, DENSE, newVersion, SPARSE } from "./collection.js";
import type { QdrantConnection } from "./connection.js";
import { pathIs, pathIsOneOf } from "./filter.js";
import { jsonBytes, pack } from "./pack.js";
import {
  documentPayload,
  documentPointId,
  passagePayload,
  passagePointId,
  type CollectionFacts,
} from "./payload.js";

export interface StoredDocument {
  record: DocumentRecord;
  passages: readonly Passage[];
}

export interface WriteContext {
  connection: QdrantConnection;
  embedder: Embedder | undefined;
  /** What the collection says of its vectors; kept when documents are removed without an embedder. */
  embedding: CollectionFacts["embedding"];
  /** Of the collection's vectors; absent when it has none. */
  dimensions: number | undefined;
  signal?: AbortSignal;
  /** Bytes of one request; the server takes 32 MB. */
  maxRequestBytes: number;
}

type Operation = Schemas["UpdateOperation"];

const PASSAGES_PER_EMBEDDING = 256;
const POINTS_PER_REQUEST = 256;
const OPERATIONS_PER_REQUEST = 400;
const IDS_PER_LOOKUP = 1000;
const PATHS_PER_REMOVAL = 1000;

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
  const plans = [
    ...new Map(documents.map((document) => [document.record.path, document])).values(),
  ].map((document) => ({
    ...document,
    parts: partsOf(document),
  }));
  const stored = await lookUp(
    context,
    plans.flatMap(({ parts }) => parts.map(({ id }) => id)),
  );
  const missing = plans.flatMap(({ parts }) => parts.filter(({ id }) => !stored.has(id)));
  for (let start = 0; start < missing.length; start += PASSAGES_PER_EMBEDDING) {
    await stage(context, missing.slice(start, start + PASSAGES_PER_EMBEDDING));
  }
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
  const operations: Operation[][] = [];
  for (let start = 0; start < paths.length; start += PATHS_PER_REMOVAL) {
    operations.push([
      {
        delete: { filter: { must: [pathIsOneOf(paths.slice(start, start + PATHS_PER_REMOVAL))] } },
      },
    ]);
  }
  await commit(context, operations);
}

/** Passages with their point ids; two that are alike in everything are one point. */
function partsOf({ record, passages }: StoredDocument): Part[] {
  const parts = new Map<string, Part>();
  for (const [position, passage] of passages.entries()) {
    const dated = {
      ...passage,
      path: record.path,
      modifiedAt: passage.modifiedAt ?? record.modifiedAt,
    };
    const id = passagePointId(dated);
    if (!parts.has(id)) parts.set(id, { id, passage: dated, position });
  }
  return [...parts.values()];
}

/** Payloads of the points that are there already, visible or staged. */
async function lookUp(
  { connection, signal }: WriteContext,
  ids: readonly string[],
): Promise<Map<string, unknown>> {
  const stored = new Map<string, unknown>();
  for (let start = 0; start < ids.length; start += IDS_PER_LOOKUP) {
    const points = await connection.call(
      (api, init) =>
        api.getPoints(
          {
            collection_name: connection.collection,
            ids: ids.slice(start, start + IDS_PER_LOOKUP),
            with_payload: true,
          },
          init,
        ),
      signal,
    );
    for (const { id, payload } of points) stored.set(String(id), payload);
  }
  return stored;
}

async function stage(
  { connection, embedder, dimensions, signal, maxRequestBytes }: WriteContext,
  parts: readonly Part[],
): Promise<void> {
  const vectors =
    embedder &&
    (await embedder.embedDocuments(
      parts.map(({ passage }) => passageText(readablePassage(passage))),
      signal,
    ));
  const points = parts.map(({ id, passage, position }, index): Schemas["PointStruct"] => {
    const dense = vectors?.[index];
    const indexed = termsToIndex(passage);
    if (embedder && dimensions !== undefined)
      checkSize(connection.collection, embedder.model, dense ?? [], dimensions);
    return {
      id,
      payload: passagePayload("staged", passage, position),
      vector: {
        [SPARSE]: passageVector([...indexed.title, ...indexed.text]),
        ...(dense ? { [DENSE]: Array.from(dense) } : {}),
      },
    };
  });
  for (const batch of pack(points, {
    maxItems: POINTS_PER_REQUEST,
    maxBytes: maxRequestBytes,
    bytesOf: jsonBytes,
  })) {
    await connection.call(
      (api, init) =>
        api.upsertPoints(
          { collection_name: connection.collection, wait: true, points: batch },
          init,
        ),
      signal,
    );
  }
}

/**
 * What makes a document's new passages the document. New passages become visible before old ones go, and the marker comes last: should the
 * server itself die in between, nothing is lost, and the hash still tells that the document must be stored again.
 */
function commitOperations(
  record: DocumentRecord,
  parts: readonly Part[],
  stored: ReadonlyMap<string, unknown>,
): Operation[] {
  const rewritten: Operation[] = [];
  const revealed: string[] = [];
  for (const { id, passage, position } of parts) {
    const payload = passagePayload("passage", passage, position);
    const before = stored.get(id);
    if (before === undefined || same(before, passagePayload("staged", passage, position)))
      revealed.push(id);
    else if (!same(before, payload))
      rewritten.push({ overwrite_payload: { points: [id], payload } });
  }
  return [
    ...(revealed.length > 0
      ? [{ set_payload: { points: revealed, payload: { type: "passage" } } }]
      : []),
    ...rewritten,
    {
      delete: {
        filter: {
          must: [pathIs(record.path)],
          must_not: [{ has_id: [...parts.map(({ id }) => id), documentPointId(record.path)] }],
        },
      },
    },
    {
      upsert: {
        points: [
          { id: documentPointId(record.path), vector: {}, payload: documentPayload(record) },
        ],
      },
    },
  ];
}

/** Sends the operations, those of one document in one request where they fit, each request with a new version of the collection. */
async function commit(
  { connection, embedder, embedding, dimensions, signal, maxRequestBytes }: WriteContext,
  groups: readonly Operation[][],
): Promise<void> {
  const limits = { maxBytes: maxRequestBytes, bytesOf: jsonBytes };
  const newEmbedding =
    embedder && dimensions !== undefined ? { model: embedder.model, dimensions } : embedding;
  const requests = packGroups(groups, limits);
  for (const operations of requests) {
    const all = [...operations, newVersion(newEmbedding)];
    await connection.call(
      (api, init) =>
        api.batchUpdate(
          { collection_name: connection.collection, wait: true, operations: all },
          init,
        ),
      signal,
    );
  }
}

function packGroups(
  groups: readonly Operation[][],
  limits: { maxBytes: number; bytesOf: (value: unknown) => number },
): Operation[][] {
  const small = groups.flatMap((group) =>
    limits.bytesOf(group) <= limits.maxBytes
      ? [group]
      : pack(group, { ...limits, maxItems: OPERATIONS_PER_REQUEST }),
  );
  return pack(small, { ...limits, maxItems: OPERATIONS_PER_REQUEST }).map((packed) =>
    packed.flat(),
  );
}

/** Equal as JSON, whatever the order of the keys; absent and undefined are the same. */
function same(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
