/** The report of `eval claims`. */
import { auc } from "../metrics.js";
import { bootstrap } from "../statistics.js";
import type { CheckedClaim, ClaimsReport } from "../claims.js";
import { scorePlots } from "./score-plots.js";
import { figure, provenance, writeReport } from "./write-report.js";

const WORST = 20;
const SAMPLES = 500;

export async function writeClaimsReport({
  folder,
  file,
  report,
  checked,
}: {
  folder: string;
  file: string;
  report: ClaimsReport;
  checked: readonly CheckedClaim[];
}): Promise<void> {
  const cases = checked.map((each) => ({ ...each, positive: each.actual }));
  const distance = ({ score, actual }: CheckedClaim): number => Math.abs(Number(actual) - score);
  await writeReport(folder, {
    name: "claims",
    title: "The claim check",
    summary: `${report.n} claims of ${file}; ${provenance()}. Intervals: 95 %, bootstrap over the claims.`,
    tables: [
      {
        title: "Figures",
        head: ["", "value"],
        rows: [
          ["AUC", figure(bootstrap(cases, auc, SAMPLES))],
          [
            "accuracy",
            figure(
              bootstrap(
                cases,
                (sample) =>
                  sample.filter(({ predicted, actual }) => predicted === actual).length /
                  sample.length,
                SAMPLES,
              ),
            ),
          ],
          ["macro F1", figure(report.macro_f1)],
          [
            "milliseconds a claim, p50 and p95",
            `${report.latency_ms.p50.toFixed(2)}, ${report.latency_ms.p95.toFixed(2)}`,
          ],
          ["model calls", "0"],
        ],
      },
    ],
    plots: scorePlots({
      judges: [{ name: "claim check", cases }],
      positive: "supported",
      negative: "not supported",
    }),
    mistakes: checked
      .toSorted((a, b) => distance(b) - distance(a))
      .slice(0, WORST)
      .map(({ record, score, actual, predicted }) => ({
        title: record.claim.slice(0, 300),
        note: `${predicted ? "supported" : "unsupported"}, ${figure(score)}; in truth ${actual ? "supported" : "not supported"}`,
        text: record.evidence
          .map(({ text }) => text)
          .join(" … ")
          .slice(0, 800),
      })),
  });
}
