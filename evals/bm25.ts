/** Okapi BM25 (Robertson and Zaragoza 2009) over a list of texts held in memory: which passages a labelled question would be asked of. */

export interface Bm25Options {
  /** How soon a term that comes again counts no more. */
  k1: number;
  /** How much the length of a text counts, 0–1. */
  b: number;
}

/**
 * Indexes texts, given as their terms, for search by terms.
 * @returns a search that gives the positions of the best texts, best first, those without any of the terms left out
 */
export function createBm25(
  texts: readonly (readonly string[])[],
  { k1, b }: Bm25Options,
): (terms: readonly string[], limit: number) => number[] {
  const average = texts.reduce((sum, terms) => sum + terms.length, 0) / Math.max(1, texts.length);
  const postings = new Map<string, Map<number, number>>();
  for (const [index, terms] of texts.entries()) {
    for (const term of terms) {
      const list = postings.get(term) ?? new Map<number, number>();
      postings.set(term, list.set(index, (list.get(index) ?? 0) + 1));
    }
  }
  return (terms, limit) => {
    const scores = new Map<number, number>();
    for (const term of new Set(terms)) {
      const list = postings.get(term) ?? new Map<number, number>();
      const weight = Math.log(1 + (texts.length - list.size + 0.5) / (list.size + 0.5));
      for (const [index, count] of list) {
        const length = texts[index]?.length ?? 0;
        const score = (weight * count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / average));
        scores.set(index, (scores.get(index) ?? 0) + score);
      }
    }
    return [...scores]
      .sort((left, right) => right[1] - left[1])
      .slice(0, limit)
      .map(([index]) => index);
  };
}
