/** BM25 of all passages that hold one of some terms, summed up term by term from what the index knows of each. */
import { bm25Gain, bm25Norm, inverseFrequency } from "../lexical-ranking.js";
import type { KeywordIndex } from "./keyword-index.js";

export interface ScoredRow {
  /** Row id of the passage. */
  row: number;
  /** BM25 or of its size, higher is better. */
  score: number;
}

/** Passages that were found, to be looked at from the best on. */
export interface ScoredPassages {
  readonly found: number;
  /** Best first; the lower row first where scores are the same. */
  best(limit: number): ScoredRow[];
}

/**
 * Scores passages and lets `look` look at them; afterwards they are gone, since all searches use the same board.
 * @param weights how much each term counts
 */
export function scorePassages<T>(
  index: KeywordIndex,
  weights: ReadonlyMap<string, number>,
  look: (passages: ScoredPassages) => T,
): T {
  const { lengths, scores } = index.board();
  const rows: number[] = [];
  try {
    for (const [term, weight] of weights) {
      const occurrences = index.occurrences(term);
      const gain = bm25Gain(weight, inverseFrequency(index, term));
      for (let at = 0; at < occurrences.length;) {
        const row = occurrences[at] ?? 0;
        const first = at;
        do at++;
        while (occurrences[at] === row);
        // Another process stored it since the board was made: the next search finds it.
        if (row >= scores.length) break;
        const count = at - first;
        const known = scores[row] ?? 0;
        if (known === 0) rows.push(row);
        scores[row] =
          known + (gain * count) / (count + bm25Norm(lengths[row] ?? 0, index.averageLength));
      }
    }
    return look({ found: rows.length, best: (limit) => bestOf(rows, scores, limit) });
  } finally {
    for (const row of rows) scores[row] = 0;
  }
}

/** Beyond this, sorting all costs less than keeping the best in order. */
const FEW = 500;

function bestOf(rows: readonly number[], scores: Float64Array, limit: number): ScoredRow[] {
  const scored = (row: number): ScoredRow => ({ row, score: scores[row] ?? 0 });
  if (limit > FEW || limit >= rows.length) return rows.map(scored).sort(byScore).slice(0, limit);
  const best: ScoredRow[] = [];
  let least = -1;
  for (const row of rows) {
    const score = scores[row] ?? 0;
    if (score < least) continue;
    const next = { row, score };
    let at = best.length;
    for (; at > 0; at--) {
      const before = best[at - 1];
      if (before === undefined || byScore(before, next) <= 0) break;
    }
    if (at >= limit) continue;
    best.splice(at, 0, next);
    if (best.length > limit) best.pop();
    if (best.length === limit) least = best[limit - 1]?.score ?? -1;
  }
  return best;
}

export function byScore(a: ScoredRow, b: ScoredRow): number {
  return b.score - a.score || a.row - b.row;
}
