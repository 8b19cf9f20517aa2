/** Passages and markers of documents as points: their ids, their payload, their sparse vectors. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { queryWeights } from "../indexed-text.js";
import {
  DocumentRecordSchema,
  PassageSchema,
  type DocumentRecord,
  type Passage,
} from "../knowledge-base.js";
import { foldersOf } from "../search-filter.js";

/** Names of the vectors. */
export const DENSE = "dense";
export const SPARSE = "bm25";

/** `staged` passages were uploaded, but their document is not complete yet: no search sees them. */
export type PointType = "passage" | "staged" | "document" | "collection";

/** Fields that filters use: without its index a large collection is searched one by one. */
export const PAYLOAD_INDEXES = {
  type: "keyword",
  path: "keyword",
  folders: "keyword",
  kind: "keyword",
  modifiedAt: "datetime",
} as const;

export function passagePayload(
  type: "passage" | "staged",
  passage: Passage,
  position: number,
): Record<string, unknown> {
  const date = Date.parse(passage.modifiedAt ?? "");
  // Qdrant leaves a date that it cannot read out of its index, silently: it is not stored.
  const modifiedAt = Number.isNaN(date) ? undefined : new Date(date).toISOString();
  return { type, ...passage, modifiedAt, position, folders: foldersOf(passage.path) };
}

export function documentPayload(record: DocumentRecord): Record<string, unknown> {
  return { type: "document", ...record, folders: foldersOf(record.path) };
}

const StoredPassage = PassageSchema.extend({ position: z.number() });

/** Undefined for a point that is none of ours. */
export function readPassage(payload: unknown): { passage: Passage; position: number } | undefined {
  const parsed = StoredPassage.safeParse(payload);
  if (!parsed.success) return undefined;
  const { position, ...passage } = parsed.data;
  return { passage, position };
}

export function readDocument(payload: unknown): DocumentRecord | undefined {
  return DocumentRecordSchema.safeParse(payload).data;
}

/** Namespace of our ids; a random UUID, fixed for ever, since every stored id depends on it. */
const NAMESPACE = Buffer.from("6f1c8d0e9a5b4c3f8e2d7b1a40c96e55", "hex");

/** UUID version 5 (RFC 9562, 5.5) of these parts: Qdrant takes UUIDs and integers only. */
export function pointId(...parts: readonly string[]): string {
  const digest = createHash("sha1").update(NAMESPACE).update(JSON.stringify(parts)).digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString("hex");
  const cuts = [0, 8, 12, 16, 20, 32];
  return cuts
    .slice(1)
    .map((end, index) => hex.slice(cuts[index], end))
    .join("-");
}

/** Of all that shapes its vectors: what did not change is not embedded again. */
export function passagePointId({ path, id, title, heading = "", text }: Passage): string {
  return pointId("passage", path, id, title, heading, text);
}

export function documentPointId(path: string): string {
  return pointId("document", path);
}

/** A sparse vector as Qdrant takes it: indices ascending and unique, one value for each. */
interface SparseVector {
  indices: number[];
  values: number[];
}

/** Saturation and length normalization, as in SQLite's FTS5, so that both stores rank alike. */
const K1 = 1.2;
const B = 0.75;
/**
 * Terms of a passage of average length. The true average changes with every document, but a stored
 * vector cannot; being off by a factor of two only shifts how strongly length counts.
 */
export const AVERAGE_TERMS = 128;

/**
 * Returns the passage's half of BM25, the saturated frequency of each term; the server multiplies
 * by the inverse document frequency that it knows (`modifier: idf`), and the dot product with the
 * query's vector is the score. Robertson and Zaragoza, "BM25 and Beyond", 2009.
 */
export function passageVector(terms: readonly string[]): SparseVector {
  const norm = K1 * (1 - B + (B * terms.length) / AVERAGE_TERMS);
  const counts = terms.map((term) => [term, 1] as const);
  return sparse(counts, (count) => (count * (K1 + 1)) / (count + norm));
}

/** Returns the query's half: how often each term was asked for. */
export function queryVector(terms: readonly string[]): SparseVector {
  return sparse([...queryWeights(terms)], (weight) => weight);
}

function sparse(
  weights: readonly (readonly [term: string, weight: number])[],
  weigh: (sum: number) => number,
): SparseVector {
  const byId = new Map<number, number>();
  for (const [term, weight] of weights)
    byId.set(termId(term), (byId.get(termId(term)) ?? 0) + weight);
  const entries = [...byId].sort(([a], [b]) => a - b);
  return { indices: entries.map(([id]) => id), values: entries.map(([, sum]) => weigh(sum)) };
}

/**
 * Returns a term as a 32-bit index: FNV-1a with the final mix of MurmurHash3, so that like words do
 * not fall together. In a vocabulary of a million terms about a hundred pairs share an index, which
 * costs less than keeping a dictionary beside the collection.
 */
export function termId(term: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(term, "utf8")) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
