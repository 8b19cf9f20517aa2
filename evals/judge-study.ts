/**
 * The study behind the embedded judge: fitted on all families but one, tested on the one left out, beside plain coverage.
 *
 * Usage: node --import tsx evals/judge-study.ts TRAIN.jsonl... [--test FILE...]     a family is a file; prints a Markdown table
 */
import { basename } from "node:path";
import { coverage } from "../src/grading/judge/coverage.js";
import type { JudgeModel } from "../src/grading/judge/model.js";
import { probability } from "../src/grading/logistic.js";
import { auc, bootstrap, calibrationError, ratesAt } from "../src/grading/calibration/metrics.js";
import type { Interval, Judged } from "../src/grading/calibration/metrics.js";
import {
  fitModels,
  fitShippedThresholds,
  measureFamily,
} from "../src/grading/calibration/train.js";
import type { MeasuredFamily } from "../src/grading/calibration/train.js";
import { readEvidenceFile } from "./formats.js";

interface Row {
  tested: string;
  passageAuc: number;
  passageCoverage: number;
  setAuc: number;
  setCoverage: number;
  gain: Interval;
  falseCorrect: number;
  falseCorrectOfCoverage: number;
  found: number;
  balancedAccuracy: number;
  falseIncorrect: number;
  ece: number;
}

function study(
  family: MeasuredFamily,
  model: Pick<JudgeModel, "passage" | "set" | "thresholds">,
): Row {
  const passages = family.sets.flatMap(({ set, measured }) =>
    set.passages.map((passage, i) => ({
      score: probability(measured.passages[i] ?? {}, model.passage),
      plain: coverage(set.question, `${passage.title} ${passage.text}`),
      positive: passage.relevant,
    })),
  );
  const sets = family.forSets.map(({ set, measured }) => ({
    score: probability(measured.set, model.set),
    plain: Math.max(
      0,
      ...set.passages.map((passage) => coverage(set.question, `${passage.title} ${passage.text}`)),
    ),
    positive: set.answerable,
    question: set.question,
  }));
  const byCoverage = (cases: readonly (Judged & { plain: number })[]): Judged[] =>
    cases.map(({ plain, positive }) => ({ score: plain, positive }));
  const rates = ratesAt(sets, model.thresholds.correct);
  return {
    tested: family.name,
    passageAuc: auc(passages),
    passageCoverage: auc(byCoverage(passages)),
    setAuc: auc(sets),
    setCoverage: auc(byCoverage(sets)),
    gain: bootstrap(
      byQuestion(sets),
      (sample) => auc(sample.flat()) - auc(byCoverage(sample.flat())),
      500,
    ),
    falseCorrect: rates.falsePositiveRate,
    falseCorrectOfCoverage: ratesAt(byCoverage(sets), 0.7).falsePositiveRate,
    found: 1 - rates.falseNegativeRate,
    balancedAccuracy: rates.balancedAccuracy,
    falseIncorrect: ratesAt(sets, model.thresholds.incorrect).falseNegativeRate,
    ece: calibrationError(sets),
  };
}

/** Sets of one question stand or fall together: the interval is drawn over questions. */
function byQuestion<Case extends { question: string }>(cases: readonly Case[]): Case[][] {
  const groups = new Map<string, Case[]>();
  for (const item of cases) groups.set(item.question, [...(groups.get(item.question) ?? []), item]);
  return [...groups.values()];
}

function fit(
  families: readonly MeasuredFamily[],
): Pick<JudgeModel, "passage" | "set" | "thresholds"> {
  const models = fitModels(families);
  return { ...models, thresholds: fitShippedThresholds(families, models.set) };
}

const f = (value: number): string => (Number.isNaN(value) ? "–" : value.toFixed(3));
function print(rows: readonly Row[]): void {
  console.log(
    "| tested on | passage AUC (coverage) | set AUC (coverage) | gain, paired 95 % | false CORRECT (coverage ≥ 0.7) | CORRECT found | balanced accuracy | false INCORRECT | ECE |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|");
  for (const row of rows)
    console.log(
      `| ${row.tested} | ${f(row.passageAuc)} (${f(row.passageCoverage)}) | ${f(row.setAuc)} (${f(row.setCoverage)}) | ${f(row.gain.value)} [${f(row.gain.low)}, ${f(row.gain.high)}] | ` +
        `${f(row.falseCorrect)} (${f(row.falseCorrectOfCoverage)}) | ${f(row.found)} | ${f(row.balancedAccuracy)} | ${f(row.falseIncorrect)} | ${f(row.ece)} |`,
    );
}

const given = process.argv.slice(2);
const split = given.indexOf("--test");
const read = async (files: readonly string[]): Promise<MeasuredFamily[]> => {
  const families: MeasuredFamily[] = [];
  for (const file of files)
    families.push(
      measureFamily({ name: basename(file, ".jsonl"), sets: await readEvidenceFile(file) }),
    );
  return families;
};
const training = await read(split === -1 ? given : given.slice(0, split));
const tests = split === -1 ? [] : await read(given.slice(split + 1));
print([
  ...training.map((left) => study(left, fit(training.filter((family) => family !== left)))),
  ...tests.map((family) =>
    study(
      family,
      fit(training.filter(({ name }) => name.split("-")[0] !== family.name.split("-")[0])),
    ),
  ),
]);
