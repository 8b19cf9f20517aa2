/** The report of `eval evidence`. */
import { auc, brierScore, calibrationError } from "../metrics.js";
import { bootstrap } from "../statistics.js";
import { plainCoverage } from "../plain-coverage.js";
import type { EvidenceReport, JudgedRecord } from "../evidence.js";
import { scorePlots } from "./score-plots.js";
import { figure, provenance, writeReport, type Mistake } from "./write-report.js";

const WORST = 20;
const SAMPLES = 500;

export async function writeEvidenceReport({
  folder,
  file,
  profile,
  report,
  judged,
}: {
  folder: string;
  file: string;
  profile: string;
  report: EvidenceReport;
  judged: readonly JudgedRecord[];
}): Promise<void> {
  const cases = judged.map(({ record, set, label }) => ({
    score: set,
    positive: record.answerable,
    called: label === "CORRECT",
    plain: Math.max(
      0,
      ...record.passages.map(({ title, text }) =>
        plainCoverage(record.question, `${title} ${text}`),
      ),
    ),
  }));
  const byCoverage = (list: typeof cases) =>
    list.map(({ plain, positive }) => ({ score: plain, positive }));
  const interval = (statistic: (sample: readonly (typeof cases)[number][]) => number) =>
    figure(bootstrap(cases, statistic, SAMPLES));
  await writeReport(folder, {
    name: "evidence",
    title: "The judge of the evidence",
    summary: `${report.n} questions of ${file}, profile ${profile}; ${provenance()}. Intervals: 95 %, bootstrap over the questions.`,
    tables: [
      {
        title: "Figures",
        head: ["", "value"],
        rows: [
          ["AUC of the set", interval(auc)],
          ["AUC of the set, plain coverage", interval((sample) => auc(byCoverage([...sample])))],
          [
            "gain over coverage, paired",
            interval((sample) => auc(sample) - auc(byCoverage([...sample]))),
          ],
          ["AUC of single passages", figure(report.auc_passage)],
          [
            "accuracy (CORRECT against not)",
            interval(
              (sample) =>
                sample.filter(({ called, positive }) => called === positive).length / sample.length,
            ),
          ],
          ["balanced accuracy", figure(report.balanced_accuracy)],
          ["failed retrievals called CORRECT", figure(report.false_correct_rate)],
          ["good evidence called INCORRECT", figure(report.false_incorrect_rate)],
          ["called AMBIGUOUS", figure(report.ambiguous_share)],
          ["calibration error", interval((sample) => calibrationError(sample))],
          ["Brier score", interval(brierScore)],
          [
            "milliseconds a question, p50 and p95",
            `${report.latency_ms.p50.toFixed(2)}, ${report.latency_ms.p95.toFixed(2)}`,
          ],
          ["model calls", "0"],
        ],
      },
    ],
    plots: scorePlots({
      judges: [
        { name: "judge", cases },
        { name: "plain coverage", cases: byCoverage(cases) },
      ],
      positive: "answerable",
      negative: "not answerable",
    }),
    mistakes: worst(judged),
  });
}

/** Where probability and label are farthest apart. */
function worst(judged: readonly JudgedRecord[]): Mistake[] {
  const distance = ({ record, set }: JudgedRecord): number =>
    Math.abs(Number(record.answerable) - set);
  return judged
    .toSorted((a, b) => distance(b) - distance(a))
    .slice(0, WORST)
    .map((each) => {
      const best = each.passages.indexOf(Math.max(...each.passages));
      const passage = each.record.passages[best];
      return {
        title: each.record.question,
        note: `judged ${figure(each.set)}, ${each.label}; in truth ${each.record.answerable ? `answerable${each.record.answers ? ` (${each.record.answers.slice(0, 3).join(" / ")})` : ""}` : "not answerable"}`,
        text:
          passage === undefined ? "no passages" : `${passage.title}: ${passage.text}`.slice(0, 600),
      };
    });
}
