/** Merges ranked lists, whose scores may not be comparable, and drops near-duplicates. */
import type { Score } from "../state/evidence.js";
import { dot, hybridScore } from "../reader/embedder.js";
import type { Hit } from "./knowledge-base.js";
import { wordsOf } from "../text/words.js";

/** A hit before its passage is read, which happens after fusion. */
export interface Candidate extends Omit<Hit, "passage"> {
  passage: { id: string };
}

/** Deep enough for a passage that is weak in one leg to be lifted by the other. */
export const CANDIDATES_PER_LEG = 100;

/**
 * Fuses the legs of a hybrid search, each best first: BM25 as a share of the highest, plus the
 * cosine. The fused score comes first in a hit's scores, followed by those of its legs.
 * @param queries the vectors searched with, made by `model`
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
  // A passage without a vector yet counts as near as the others, so that words find it at once.
  const usual = known.reduce((sum, cosine) => sum + cosine, 0) / Math.max(1, known.length);
  const found = withoutRepeats([...byWords, ...near], idOf).map((hit) => {
    const bm25 = hit.scores.find(({ scale }) => scale === "bm25")?.value ?? 0;
    const words = best > 0 ? bm25 / best : 0;
    const cosine = cosines.get(hit.passage.id) ?? usual;
    return withFusion(hit, hybridScore(words, cosine), "sum");
  });
  return bestFirst(found);
}

/** Keeps the first item of each key. */
function withoutRepeats<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const seen = new Set<string>();
  return items.filter((item) => !seen.has(keyOf(item)) && seen.add(keyOf(item)));
}

function idOf({ passage }: Candidate): string {
  return passage.id;
}

/** Sorts hits of one scale. */
export function bestFirst<C extends Candidate>(hits: readonly C[]): C[] {
  return hits.toSorted((a, b) => firstValue(b) - firstValue(a));
}

/** The constant of Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion", SIGIR 2009. */
const RRF_K = 60;

/**
 * Merges lists, each best first, by rank, since scores of different searches or queries are not
 * comparable. An item keeps its best score of each kind; ties keep the order of the first list.
 */
export function mergeByRank<T extends { scores: Score[] }>(
  lists: readonly (readonly T[])[],
  keyOf: (found: T) => string,
): { item: T; value: number }[] {
  const merged = new Map<string, { item: T; value: number }>();
  for (const list of lists) {
    withoutRepeats(list, keyOf).forEach((each, rank) => {
      const { item, value } = merged.get(keyOf(each)) ?? { item: each, value: 0 };
      const scores = item === each ? each.scores : bestOf([...item.scores, ...each.scores]);
      merged.set(keyOf(each), { item: { ...item, scores }, value: value + 1 / (RRF_K + rank + 1) });
    });
  }
  return [...merged.values()].sort((a, b) => b.value - a.value);
}

export function reciprocalRankFusion(lists: readonly (readonly Hit[])[]): Hit[] {
  return mergeByRank(lists, idOf).map(({ item, value }) => withFusion(item, value, "rrf"));
}

/** Merges results of one kind of search by their best scores. */
export function mergeByBest<C extends Candidate>(lists: readonly (readonly C[])[]): C[] {
  return withoutRepeats(bestFirst(lists.flat()), idOf);
}

function withFusion<C extends Candidate>(hit: C, value: number, by: string): C {
  const others = hit.scores.filter(({ scale }) => scale !== "fusion");
  return { ...hit, scores: [{ value, scale: "fusion", by }, ...others] };
}

function firstValue({ scores }: Candidate): number {
  return scores[0]?.value ?? -Infinity;
}

/** Keeps the best score of each kind. */
function bestOf(scores: readonly Score[]): Score[] {
  const best = new Map<string, Score>();
  for (const score of scores) {
    const key = `${score.scale}/${score.by}`;
    if (score.value > (best.get(key)?.value ?? -Infinity)) best.set(key, score);
  }
  return [...best.values()];
}

/** Negative cosines count as 0: as irrelevant as unrelated texts. */
export function cosineScore(cosine: number, by: string): Score {
  return { value: Math.min(1, Math.max(0, cosine)), scale: "cosine", by };
}

/** Returns the cosine with the nearest query; all vectors have length 1. */
function bestCosine(
  queries: readonly Float32Array[],
  vector: Float32Array | undefined,
): number | undefined {
  return vector && Math.max(0, ...queries.map((query) => dot(query, vector)));
}

/** Words in a shingle; shorter texts are compared as a whole. */
const SHINGLE_WORDS = 4;
/** Jaccard similarity of shingles from which two texts count as duplicates. */
const DUPLICATE_FROM = 0.8;

/**
 * Makes a filter that drops near-duplicates of earlier texts, regardless of case, punctuation and
 * white space. Texts without words always pass.
 * @example texts.filter(newTexts())
 */
export function newTexts(): (text: string) => boolean {
  const known: ReadonlySet<string>[] = [];
  return (text) => {
    const shingles = shinglesOf(text);
    if (known.some((each) => isSimilar(each, shingles))) return false;
    if (shingles.size > 0) known.push(shingles);
    return true;
  };
}

function shinglesOf(text: string): ReadonlySet<string> {
  const words = wordsOf(text.toLowerCase());
  const last = Math.max(1, words.length - SHINGLE_WORDS + 1);
  return new Set(
    words.slice(0, last).map((_, at) => words.slice(at, at + SHINGLE_WORDS).join(" ")),
  );
}

function isSimilar(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  const [fewer, more] = left.size < right.size ? [left, right] : [right, left];
  // Too different in size to share enough.
  if (fewer.size < DUPLICATE_FROM * more.size) return false;
  let shared = 0;
  for (const shingle of fewer) if (more.has(shingle)) shared++;
  return shared / (left.size + right.size - shared) >= DUPLICATE_FROM;
}
