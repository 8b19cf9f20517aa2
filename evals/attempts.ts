/** Runs as attempts at an answer, by what they trust it. */
import type { Run } from "./ask-question.js";
import { isHallucination } from "./qa-metrics.js";
import type { Attempt } from "./risk-coverage.js";

export function attempt(run: Run, confidence: number): Attempt {
  return {
    confidence: run.record.abstained ? -Infinity : confidence,
    wrong: isHallucination(run.record),
  };
}

/** What the corrective agent trusts an answer by: its judge's probability. */
export function correctiveTrust(run: Run): number {
  return run.judged ?? run.coverage;
}
