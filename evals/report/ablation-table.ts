import type { AblationRow } from "../ablation.js";
import { figure, type Table } from "./write-report.js";

/** One row for each step that was switched off, with what the step changes. */
export function ablationTable(rows: readonly AblationRow[]): Table {
  return {
    title: "What each step changes (with it minus without it)",
    head: [
      "switched off",
      "contains",
      "f1",
      "answered",
      "false answers",
      "hallucinations",
      "Δ contains",
      "Δ answered",
      "Δ hallucinations",
      "p50 ms",
    ],
    rows: rows.map(({ switched_off: name, metrics, gain, cost }) => [
      name,
      figure(metrics.contains),
      figure(metrics.f1),
      figure(metrics.answered_share),
      figure(metrics.false_answer_rate),
      figure(metrics.hallucination_rate),
      gain ? figure(gain.contains) : "",
      gain ? figure(gain.answered_share) : "",
      gain ? figure(gain.hallucination_rate) : "",
      cost.latency_ms.p50.toFixed(1),
    ]),
  };
}
