/** The judge of the `signals` profile: three signals, no model call. */
import { passageText, type Reader } from "../reader/reader.js";
import { asPassage, type Evidence } from "../state/evidence.js";
import type { Signals } from "../state/verdict.js";
import { contentTerms } from "../text/analyse.js";
import { UNREADABLE_SCORE, unitScore, type Judge, type Judgement } from "./judgement.js";

/** Weights of TASK-004 ("Signal Combination"). */
const WEIGHTS: Readonly<Record<keyof Signals, number>> = {
  rerank: 0.4,
  coverage: 0.3,
  agreement: 0.3,
};
const SIGNALS = ["rerank", "coverage", "agreement"] as const;
/** The rerank signal averages this many of a reranker's best scores ("rerank_scores[:3]"). */
const TOP = 3;
/** Names of rerankers that only repeat what the reader says. */
const READER_PREFIX = "reader:";
/** Relevance from which the reader holds that a passage answers, and can agree with another. */
const ANSWERS = 0.6;
/** Similarity of passages that say the same, as the encoder measures it. */
const SAME = 0.8;

interface SignalsInput {
  question: string;
  evidence: readonly Pick<Evidence, "id" | "title" | "text" | "scores">[];
  /** The reader's relevance of each item, 0–1; another reranker's score takes its place. */
  relevance?: readonly number[];
  /** Vectors of the passages that answer, to measure their agreement. */
  vectors?: readonly Float32Array[];
}

/**
 * Judges each item by its own rerank score and coverage, and the set by its signals:
 * - `rerank`: the mean of a reranker's three best scores or, where the reader reranks, its
 *   calibrated probability that the best passage answers: one that does is enough;
 * - `coverage`: the share of the question's content terms, stemmed, that any passage contains;
 * - `agreement`: the mean similarity between the passages that answer, if there are several.
 *
 * A signal that cannot be measured is absent.
 */
export function judgeBySignals({ question, evidence, relevance, vectors }: SignalsInput) {
  const reranked = rerankScores(evidence);
  const rerank = reranked ?? relevance ?? [];
  const best = rerank
    .flatMap((score) => (score === undefined ? [] : unitScore(score)))
    .toSorted((a, b) => b - a)
    .slice(0, reranked === undefined ? 1 : TOP);
  const texts = evidence.map(({ text }) => text);
  const signals: Signals = {
    rerank: mean(best),
    coverage: covered(question, texts),
    agreement: agreement(vectors),
  };
  const scores = evidence.map(({ id, text }, position): [string, number] => [
    id,
    combineSignals({ rerank: rerank[position], coverage: covered(question, [text]) }),
  ]);
  return { judge: "signals", scores: Object.fromEntries(scores), signals } satisfies Judgement;
}

/** Returns the judge of the profile, whose signals are measured from the reader's scores. */
export function signalsJudge(reader: Reader): Judge {
  return async ({ question, evidence, signal }) => {
    const passages = evidence.map(asPassage);
    const read = await reader.relevance({ question, passages, signal });
    const relevance = read.passages.map(({ value }) => value);
    const answering = passages.filter((_, at) => (relevance[at] ?? 0) >= ANSWERS).map(passageText);
    // Without an encoder, or with a broken runtime, agreement is not measured.
    const vectors =
      answering.length < 2
        ? undefined
        : await reader.embed?.(answering, signal).catch(() => undefined);
    signal?.throwIfAborted();
    return judgeBySignals({ question, evidence, relevance, vectors });
  };
}

/** Returns the weighted mean of the available signals, weights renormalized; 0.5 without any. */
export function combineSignals(signals: Signals): number {
  const known = SIGNALS.filter((name) => signals[name] !== undefined);
  const weights = known.reduce((sum, name) => sum + WEIGHTS[name], 0);
  const total = known.reduce((sum, name) => sum + WEIGHTS[name] * unitScore(signals[name]), 0);
  return known.length === 0 ? UNREADABLE_SCORE : total / weights;
}

/** Returns the scores of a reranker other than the reader; undefined if none ran. */
function rerankScores(evidence: SignalsInput["evidence"]): (number | undefined)[] | undefined {
  const scores = evidence.map(
    (item) =>
      item.scores.findLast(({ scale, by }) => scale === "rerank" && !by.startsWith(READER_PREFIX))
        ?.value,
  );
  return scores.some((score) => score !== undefined) ? scores : undefined;
}

/** Returns the share of the question's terms in the texts; undefined without terms or texts. */
function covered(question: string, texts: readonly string[]): number | undefined {
  const asked = new Set(contentTerms(question));
  if (asked.size === 0 || texts.length === 0) return undefined;
  const found = new Set(texts.flatMap((text) => contentTerms(text)));
  return [...asked].filter((term) => found.has(term)).length / asked.size;
}

/** Returns the mean similarity of the vectors, 1 for such as say the same; undefined for one. */
function agreement(vectors: readonly Float32Array[] = []): number | undefined {
  const dot = (a: Float32Array, b: Float32Array): number =>
    a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
  const pairs = vectors.flatMap((a, at) => vectors.slice(at + 1).map((b) => dot(a, b)));
  const similarity = mean(pairs);
  return similarity === undefined ? undefined : unitScore(similarity / SAME);
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((a, b) => a + b) / values.length;
}
