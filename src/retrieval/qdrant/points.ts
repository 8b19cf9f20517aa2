/** Passages and documents as points: ids, payloads, sparse vectors. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { queryWeights } from "../indexed-text.js";
import {
  DocumentRecordSchema,
  PassageSchema,
  type DocumentRecord,
  type Passage,
} from "../knowledge-base.js";
import { filterFactsOf } from "../../state/metadata.js";
import { foldersOf } from "../search-filter.js";

export const DENSE = "dense";
export const SPARSE = "bm25";

export type PointType = "passage" | "document" | "collection";

/** Fields used by filters; without an index a filter scans the collection. */
export const PAYLOAD_INDEXES = {
  type: "keyword",
  pending: "bool",
  path: "keyword",
  folders: "keyword",
  "facts[].key": "keyword",
  "facts[].text": "keyword",
  "facts[].number": "float",
  "facts[].instant": "float",
} as const;

/** @param pending the passage has no vector yet */
export function passagePayload(
  passage: Passage,
  position: number,
  pending: boolean,
): Record<string, unknown> {
  const folders = foldersOf(passage.path);
  const facts = filterFactsOf(passage);
  return { type: "passage", ...passage, position, folders, facts, ...(pending && { pending }) };
}

export function documentPayload(record: DocumentRecord): Record<string, unknown> {
  const folders = foldersOf(record.path);
  return { type: "document", ...record, folders, facts: filterFactsOf(record) };
}

const StoredPassage = PassageSchema.extend({ position: z.number() });

/** Returns undefined for a foreign point. */
export function readPassage(payload: unknown): { passage: Passage; position: number } | undefined {
  const parsed = StoredPassage.safeParse(payload);
  if (!parsed.success) return undefined;
  const { position, ...passage } = parsed.data;
  return { passage, position };
}

export function readDocument(payload: unknown): DocumentRecord | undefined {
  return DocumentRecordSchema.safeParse(payload).data;
}

/** Namespace of our ids: random, and fixed forever since every stored id depends on it. */
const NAMESPACE = Buffer.from("6f1c8d0e9a5b4c3f8e2d7b1a40c96e55", "hex");

/** Makes a UUID version 5 (RFC 9562, 5.5), since Qdrant accepts only UUIDs and integers. */
export function pointId(...parts: readonly string[]): string {
  const digest = createHash("sha1").update(NAMESPACE).update(JSON.stringify(parts)).digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const at = (start: number, end: number): string => digest.toString("hex", start, end);
  return [at(0, 4), at(4, 6), at(6, 8), at(8, 10), at(10, 16)].join("-");
}

/** Covers all that shapes the vectors: an unchanged passage is not embedded again. */
export function passagePointId({ path, id, title, heading = "", text }: Passage): string {
  return pointId("passage", path, id, title, heading, text);
}

export function documentPointId(path: string): string {
  return pointId("document", path);
}

/** A sparse vector: unique ascending indices, one value for each. */
interface SparseVector {
  indices: number[];
  values: number[];
}

/** BM25's saturation and length normalization, as in SQLite's FTS5. */
const K1 = 1.2;
const B = 0.75;
/** Assumed average number of terms, since stored vectors cannot follow the true average. */
export const AVERAGE_TERMS = 128;

/**
 * Returns a passage's half of BM25, the saturated term frequencies; the server multiplies them by
 * the inverse document frequencies (`modifier: idf`) and the query's vector. Robertson and
 * Zaragoza, "BM25 and Beyond", 2009.
 */
export function passageVector(terms: readonly string[]): SparseVector {
  const norm = K1 * (1 - B + (B * terms.length) / AVERAGE_TERMS);
  const counts = terms.map((term) => [term, 1] as const);
  return sparse(counts, (count) => (count * (K1 + 1)) / (count + norm));
}

/** Returns the query's half: the weight of each term. */
export function queryVector(terms: readonly string[]): SparseVector {
  return sparse([...queryWeights(terms)], (weight) => weight);
}

function sparse(
  weights: readonly (readonly [term: string, weight: number])[],
  weigh: (sum: number) => number,
): SparseVector {
  const byId = new Map<number, number>();
  for (const [term, weight] of weights) {
    const id = termId(term);
    byId.set(id, (byId.get(id) ?? 0) + weight);
  }
  const entries = [...byId].sort(([a], [b]) => a - b);
  return { indices: entries.map(([id]) => id), values: entries.map(([, sum]) => weigh(sum)) };
}

/**
 * Hashes a term to 32 bits. Of a million terms about a hundred pairs share an index, which costs
 * less than keeping a dictionary beside the collection.
 */
export function termId(term: string): number {
  return createHash("sha1").update(term).digest().readUInt32BE();
}
