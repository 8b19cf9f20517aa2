import type { Signals } from "../state/verdict.js";
import { UNREADABLE_SCORE, unitScore } from "./judgement.js";

/** Weights of TASK-004 ("Signal Combination"). */
export const SIGNAL_WEIGHTS: Readonly<Record<keyof Signals, number>> = {
  rerank: 0.4,
  coverage: 0.3,
  agreement: 0.3,
};

const NAMES = ["rerank", "coverage", "agreement"] as const satisfies readonly (keyof Signals)[];

/** The weighted mean over the signals at hand, their weights renormalised; 0.5 when there is none, as in the published evaluator. */
export function combineSignals(signals: Signals): number {
  let sum = 0;
  let weights = 0;
  for (const name of NAMES) {
    const value = signals[name];
    if (value === undefined || Number.isNaN(value)) continue;
    sum += SIGNAL_WEIGHTS[name] * unitScore(value);
    weights += SIGNAL_WEIGHTS[name];
  }
  return weights === 0 ? UNREADABLE_SCORE : unitScore(sum / weights);
}
