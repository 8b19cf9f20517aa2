/**
 * Ranking of candidate passages by their terms: BM25 with weighted query terms, and nearness of query terms to each other. Pure; what it
 * needs to know of the collection is passed in.
 */
import { termScanner, type PassageTerms } from "./passage-terms.js";

/** Facts of the whole collection. */
export interface CollectionStatistics {
  passages: number;
  /** Mean length of a passage in terms. */
  averageLength: number;
  /** In how many passages a term occurs. */
  frequency(term: string): number;
  /** Says which terms will be asked for, where counting many together costs less. */
  prepare?(terms: readonly string[]): void;
}

/** Scores a passage by its terms. */
export type PassageScorer = (passage: PassageTerms) => number;

/** The parameters of SQLite's `bm25()`, so that scores made here and there agree. */
const K1 = 1.2;
const B = 0.75;

/** BM25's inverse document frequency as SQLite computes it: never below a millionth, even for terms in most passages. */
export function inverseFrequency(statistics: CollectionStatistics, term: string): number {
  return inverseOfFrequency(statistics.passages, statistics.frequency(term));
}

/** The same for a frequency. */
export function inverseOfFrequency(passages: number, frequency: number): number {
  const found = Math.min(frequency, passages);
  return Math.max(1e-6, Math.log((passages - found + 0.5) / (found + 0.5)));
}

/** Query terms with how often each was asked for; a word that is repeated is meant more. At most three times, against stuffing. */
export function queryWeights(terms: readonly string[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const term of terms) weights.set(term, Math.min(3, (weights.get(term) ?? 0) + 1));
  return weights;
}

/** What a term can give to BM25 at most. */
export function bm25Gain(weight: number, inverse: number): number {
  return weight * inverse * (K1 + 1);
}

/** BM25's part for a passage's length, in terms: a term that occurs `n` times gives `gain · n / (n + norm)`. */
export function bm25Norm(length: number, averageLength: number): number {
  return K1 * (1 - B + (B * length) / averageLength);
}

/**
 * BM25 (Robertson and Zaragoza 2009) for weighted query terms, made ready for many passages.
 * @param inverse each term's inverse document frequency
 */
export function bm25Scorer(
  weights: ReadonlyMap<string, number>,
  inverse: ReadonlyMap<string, number>,
  averageLength: number,
): PassageScorer {
  const scan = termScanner([...weights.keys()]);
  const gains = Float64Array.from([...weights], ([term, weight]) =>
    bm25Gain(weight, inverse.get(term) ?? 0),
  );
  const counts = new Uint32Array(gains.length);
  const count = (place: number): void => {
    counts[place] = (counts[place] ?? 0) + 1;
  };
  return (passage) => {
    counts.fill(0);
    scan(passage, count);
    const norm = bm25Norm(passage.sums.length, averageLength);
    let score = 0;
    for (let place = 0; place < counts.length; place++) {
      const count = counts[place] ?? 0;
      if (count > 0) score += ((gains[place] ?? 0) * count) / (count + norm);
    }
    return score;
  };
}

/** Terms this far apart no longer count as near. */
const WINDOW = 8;
/** Beyond these, neighbours in the query say little, and cost much. */
const MAX_PAIRS = 24;
const MAX_POSITIONS = 64;

/**
 * How near neighbouring query terms stand to each other in a passage, once more in their order: pairs in BM25's own form, after the
 * sequential dependence model (Metzler and Croft 2005) and BM25 with term proximity (Büttcher, Clarke and Lushman 2006). Made ready for
 * many passages.
 * @param query its terms in their order
 */
export function proximityScorer(
  query: readonly string[],
  inverse: ReadonlyMap<string, number>,
  averageLength: number,
): PassageScorer {
  const wanted = [...new Set(query.slice(0, MAX_PAIRS + 1))];
  const pairs = pairsOf(query, inverse, new Map(wanted.map((term, place) => [term, place])));
  if (pairs.length === 0) return () => 0;
  const scan = termScanner(wanted);
  const positions = wanted.map((): number[] => []);
  const note = (place: number, position: number): void => {
    const known = positions[place];
    if (known !== undefined && known.length < MAX_POSITIONS) known.push(position);
  };
  return (passage) => {
    for (const each of positions) each.length = 0;
    scan(passage, note);
    const norm = bm25Norm(passage.sums.length, averageLength);
    let score = 0;
    for (const { left, right, rarity } of pairs) {
      const nearness = nearnessOf(positions[left] ?? [], positions[right] ?? []);
      if (nearness > 0) score += (rarity * nearness * (K1 + 1)) / (nearness + norm);
    }
    return score;
  };
}

/** Neighbours in a query, by their places. */
interface Pair {
  left: number;
  right: number;
  rarity: number;
}

function pairsOf(
  query: readonly string[],
  inverse: ReadonlyMap<string, number>,
  places: ReadonlyMap<string, number>,
): Pair[] {
  return query.slice(0, MAX_PAIRS).flatMap((first, index) => {
    const second = query[index + 1];
    const [left, right] = [places.get(first), places.get(second ?? "")];
    if (second === undefined || left === undefined || right === undefined || left === right)
      return [];
    return [{ left, right, rarity: Math.min(inverse.get(first) ?? 0, inverse.get(second) ?? 0) }];
  });
}

function nearnessOf(left: readonly number[], right: readonly number[]): number {
  let nearness = 0;
  for (const first of left) {
    for (const second of right) {
      const distance = Math.abs(second - first);
      if (distance > 0 && distance < WINDOW) nearness += 1 / distance;
      if (second - first === 1) nearness += 1;
    }
  }
  return nearness;
}
