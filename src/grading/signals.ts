/** The judge of the `signals` profile: three signals, no model call. */
import { passageText, type Reader } from "../reader/reader.js";
import { asPassage, scoreOf, type Evidence } from "../state/evidence.js";
import type { Signals } from "../state/verdict.js";
import { contentTerms } from "../text/analyse.js";
import { UNREADABLE_SCORE, unitScore, type Judge, type Judgement } from "./judgement.js";

/** Weights of TASK-004 ("Signal Combination"). */
const WEIGHTS: Readonly<Record<keyof Signals, number>> = {
  rerank: 0.4,
  coverage: 0.3,
  agreement: 0.3,
};
/** The rerank signal averages this many of the best items ("rerank_scores[:3]" in TASK-004). */
const TOP = 3;
/** Share of the best passage's relevance from which another counts as being about the same. */
const COMPARABLE = 0.5;

interface SignalsInput {
  question: string;
  evidence: readonly Pick<Evidence, "id" | "title" | "text" | "scores">[];
  /** The reader's relevance of each item, 0–1; a reranker's score takes its place. */
  relevance?: readonly number[];
  /** Vectors of the passages that are comparable, to measure their agreement. */
  vectors?: readonly Float32Array[];
}

/**
 * - `rerank`: the mean of a reranker's three best scores or, without one, the reader's calibrated
 *   probability that the best passage answers: one that does is enough;
 * - `coverage`: the share of the question's content terms, stemmed, that any passage contains;
 * - `agreement`: the mean similarity between the passages that come near the best one, if there are
 *   several. What has nothing to do with the question neither agrees nor disagrees.
 *
 * A signal that cannot be measured is absent.
 */
export function measureSignals({ question, evidence, relevance, vectors }: SignalsInput): Signals {
  const reranked = evidence.some((item) => scoreOf(item, "rerank") !== undefined);
  const best = rerankScores(evidence, relevance)
    .filter((score) => score !== undefined)
    .sort((a, b) => b - a)
    .slice(0, reranked ? TOP : 1);
  const texts = evidence.map(({ text }) => text);
  return {
    rerank: best.length === 0 ? undefined : best.reduce((a, b) => a + b) / best.length,
    coverage: evidence.length === 0 ? undefined : covered(question, texts),
    agreement: agreement(
      comparable(evidence, relevance).map(({ text }) => text),
      vectors,
    ),
  };
}

/** Judges the set by its signals, and each item by its own rerank score and coverage. */
export function judgeBySignals(input: SignalsInput): Judgement {
  const { question, evidence, relevance } = input;
  const rerank = rerankScores(evidence, relevance);
  const scores = evidence.map(({ id, text }, position): [string, number] => [
    id,
    combineSignals({ rerank: rerank[position], coverage: covered(question, [text]) }),
  ]);
  const signals = measureSignals(input);
  return { judge: "signals", scores: Object.fromEntries(scores), signals };
}

/** Returns the judge of the profile, whose signals are measured from the reader's scores. */
export function signalsJudge(reader: Reader): Judge {
  return async ({ question, evidence, signal }) => {
    const passages = evidence.map(asPassage);
    const read = await reader.relevance({ question, passages, signal });
    const relevance = read.passages.map(({ value }) => value);
    const near = comparable(evidence, relevance).map((item) => passageText(asPassage(item)));
    // Without vectors, or with a broken runtime, agreement is measured by shared words.
    const vectors =
      near.length < 2 ? undefined : await reader.embed?.(near, signal).catch(() => undefined);
    signal?.throwIfAborted();
    return judgeBySignals({ question, evidence, relevance, vectors });
  };
}

/** Returns the weighted mean of the available signals, weights renormalized; 0.5 without any. */
export function combineSignals(signals: Signals): number {
  let sum = 0;
  let weights = 0;
  for (const name of ["rerank", "coverage", "agreement"] as const) {
    const value = signals[name];
    if (value === undefined || Number.isNaN(value)) continue;
    sum += WEIGHTS[name] * unitScore(value);
    weights += WEIGHTS[name];
  }
  return weights === 0 ? UNREADABLE_SCORE : unitScore(sum / weights);
}

/** Returns the reranker's scores if one ran, or else the reader's: scales are never mixed. */
function rerankScores(
  evidence: SignalsInput["evidence"],
  relevance: readonly number[] = [],
): (number | undefined)[] {
  const reranked = evidence.map((item) => scoreOf(item, "rerank"));
  const scores = reranked.some((score) => score !== undefined) ? reranked : [...relevance];
  return scores.map((score) => (score === undefined ? undefined : unitScore(score)));
}

/** Returns the passages that come near the best one; all of them without any score. */
function comparable<E extends SignalsInput["evidence"][number]>(
  evidence: readonly E[],
  relevance?: readonly number[],
): E[] {
  const scores = rerankScores(evidence, relevance);
  const best = Math.max(0, ...scores.map((score) => score ?? 0));
  return evidence.filter((_, at) => (scores[at] ?? 0) >= COMPARABLE * best);
}

/** Returns the share of the question's terms in the texts; undefined if it has none. */
function covered(question: string, texts: readonly string[]): number | undefined {
  const asked = new Set(contentTerms(question));
  if (asked.size === 0) return undefined;
  const found = new Set(texts.flatMap((text) => contentTerms(text)));
  return [...asked].filter((term) => found.has(term)).length / asked.size;
}

/** Compares texts by their vectors or, without any, by shared words; undefined for one text. */
export function agreement(
  texts: readonly string[],
  vectors?: readonly Float32Array[],
): number | undefined {
  if (texts.length < 2) return undefined;
  const terms = texts.map((text) => new Set(contentTerms(text)));
  let sum = 0;
  let pairs = 0;
  for (let i = 0; i < texts.length; i += 1)
    for (let j = i + 1; j < texts.length; j += 1) {
      const [a, b] = [vectors?.[i], vectors?.[j]];
      sum += a && b ? dotProduct(a, b) : overlap(terms[i], terms[j]);
      pairs += 1;
    }
  return Math.min(1, Math.max(0, sum / pairs));
}

function dotProduct(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

/** Cosine of two sets of terms. */
function overlap(a: ReadonlySet<string> = new Set(), b: ReadonlySet<string> = new Set()): number {
  const shared = [...a].filter((term) => b.has(term)).length;
  return a.size === 0 || b.size === 0 ? 0 : shared / Math.sqrt(a.size * b.size);
}
