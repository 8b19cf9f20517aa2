/** Merging of ranked lists whose scores cannot be compared. */
import type { Score } from "../state/evidence.js";
import type { Hit } from "./knowledge-base.js";

/** The constant of Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet", SIGIR 2009. */
export const RRF_K = 60;

/** Anything that a search found, with its scores. */
interface Scored {
  scores: Score[];
}

/**
 * Reciprocal rank fusion: each list gives `1 / (k + rank)` to what it holds, ranks from 1. The fused score comes first in a hit's scores,
 * the scores of its legs follow; a hit keeps the best score of each kind. Ties keep the order of the first list that has them.
 * @param lists each best first
 */
export function reciprocalRankFusion(lists: readonly (readonly Hit[])[], k = RRF_K): Hit[] {
  return fuseByRank(lists, ({ passage }) => passage.id, k);
}

/** The same for anything that can be told apart by a key. */
export function fuseByRank<T extends Scored>(
  lists: readonly (readonly T[])[],
  keyOf: (found: T) => string | number,
  k = RRF_K,
): T[] {
  const fused = new Map<string | number, { found: T; value: number }>();
  for (const list of lists) {
    const seen = new Set<string | number>();
    list.forEach((found, index) => {
      const key = keyOf(found);
      if (seen.has(key)) return;
      seen.add(key);
      const entry = fused.get(key);
      const share = 1 / (k + index + 1);
      if (entry === undefined) fused.set(key, { found, value: share });
      else {
        fused.set(key, {
          found: { ...entry.found, scores: mergeScores(entry.found.scores, found.scores) },
          value: entry.value + share,
        });
      }
    });
  }
  return [...fused.values()]
    .sort((a, b) => b.value - a.value)
    .map(({ found, value }) => ({
      ...found,
      scores: [
        { value, scale: "fusion" as const, by: "rrf" },
        ...found.scores.filter((score) => score.scale !== "fusion"),
      ],
    }));
}

/**
 * Merges lists of one kind of search by best score of their first score's scale (HyDE: several texts, one vector search each).
 * @throws TypeError when the lists are ordered by unlike scales
 */
export function mergeByBestScore(lists: readonly (readonly Hit[])[]): Hit[] {
  return mergeByBest(lists, ({ passage }) => passage.id);
}

/** The same for anything that can be told apart by a key. */
export function mergeByBest<T extends Scored>(
  lists: readonly (readonly T[])[],
  keyOf: (found: T) => string | number,
): T[] {
  const best = new Map<string | number, T>();
  const scales = new Set(lists.flatMap((list) => list.map(({ scores }) => scores[0]?.scale)));
  if (scales.size > 1)
    throw new TypeError(`scores of unlike scales cannot be compared: ${[...scales].join(", ")}`);
  for (const found of lists.flat()) {
    const known = best.get(keyOf(found));
    if (known === undefined || firstValue(found) > firstValue(known)) best.set(keyOf(found), found);
  }
  return [...best.values()].sort((a, b) => firstValue(b) - firstValue(a));
}

function firstValue({ scores }: Scored): number {
  return scores[0]?.value ?? 0;
}

function mergeScores(left: readonly Score[], right: readonly Score[]): Score[] {
  const merged = [...left];
  for (const score of right) {
    const index = merged.findIndex((known) => known.scale === score.scale && known.by === score.by);
    const known = merged[index];
    if (known === undefined) merged.push(score);
    else if (score.value > known.value) merged[index] = score;
  }
  return merged;
}
