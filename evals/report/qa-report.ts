/** The report of `eval qa`. */
import { attempt, correctiveTrust } from "../attempts.js";
import type { QaReport } from "../qa.js";
import { isHallucination } from "../qa-metrics.js";
import type { QaPair } from "../qa-pairs.js";
import { riskPlot } from "./score-plots.js";
import { ablationTable } from "./ablation-table.js";
import { figure, provenance, writeReport, type Mistake } from "./write-report.js";

const KEYS = [
  "contains",
  "em",
  "f1",
  "answered_share",
  "false_answer_rate",
  "false_abstain_rate",
  "hallucination_rate",
  "hallucinated_share",
  "truthfulness",
] as const;
const WORST = 20;

export async function writeQaReport({
  folder,
  directory,
  report,
  pairs,
}: {
  folder: string;
  directory: string;
  report: QaReport;
  pairs: readonly QaPair[];
}): Promise<void> {
  const { plain, corrective, difference } = report;
  const equal = report.risk_at_equal_share;
  await writeReport(folder, {
    name: "qa",
    title: "Plain beside corrective RAG",
    summary: `${report.n} questions of ${directory}; ${provenance()}. Intervals: 95 %, paired bootstrap over the questions.`,
    tables: [
      {
        title: "Answers",
        head: ["", "plain", "corrective", "difference"],
        rows: KEYS.map((key) => [
          key,
          figure(plain[key]),
          figure(corrective[key]),
          figure(difference[key]),
        ]),
      },
      {
        title: "Hallucinations",
        head: ["", "plain", "corrective", "reduction"],
        rows: [
          [
            "of all questions",
            figure(plain.hallucinated_share),
            figure(corrective.hallucinated_share),
            figure(report.hallucinated_share_reduction),
          ],
          [
            "of the answered",
            figure(plain.hallucination_rate),
            figure(corrective.hallucination_rate),
            figure(report.hallucination_reduction),
          ],
          [
            `of the answered, at the same share (${figure(equal.answered_share)})`,
            figure(equal.plain),
            figure(equal.corrective),
            figure(equal.reduction),
          ],
        ],
      },
      {
        title: "Cost per question",
        head: ["", "model calls", "tokens", "p50 ms", "p95 ms"],
        rows: (["plain", "corrective"] as const).map((side) => {
          const { model_calls: calls, tokens, latency_ms: latency } = report[side];
          return [
            side,
            calls.toFixed(2),
            tokens.toFixed(0),
            latency.p50.toFixed(1),
            latency.p95.toFixed(1),
          ];
        }),
      },
      ...(report.ablation ? [ablationTable(report.ablation)] : []),
    ],
    plots: [
      riskPlot([
        {
          name: "plain, by coverage",
          attempts: pairs.map(({ plain: run }) => attempt(run, run.coverage)),
        },
        {
          name: "corrective, by its judge",
          attempts: pairs.map(({ corrective: run }) => attempt(run, correctiveTrust(run))),
        },
      ]),
    ],
    mistakes: worst(pairs),
  });
}

/** Wrong answers that the agent was surest of, and right evidence that it withheld. */
function worst(pairs: readonly QaPair[]): Mistake[] {
  return pairs
    .map(({ corrective }) => corrective)
    .filter(({ record }) => isHallucination(record))
    .sort((a, b) => correctiveTrust(b) - correctiveTrust(a))
    .slice(0, WORST)
    .map((run) => ({
      title: run.question,
      note: `${run.record.answerable ? `expected: ${run.record.goldAnswers.join(" / ")}` : "cannot be answered"}; evidence judged ${figure(run.judged ?? Number.NaN)}`,
      text: run.record.answer,
    }));
}
