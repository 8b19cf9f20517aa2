/**
 * Ranking of candidate passages by their terms: BM25 with weighted query terms, nearness of query terms to each other, and expansion with
 * terms of the best first hits. Pure; what it needs to know of the collection is passed in.
 */

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

/** The terms of a passage in reading order, those of title and headings first. */
export type PassageTerms = readonly string[];

/** The parameters of SQLite's `bm25()`, so that scores made here and there agree. */
const K1 = 1.2;
const B = 0.75;

/** BM25's inverse document frequency as SQLite computes it: never below a millionth, even for terms in most passages. */
export function inverseFrequency(statistics: CollectionStatistics, term: string): number {
  return inverseOfFrequency(statistics.passages, statistics.frequency(term));
}

function inverseOfFrequency(passages: number, frequency: number): number {
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
): (passage: PassageTerms) => number {
  const places = new Map([...weights.keys()].map((term, place) => [term, place]));
  const gains = Float64Array.from([...weights], ([term, weight]) => bm25Gain(weight, inverse.get(term) ?? 0));
  const counts = new Uint32Array(gains.length);
  return (passage) => {
    counts.fill(0);
    for (const term of passage) {
      const place = places.get(term);
      if (place !== undefined) counts[place] = (counts[place] ?? 0) + 1;
    }
    const norm = bm25Norm(passage.length, averageLength);
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
): (passage: PassageTerms) => number {
  const places = new Map([...new Set(query.slice(0, MAX_PAIRS + 1))].map((term, place) => [term, place]));
  const positions = Array.from(places, (): number[] => []);
  const pairs = pairsOf(query, inverse, places);
  if (pairs.length === 0) return () => 0;
  return (passage) => {
    for (const each of positions) each.length = 0;
    for (let position = 0; position < passage.length; position++) {
      const known = positions[places.get(passage[position] ?? "") ?? -1];
      if (known !== undefined && known.length < MAX_POSITIONS) known.push(position);
    }
    const norm = bm25Norm(passage.length, averageLength);
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

function pairsOf(query: readonly string[], inverse: ReadonlyMap<string, number>, places: ReadonlyMap<string, number>): Pair[] {
  return query.slice(0, MAX_PAIRS).flatMap((first, index) => {
    const second = query[index + 1];
    const [left, right] = [places.get(first), places.get(second ?? "")];
    if (second === undefined || left === undefined || right === undefined || left === right) return [];
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

const FEEDBACK_PASSAGES = 10;
const EXPANSION_TERMS = 50;
/** A term in a larger share of the passages tells nothing apart. */
const MAX_SHARE = 0.1;

/**
 * The terms that mark the best first hits, with weights that sum to 1: a relevance model (Lavrenko and Croft 2001; RM3 of Abdul-Jaleel et
 * al. 2004) times inverse document frequency. Hits weigh by the exponential of their score, so where one stands out it speaks alone, and
 * where many are alike they speak together: that is what keeps expansion from harming a question that was answered by its first hit.
 * @param ranked best first, with scores of BM25's size
 */
export function expansionTerms(
  ranked: readonly { terms: PassageTerms; score: number }[],
  statistics: CollectionStatistics,
): { term: string; weight: number }[] {
  const best = ranked.slice(0, FEEDBACK_PASSAGES).filter(({ terms }) => terms.length > 0);
  const highest = best[0]?.score ?? 0;
  const shares = best.map(({ score }) => Math.exp(score - highest));
  const total = shares.reduce((sum, share) => sum + share, 0);
  const model = new Map<string, number>();
  best.forEach(({ terms }, index) => {
    const each = (shares[index] ?? 0) / total / terms.length;
    for (const term of terms) model.set(term, (model.get(term) ?? 0) + each);
  });
  const likely = greatest(model, EXPANSION_TERMS * 4);
  const weighted = weightiest(
    likely.filter(([term]) => term.length > 2),
    statistics,
  );
  const sum = weighted.reduce((all, { weight }) => all + weight, 0);
  return weighted.map(({ term, weight }) => ({ term, weight: weight / sum }));
}

/** The terms of the greatest shares, the greatest first. Most of the others are left out before they are sorted. */
function greatest(model: ReadonlyMap<string, number>, count: number): [string, number][] {
  const shares = Float64Array.from(model.values()).sort();
  const least = shares[shares.length - count] ?? 0;
  return [...model]
    .filter(([, share]) => share >= least)
    .sort((a, b) => b[1] - a[1])
    .slice(0, count);
}

/** Frequencies are looked up for so many terms at a time. */
const AT_ONCE = 50;

/**
 * The terms of the greatest shares times inverse document frequency. Looking up frequencies costs most of an expansion, so a term is looked up
 * only while it could still win, were it as rare as can be.
 * @param likely the greatest share first
 */
function weightiest(likely: readonly (readonly [string, number])[], statistics: CollectionStatistics): { term: string; weight: number }[] {
  const limit = Math.max(2, statistics.passages * MAX_SHARE);
  const rarest = inverseOfFrequency(statistics.passages, 2);
  let best: { term: string; weight: number }[] = [];
  for (let from = 0; from < likely.length; from += AT_ONCE) {
    const least = best[EXPANSION_TERMS - 1]?.weight ?? 0;
    const next = likely.slice(from, from + AT_ONCE).filter(([, share]) => share * rarest > least);
    statistics.prepare?.(next.map(([term]) => term));
    const weighted = next
      .filter(([term]) => statistics.frequency(term) > 1 && statistics.frequency(term) <= limit)
      .map(([term, share]) => ({ term, weight: share * inverseFrequency(statistics, term) }));
    best = [...best, ...weighted].sort((a, b) => b.weight - a.weight).slice(0, EXPANSION_TERMS);
  }
  return best;
}
