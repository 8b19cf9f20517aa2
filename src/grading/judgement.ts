import type { Evidence, Score } from "../state/evidence.js";
import type { Signals } from "../state/verdict.js";

/** A judge's verdict, before aggregation and decision. All scores in 0–1. */
export interface Judgement {
  /** `batch`, `per_document`, `set`, `adequacy`, `signals`, `embedded`. */
  judge: string;
  /** By evidence id. A judge of the whole set gives its score to every item it saw. */
  scores: Record<string, number>;
  /** Absent from judges of single items. */
  set?: {
    score: number;
    /** The label as the judge stated it. */
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
  /** In order, without what was discarded. */
  evidence: readonly Evidence[];
  /** The part that no judge has graded yet. */
  ungraded: readonly Evidence[];
  signal?: AbortSignal;
}

/** Grades evidence; returns undefined if there is nothing new to grade. */
export type Judge = (input: JudgeInput) => Judgement | undefined | Promise<Judgement | undefined>;

/** The score of an item whose grade is missing or unreadable. */
export const UNREADABLE_SCORE = 0.5;

/** Clamps a number to 0–1; returns 0.5 for what is not a number. */
export function unitScore(value: number | undefined): number {
  if (value === undefined || Number.isNaN(value)) return UNREADABLE_SCORE;
  return Math.min(1, Math.max(0, value));
}

/** Prefix of `Score.by` if a fast-path rule set the score. */
export const RULE_PREFIX = "rule:";

/** What each kind of judge gives a score to. */
const JUDGES = {
  batch: "items",
  signals: "items",
  set: "set",
  adequacy: "set",
  per_document: "items",
} as const satisfies Record<string, "items" | "set">;

export type JudgeKind = keyof typeof JUDGES;

const SET_JUDGES = Object.entries(JUDGES).flatMap(([kind, of]) =>
  of === "set" ? [`judge:${kind}`] : [],
);

/** True for a score of a whole set, of which the item was a part. */
export function isOfSet({ scale, by }: Score): boolean {
  return scale === "relevance" && SET_JUDGES.includes(by);
}

/** True if a judge graded the item itself; a verdict on a set only holds for that set. */
export function hasOwnVerdict(evidence: Pick<Evidence, "scores">): boolean {
  return isJudged({ scores: evidence.scores.filter((score) => !isOfSet(score)) });
}

/** True if a judge has graded the item. A rule's score does not count, a set's score does. */
export function isJudged(evidence: Pick<Evidence, "scores">): boolean {
  return evidence.scores.some(
    (score) => score.scale === "relevance" && !score.by.startsWith(RULE_PREFIX),
  );
}
