/** Pseudo-relevance feedback: the terms of the best first hits that tell them from the rest of the collection. Pure. */
import {
  inverseFrequency,
  inverseOfFrequency,
  type CollectionStatistics,
} from "./lexical-ranking.js";

/** How many of the first hits speak. */
export const FEEDBACK_PASSAGES = 10;
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
  ranked: readonly { terms: readonly string[]; score: number }[],
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
function weightiest(
  likely: readonly (readonly [string, number])[],
  statistics: CollectionStatistics,
): { term: string; weight: number }[] {
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
