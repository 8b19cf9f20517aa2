import type { Signals } from "../state/verdict.js";
import { unitScore } from "./judgement.js";
import type { AggregateKind } from "./profiles.js";
import { combineSignals } from "./signals.js";

/**
 * Scores are rounded to this many decimals before they meet a threshold: the mean of three times
 * 0.7 is 0.7, and not 0.6999999999999998.
 */
const DECIMALS = 12;

/**
 * One number in 0–1 for the whole set.
 * - `mean_of_kept`: of the items at or above the cut-off; 0 when none is.
 * - `maximum`: of all items; 0 when there is none.
 * - `score`: what a judge of the set said; without one, the mean of all items.
 * - `weighted_mean`: of the signals at hand.
 *
 * Pure and total; raising a score that already counts never lowers the result.
 */
export function aggregate({
  kind,
  scores,
  kept,
  set,
  signals,
}: {
  kind: AggregateKind;
  /** Of all items. */
  scores: readonly number[];
  /** Of the items at or above the cut-off. */
  kept: readonly number[];
  set?: number;
  signals?: Signals;
}): number {
  switch (kind) {
    case "mean_of_kept":
      return mean(kept);
    case "maximum":
      return settle(Math.max(0, ...scores.map(unitScore)));
    case "score":
      return set === undefined ? mean(scores) : settle(unitScore(set));
    case "weighted_mean":
      return settle(combineSignals(signals ?? {}));
    default:
      return kind satisfies never;
  }
}

function mean(scores: readonly number[]): number {
  if (scores.length === 0) return 0;
  return settle(scores.reduce((sum, score) => sum + unitScore(score), 0) / scores.length);
}

function settle(score: number): number {
  return Number(unitScore(score).toFixed(DECIMALS));
}
