/** `npm run calibrate`: fits the reader's probabilities and thresholds to a user's labels. */
import { rename, rm, writeFile } from "node:fs/promises";
import {
  LabeledSetSchema,
  type LabeledSet,
  measureSets,
  recalibrate,
  type CalibrationFigures,
} from "./recalibrate.js";
import { readJsonLines } from "./json-lines.js";
import { createReader } from "../src/reader/create-reader.js";
import { SHIPPED_WEIGHTS, type ReaderWeights } from "../src/reader/weights.js";
import { readEnvironment } from "../src/settings/environment.js";
import { reasonOf, UserError } from "../src/support/errors.js";
import { FAILED } from "../src/cli/report-error.js";
import { print } from "../src/cli/terminal.js";

export interface CalibrateOptions {
  out?: string;
  maxFalseCorrect?: number;
  json?: boolean;
}

/** @throws UserError for bad files and too little data */
export async function calibrateCommand(
  files: readonly string[],
  { out = "calibration.json", maxFalseCorrect = 0.1, json }: CalibrateOptions,
): Promise<void> {
  const labels: LabeledSet[] = [];
  for (const file of files)
    labels.push(...(await readJsonLines(file, LabeledSetSchema, "labeled evidence")));
  const reader = createReader({ model: readEnvironment(process.env).settings.reader });
  const sets = await measureSets(labels, reader).finally(() => reader.close());
  const has = (signal: string): boolean => sets.some(({ signals }) => signal in signals);
  const fitted = (kind: "lexical" | "trained" | "joint") => {
    const result = recalibrate({ sets, models: SHIPPED_WEIGHTS[kind], maxFalseCorrect });
    if (!result.success)
      throw new UserError(result.error, "label more questions: npm run eval -- label");
    return result;
  };
  const lexical = fitted("lexical");
  const trained = has("cosine") ? fitted("trained") : undefined;
  const joint = has("joint") ? fitted("joint") : undefined;
  const { before, after, models } = joint ?? trained ?? lexical;
  const answerable = sets.filter(({ positive }) => positive).length;
  const report = { questions: sets.length, answerable, maxFalseCorrect, before, after };
  const weights: ReaderWeights = {
    ...SHIPPED_WEIGHTS,
    lexical: { ...SHIPPED_WEIGHTS.lexical, ...lexical.models },
    joint: { ...SHIPPED_WEIGHTS.joint, ...joint?.models },
    trained: trained?.models ?? SHIPPED_WEIGHTS.trained,
    report: { ...report, files },
  };
  await write(out, weights);
  if (json) print(JSON.stringify({ out, thresholds: models.thresholds, ...report }));
  else {
    print(describe(report, models.thresholds));
    print(`Written to ${out}; use it with CRAG_CALIBRATION_FILE=${out}`);
  }
}

/** Writes the file atomically, because a running agent may read it at any time. */
async function write(out: string, model: unknown): Promise<void> {
  const draft = `${out}.${process.pid}.tmp`;
  try {
    await writeFile(draft, `${JSON.stringify(model, null, 2)}\n`);
    await rename(draft, out);
  } catch (error) {
    await rm(draft, { force: true });
    throw new UserError(
      `cannot write ${out}: ${reasonOf(error)}`,
      "with --out, name a file in a folder that exists",
      FAILED,
    );
  }
}

function describe(
  report: Record<"questions" | "answerable", number> &
    Record<"before" | "after", CalibrationFigures>,
  thresholds: { correct: number; incorrect: number },
): string {
  const rows: readonly (readonly [string, keyof CalibrationFigures])[] = [
    ["AUC of the set decision", "auc"],
    ["Brier score", "brier"],
    ["calibration error", "calibrationError"],
    ["balanced accuracy", "balancedAccuracy"],
    ["false CORRECT", "falseCorrect"],
    ["false INCORRECT", "falseIncorrect"],
  ];
  return [
    `${report.questions} questions, ${report.answerable} of them answerable.`,
    "After: each question judged by a fit that did not see it (5 folds).",
    `${"".padEnd(26)}before   after`,
    ...rows.map(
      ([label, key]) =>
        `${label.padEnd(26)}${report.before[key].toFixed(3).padEnd(9)}${report.after[key].toFixed(3)}`,
    ),
    `CORRECT from ${thresholds.correct}, INCORRECT below ${thresholds.incorrect}`,
  ].join("\n");
}
