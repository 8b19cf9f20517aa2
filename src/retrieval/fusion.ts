/** Merging of ranked lists whose scores cannot be compared. */
import type { Score } from "../state/evidence.js";
import type { Hit } from "./knowledge-base.js";

/** The constant of Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet", SIGIR 2009. */
export const RRF_K = 60;

/**
 * Reciprocal rank fusion: each list gives `1 / (k + rank)` to what it holds, ranks from 1. The fused score comes first in a hit's scores,
 * the scores of its legs follow; a hit keeps the best score of each kind. Ties keep the order of the first list that has them.
 * @param lists each best first
 */
export function reciprocalRankFusion(lists: readonly (readonly Hit[])[], k = RRF_K): Hit[] {
  const fused = new Map<string, { hit: Hit; value: number }>();
  for (const list of lists) {
    const seen = new Set<string>();
    list.forEach((hit, index) => {
      const { id } = hit.passage;
      if (seen.has(id)) return;
      seen.add(id);
      const entry = fused.get(id);
      const share = 1 / (k + index + 1);
      if (entry === undefined) fused.set(id, { hit, value: share });
      else fused.set(id, { hit: { ...entry.hit, scores: mergeScores(entry.hit.scores, hit.scores) }, value: entry.value + share });
    });
  }
  return [...fused.values()]
    .sort((a, b) => b.value - a.value)
    .map(({ hit, value }) => ({
      ...hit,
      scores: [{ value, scale: "fusion" as const, by: "rrf" }, ...hit.scores.filter((score) => score.scale !== "fusion")],
    }));
}

/**
 * Merges lists of one kind of search by best score of their first score's scale (HyDE: several texts, one vector search each).
 * @throws TypeError when the lists are ordered by unlike scales
 */
export function mergeByBestScore(lists: readonly (readonly Hit[])[]): Hit[] {
  const best = new Map<string, Hit>();
  const scales = new Set(lists.flatMap((list) => list.map((hit) => hit.scores[0]?.scale)));
  if (scales.size > 1) throw new TypeError(`scores of unlike scales cannot be compared: ${[...scales].join(", ")}`);
  for (const hit of lists.flat()) {
    const known = best.get(hit.passage.id);
    if (known === undefined || firstValue(hit) > firstValue(known)) best.set(hit.passage.id, hit);
  }
  return [...best.values()].sort((a, b) => firstValue(b) - firstValue(a));
}

function firstValue(hit: Hit): number {
  return hit.scores[0]?.value ?? 0;
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
