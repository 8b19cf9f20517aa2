import type { Evidence, Score } from "../state/evidence.js";
import type { Signals } from "../state/verdict.js";

/** What a judge says; aggregation and decision are not its affair. All scores in 0–1. */
export interface Judgement {
  /** `batch`, `per_document`, `set`, `adequacy`, `signals`, `embedded`. */
  judge: string;
  /** By evidence id. A judge of the whole set gives every item that it saw the set's score. */
  scores: Record<string, number>;
  /** Of the whole set; absent for judges of single items. */
  set?: {
    score: number;
    /** The label that the judge itself stated. */
    statedLabel?: string;
    confidence?: number;
    reasoning?: string;
    toolNeeded?: string;
    hints?: string[];
  };
  signals?: Signals;
}

export interface JudgeInput {
  question: string;
  /** All that counts, in order. */
  evidence: readonly Evidence[];
  /** Those of it that no judge has graded yet. */
  ungraded: readonly Evidence[];
  signal?: AbortSignal;
}

/** Grades evidence; undefined where there is nothing new to say. */
export type Judge = (input: JudgeInput) => Judgement | undefined | Promise<Judgement | undefined>;

/** The score of an item for which a judge gave none that can be read. */
export const UNREADABLE_SCORE = 0.5;

/** Any number as a score: clamped to 0–1, and 0.5 where it is not a number at all. */
export function unitScore(value: number | undefined): number {
  if (value === undefined || Number.isNaN(value)) return UNREADABLE_SCORE;
  return Math.min(1, Math.max(0, value));
}

/**
 * Prefix of `Score.by` where a fast-path rule set the score and no judge has looked at the item.
 */
export const RULE_PREFIX = "rule:";

const SET_JUDGES: ReadonlySet<string> = new Set(["judge:set", "judge:adequacy"]);

/** Tells whether the score was given to a set of evidence, of which the item was a part. */
export function isOfSet({ scale, by }: Score): boolean {
  return scale === "relevance" && SET_JUDGES.has(by);
}

/** Tells whether a judge graded this very item; a verdict on a set holds for that set. */
export function hasOwnVerdict(evidence: Pick<Evidence, "scores">): boolean {
  return isJudged({ scores: evidence.scores.filter((score) => !isOfSet(score)) });
}

/**
 * Tells whether a judge has graded the item. A rule's score does not count: when the guard sends
 * the run back, such an item is graded like any other, while a judge's score stays.
 */
export function isJudged(evidence: Pick<Evidence, "scores">): boolean {
  return evidence.scores.some(
    (score) => score.scale === "relevance" && !score.by.startsWith(RULE_PREFIX),
  );
}
