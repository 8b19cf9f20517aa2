/**
 * BM25 as sparse vectors. The score of a passage is the dot product of its vector with the query's; the passage's vector holds the
 * saturated term frequency, and the server multiplies by the inverse document frequency that it knows (`modifier: idf`), so that the
 * rarity of a term follows the collection without anything being stored anew. Formula: Robertson and Zaragoza, "The Probabilistic
 * Relevance Framework: BM25 and Beyond", 2009.
 */

import { queryWeights } from "../indexed-text.js";

/** A sparse vector as Qdrant takes it: indices ascending and unique, one value for each. */
export interface SparseVector {
  indices: number[];
  values: number[];
}

/** Saturation and length normalisation, as in SQLite's FTS5, so that both stores rank alike. */
const K1 = 1.2;
const B = 0.75;
/**
 * Terms of a passage of average length. The true average changes with every document, but a stored vector cannot; being off by a factor of
 * two only shifts how strongly length counts.
 */
export const AVERAGE_TERMS = 128;

/** The vector of a passage with these terms. */
export function passageVector(terms: readonly string[]): SparseVector {
  const norm = K1 * (1 - B + (B * terms.length) / AVERAGE_TERMS);
  return sparse(countById(terms), (count) => (count * (K1 + 1)) / (count + norm));
}

/** The vector of a query whose terms count as given. */
export function weightedVector(weights: ReadonlyMap<string, number>): SparseVector {
  const byId = new Map<number, number>();
  for (const [term, weight] of weights)
    byId.set(termId(term), (byId.get(termId(term)) ?? 0) + weight);
  return sparse(byId, (weight) => weight);
}

/** The vector of a query; a word that is repeated is meant more, at most three times, as in the SQLite store. */
export function queryVector(terms: readonly string[]): SparseVector {
  return weightedVector(queryWeights(terms));
}

function countById(terms: readonly string[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const term of terms) {
    const id = termId(term);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

function sparse(
  counts: ReadonlyMap<number, number>,
  weigh: (count: number) => number,
): SparseVector {
  const entries = [...counts].sort(([a], [b]) => a - b);
  return { indices: entries.map(([id]) => id), values: entries.map(([, count]) => weigh(count)) };
}

/**
 * A term as a 32-bit index: FNV-1a with the final mix of MurmurHash3, so that like words do not fall together. In a vocabulary of a million
 * terms about a hundred pairs share an index, which costs less than keeping a dictionary beside the collection.
 */
export function termId(term: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(term, "utf8")) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
