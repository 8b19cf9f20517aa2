import { addressOf, contentKey, type Evidence, type Score } from "../state/evidence.js";
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

export type JudgeKind = "batch" | "per_document" | "signals" | "set" | "adequacy";

/** Judges that give one score to the whole set. */
const SET_JUDGES = ["judge:set", "judge:adequacy"];

/** True for a score of a whole set, of which the item was a part. */
export function isOfSet({ scale, by }: Score): boolean {
  return scale === "relevance" && SET_JUDGES.includes(by);
}

/** True if a judge graded the item itself; a verdict on a set only holds for that set. */
export function isJudgedItself(evidence: Pick<Evidence, "scores">): boolean {
  return isJudged({ scores: evidence.scores.filter((score) => !isOfSet(score)) });
}

/** True if a judge has graded the item. A rule's score does not count, a set's score does. */
export function isJudged(evidence: Pick<Evidence, "scores">): boolean {
  return evidence.scores.some(
    (score) => score.scale === "relevance" && !score.by.startsWith(RULE_PREFIX),
  );
}

/**
 * Returns a lookup of the item, refused earlier in the run, that newly found evidence repeats: the
 * same id or text at the same place, or lines of a refused passage.
 */
export function refusals(
  discarded: readonly Evidence[],
): (found: Evidence) => Evidence | undefined {
  return (found) => {
    const { kind } = found.source;
    const address = addressOf(found.source);
    const there = discarded.filter(
      ({ source }) => source.kind === kind && addressOf(source) === address,
    );
    if (there.length === 0) return undefined;
    const content = contentKey(found);
    return there.find(
      (item) => item.id === found.id || contentKey(item) === content || coversLines(item, found),
    );
  };
}

function coversLines({ source: refused }: Evidence, { source }: Evidence): boolean {
  if (refused.kind !== "file" || source.kind !== "file") return false;
  // The sheets of a workbook each count their rows from 1.
  if (refused.heading !== source.heading) return false;
  const { start_line: start = Infinity, end_line: end = 0 } = refused;
  return start <= (source.start_line ?? 0) && (source.end_line ?? Infinity) <= end;
}
