/** Merging of ranked lists whose scores cannot be compared as they stand. */
import type { Score } from "../state/evidence.js";
import type { Hit } from "./knowledge-base.js";

/** Anything that a search found, with its scores. */
interface Scored {
  scores: Score[];
}

/**
 * Share of the vectors in a hybrid search, chosen on nfcorpus, cacm, NQ and SQuAD 2. nDCG@10 with
 * keywords alone: .300, .497, .922, .894; vectors alone: .305, .424, .974, .779; reciprocal ranks:
 * .334, .539, .951, .869; this: .341, .582, .966, .901.
 */
const COSINE_SHARE = 0.6;

/**
 * Fuses the two legs of a hybrid search: BM25 as a share of the best one's, and the cosine. The
 * fused score comes first in a hit's scores, those of its legs follow.
 * @param keyword found by keywords, best first, BM25 as first score
 * @param cosineOf cosines of whatever either leg found; undefined where a passage has no vector yet
 */
export function fuseLegs<T extends Scored>(
  keyword: readonly T[],
  vector: readonly T[],
  {
    keyOf,
    cosineOf,
  }: { keyOf: (found: T) => string | number; cosineOf: (found: T) => number | undefined },
): T[] {
  const best = keyword[0]?.scores[0]?.value ?? 0;
  const known = keyword.map(cosineOf).filter((cosine) => cosine !== undefined);
  // What has no vector yet is taken for as near as its neighbors, so that words find it at once.
  const usual = known.reduce((sum, cosine) => sum + cosine, 0) / Math.max(1, known.length);
  const found = new Map(keyword.map((each) => [keyOf(each), each]));
  for (const each of vector) if (!found.has(keyOf(each))) found.set(keyOf(each), each);
  return [...found.values()]
    .map((each) => {
      const bm25 = each.scores.find(({ scale }) => scale === "bm25")?.value ?? 0;
      const words = best > 0 ? bm25 / best : 0;
      const cosine = cosineOf(each) ?? usual;
      return withFusion(each, (1 - COSINE_SHARE) * words + COSINE_SHARE * cosine, "sum");
    })
    .sort((a, b) => firstValue(b) - firstValue(a));
}

/** The constant of Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet", SIGIR 2009. */
export const RRF_K = 60;

/**
 * Merges the hits of several queries by rank, since scores for different queries say nothing of
 * each other. A hit keeps the best score of each kind; ties keep the order of the first list.
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
      const known = fused.get(id);
      const scores = known === undefined ? hit.scores : mergeScores(known.hit.scores, hit.scores);
      fused.set(id, {
        hit: { ...hit, ...known?.hit, scores },
        value: (known?.value ?? 0) + 1 / (k + index + 1),
      });
    });
  }
  return [...fused.values()]
    .sort((a, b) => b.value - a.value)
    .map(({ hit, value }) => withFusion(hit, value, "rrf"));
}

function withFusion<T extends Scored>(found: T, value: number, by: string): T {
  const others = found.scores.filter(({ scale }) => scale !== "fusion");
  return { ...found, scores: [{ value, scale: "fusion", by }, ...others] };
}

/**
 * Merges lists of one kind of search by the best score of their first score's scale (HyDE: several
 * texts, one vector search each).
 * @throws TypeError when the lists are ordered by unlike scales
 */
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
  return scores[0]?.value ?? -Infinity;
}

function mergeScores(left: readonly Score[], right: readonly Score[]): Score[] {
  const best = new Map<string, Score>();
  for (const score of [...left, ...right]) {
    const key = `${score.scale}/${score.by}`;
    if (score.value > (best.get(key)?.value ?? -Infinity)) best.set(key, score);
  }
  return [...best.values()];
}
