/** Merging of ranked lists whose scores cannot be compared as they stand, and cosines. */
import type { Score } from "../state/evidence.js";
import type { Hit, Vector } from "./knowledge-base.js";

/** What a leg found: enough to fuse it. A store reads the passages that are kept afterwards. */
export interface Candidate extends Omit<Hit, "passage"> {
  passage: { id: string };
}

/**
 * Share of the vectors in a hybrid search, chosen on nfcorpus, cacm, NQ and SQuAD 2. nDCG@10 with
 * keywords alone: .300, .497, .922, .894; vectors alone: .305, .424, .974, .779; reciprocal ranks:
 * .334, .539, .951, .869; this: .341, .582, .966, .901.
 */
const COSINE_SHARE = 0.6;

/** Candidates of each leg: a passage that is weak in one leg can still be lifted by the other. */
export const CANDIDATES_PER_LEG = 100;

/**
 * Fuses the two legs of a hybrid search: BM25 as a share of the best one's, and the cosine. The
 * fused score comes first in a hit's scores, those of its legs follow.
 * @param keyword found by keywords, best first
 * @param near found by vectors, best first
 * @param queries the vectors that were searched with
 * @param model the embedding model
 */
export function fuseLegs<C extends Candidate>(
  keyword: readonly C[],
  near: readonly C[],
  queries: readonly Float32Array[],
  model: string,
): C[] {
  const cosines = new Map(near.map((hit) => [hit.passage.id, firstValue(hit)]));
  const byWords = keyword.map((hit): C => {
    const cosine = cosines.get(hit.passage.id) ?? bestCosine(queries, hit.vector);
    if (cosine === undefined) return hit;
    cosines.set(hit.passage.id, cosine);
    return { ...hit, scores: [...hit.scores, cosineScore(cosine, model)] };
  });
  const best = keyword[0] === undefined ? 0 : firstValue(keyword[0]);
  const known = keyword.flatMap((hit) => cosines.get(hit.passage.id) ?? []);
  // What has no vector yet is taken for as near as its neighbors, so that words find it at once.
  const usual = known.reduce((sum, cosine) => sum + cosine, 0) / Math.max(1, known.length);
  const found = once([...byWords, ...near]).map((hit) => {
    const bm25 = hit.scores.find(({ scale }) => scale === "bm25")?.value ?? 0;
    const words = best > 0 ? bm25 / best : 0;
    const cosine = cosines.get(hit.passage.id) ?? usual;
    return withFusion(hit, (1 - COSINE_SHARE) * words + COSINE_SHARE * cosine, "sum");
  });
  return bestFirst(found);
}

/** Keeps the first hit of each passage. */
function once<C extends Candidate>(hits: readonly C[]): C[] {
  const seen = new Set<string>();
  return hits.filter(({ passage: { id } }) => !seen.has(id) && seen.add(id));
}

/** Orders hits of one scale. */
export function bestFirst<C extends Candidate>(hits: readonly C[]): C[] {
  return hits.toSorted((a, b) => firstValue(b) - firstValue(a));
}

/** The constant of Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion", SIGIR 2009. */
const RRF_K = 60;

/**
 * Merges lists by rank, since scores of unlike searches, or for different queries, cannot be
 * compared. An item keeps the best score of each kind; ties keep the order of the first list.
 * @param lists each best first
 */
export function mergeByRank<T extends { scores: Score[] }>(
  lists: readonly (readonly T[])[],
  keyOf: (found: T) => string,
): { item: T; value: number }[] {
  const merged = new Map<string, { item: T; value: number }>();
  for (const list of lists) {
    const once = new Map(list.toReversed().map((each) => [keyOf(each), each]));
    const unlike = list.filter((each) => once.get(keyOf(each)) === each);
    unlike.forEach((each, rank) => {
      const { item, value } = merged.get(keyOf(each)) ?? { item: each, value: 0 };
      const scores = item === each ? each.scores : bestOf([...item.scores, ...each.scores]);
      merged.set(keyOf(each), { item: { ...item, scores }, value: value + 1 / (RRF_K + rank + 1) });
    });
  }
  return [...merged.values()].sort((a, b) => b.value - a.value);
}

/** Merges the hits of several queries by rank. */
export function reciprocalRankFusion(lists: readonly (readonly Hit[])[]): Hit[] {
  return mergeByRank(lists, ({ passage }) => passage.id).map(({ item, value }) =>
    withFusion(item, value, "rrf"),
  );
}

/** Merges lists of one kind of search by their best scores (HyDE: a vector search for each text). */
export function mergeByBest<C extends Candidate>(lists: readonly (readonly C[])[]): C[] {
  return once(bestFirst(lists.flat()));
}

function withFusion<C extends Candidate>(hit: C, value: number, by: string): C {
  const others = hit.scores.filter(({ scale }) => scale !== "fusion");
  return { ...hit, scores: [{ value, scale: "fusion", by }, ...others] };
}

function firstValue({ scores }: Candidate): number {
  return scores[0]?.value ?? -Infinity;
}

/** The best score of each kind. */
function bestOf(scores: readonly Score[]): Score[] {
  const best = new Map<string, Score>();
  for (const score of scores) {
    const key = `${score.scale}/${score.by}`;
    if (score.value > (best.get(key)?.value ?? -Infinity)) best.set(key, score);
  }
  return [...best.values()];
}

/** Opposite directions are as irrelevant as unrelated ones. */
export function cosineScore(cosine: number, by: string): Score {
  return { value: Math.min(1, Math.max(0, cosine)), scale: "cosine", by };
}

/** The cosine with the nearest of the queries; all vectors are of length 1. */
function bestCosine(
  queries: readonly Float32Array[],
  vector: Float32Array | undefined,
): number | undefined {
  return vector && Math.max(0, ...queries.map((query) => dot(query, vector)));
}

/** Returns the dot product: the cosine of two vectors of length 1. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

/** Returns the vector at length 1; the zero vector stays. */
export function normalized(vector: Vector): Float32Array {
  const floats = Float32Array.from(vector);
  const length = Math.sqrt(dot(floats, floats));
  return length > 0 ? floats.map((value) => value / length) : floats;
}
