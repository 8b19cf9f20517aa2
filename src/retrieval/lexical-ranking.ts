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
}

/** The terms of a passage in reading order, those of title and headings first. */
export type PassageTerms = readonly string[];

/** The parameters of SQLite's `bm25()`, so that scores made here and there agree. */
const K1 = 1.2;
const B = 0.75;

/** BM25's inverse document frequency as SQLite computes it: never below a millionth, even for terms in most passages. */
export function inverseFrequency(statistics: CollectionStatistics, term: string): number {
  const found = Math.min(statistics.frequency(term), statistics.passages);
  return Math.max(1e-6, Math.log((statistics.passages - found + 0.5) / (found + 0.5)));
}

/** Query terms with how often each was asked for; a word that is repeated is meant more. At most three times, against stuffing. */
export function queryWeights(terms: readonly string[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const term of terms) weights.set(term, Math.min(3, (weights.get(term) ?? 0) + 1));
  return weights;
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
  const gains = Float64Array.from([...weights], ([term, weight]) => weight * (inverse.get(term) ?? 0) * (K1 + 1));
  const counts = new Uint32Array(gains.length);
  return (passage) => {
    counts.fill(0);
    for (const term of passage) {
      const place = places.get(term);
      if (place !== undefined) counts[place] = (counts[place] ?? 0) + 1;
    }
    const norm = K1 * (1 - B + (B * passage.length) / averageLength);
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
 * How near neighbouring query terms stand to each other in the passage, once more in their order: pairs in BM25's own form, after the
 * sequential dependence model (Metzler and Croft 2005) and BM25 with term proximity (Büttcher, Clarke and Lushman 2006).
 */
export function proximity(
  passage: PassageTerms,
  query: readonly string[],
  inverse: ReadonlyMap<string, number>,
  averageLength: number,
): number {
  if (query.length < 2) return 0;
  const positions = positionsOf(passage, new Set(query.slice(0, MAX_PAIRS + 1)));
  const norm = K1 * (1 - B + (B * passage.length) / averageLength);
  let score = 0;
  for (let index = 0; index + 1 < query.length && index < MAX_PAIRS; index++) {
    const [left = "", right = ""] = query.slice(index, index + 2);
    if (left === right) continue;
    let nearness = 0;
    for (const first of positions.get(left) ?? []) {
      for (const second of positions.get(right) ?? []) {
        const distance = Math.abs(second - first);
        if (distance > 0 && distance < WINDOW) nearness += 1 / distance;
        if (second - first === 1) nearness += 1;
      }
    }
    const rarity = Math.min(inverse.get(left) ?? 0, inverse.get(right) ?? 0);
    if (nearness > 0) score += (rarity * nearness * (K1 + 1)) / (nearness + norm);
  }
  return score;
}

function positionsOf(passage: PassageTerms, wanted: ReadonlySet<string>): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  passage.forEach((term, position) => {
    if (!wanted.has(term)) return;
    const known = positions.get(term);
    if (known === undefined) positions.set(term, [position]);
    else if (known.length < MAX_POSITIONS) known.push(position);
  });
  return positions;
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
  // Looking up frequencies costs most here, so only terms that may still win are looked up.
  const likely = [...model].sort((a, b) => b[1] - a[1]).slice(0, EXPANSION_TERMS * 4);
  const limit = Math.max(2, statistics.passages * MAX_SHARE);
  const weighted = likely
    .filter(([term]) => term.length > 2 && statistics.frequency(term) > 1 && statistics.frequency(term) <= limit)
    .map(([term, share]) => ({ term, weight: share * inverseFrequency(statistics, term) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, EXPANSION_TERMS);
  const sum = weighted.reduce((all, { weight }) => all + weight, 0);
  return weighted.map(({ term, weight }) => ({ term, weight: weight / sum }));
}
