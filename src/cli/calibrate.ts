/** `calibrate`: fits the reader's calibration and cut-offs to labels, or (`--retrain`) all weights. */
import { rename, rm, writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { fitWeights, measureFamily } from "../reader/calibrate/fit-weights.js";
import { readFamily } from "../reader/calibrate/labels.js";
import { recalibrate } from "../reader/calibrate/recalibrate.js";
import type { CalibrationFigures, Wish } from "../reader/calibrate/recalibrate.js";
import { createReader } from "../reader/create-reader.js";
import { SHIPPED_WEIGHTS, type ReaderWeights } from "../reader/weights.js";
import { readEnvironment } from "../settings/environment.js";
import { UserError } from "../support/errors.js";
import { FAILED } from "./report-error.js";

export interface CalibrateOptions {
  out?: string;
  retrain?: boolean;
  maxFalseCorrect?: number;
  costWeb?: number;
  costWrong?: number;
  json?: boolean;
}

const DEFAULT_OUT = "calibration.json";
const DEFAULT_MAX_FALSE_CORRECT = 0.1;

/** Runs the command; gives the exit code. Throws `UserError` for bad files and too little data. */
export async function calibrateCommand(
  files: readonly string[],
  options: CalibrateOptions,
): Promise<number> {
  const wish = wishOf(options);
  const labels = files.map(readFamily);
  const out = options.out ?? DEFAULT_OUT;
  const reader = createReader({ model: readEnvironment(process.env).settings.reader });
  const families = [];
  try {
    for (const family of labels) families.push(await measureFamily(family, reader));
  } finally {
    await reader.close();
  }
  if (options.retrain) {
    const weights = fitWeights(families);
    await write(out, weights);
    if (options.json) process.stdout.write(`${JSON.stringify({ out, ...weights.report })}\n`);
    else
      process.stdout.write(
        `Weights fitted on ${families.map(({ name }) => name).join(", ")}; written to ${out}.\n`,
      );
    return 0;
  }
  const sets = families.flatMap((family) => family.sets);
  const withCosines = sets.some(({ signals }) => signals["cosine"] !== undefined);
  const [lexical, trained] = (["lexical", "trained"] as const).map((kind) =>
    recalibrate({ sets, models: SHIPPED_WEIGHTS[kind], wish }),
  );
  if (!lexical?.success || !trained?.success)
    throw new UserError(
      lexical?.success === false ? lexical.error : "nothing was fitted",
      "label more questions: npm run eval -- label",
    );
  const { before, after, models } = withCosines ? trained : lexical;
  const answerable = sets.filter(({ positive }) => positive).length;
  const report = { questions: sets.length, answerable, wish, before, after };
  const weights: ReaderWeights = {
    ...SHIPPED_WEIGHTS,
    lexical: lexical.models,
    trained: withCosines ? trained.models : SHIPPED_WEIGHTS.trained,
    report: { ...report, files: families.map(({ name }) => name) },
  };
  await write(out, weights);
  if (options.json)
    process.stdout.write(`${JSON.stringify({ out, thresholds: models.thresholds, ...report })}\n`);
  else
    process.stdout.write(
      `${describe(report, models.thresholds)}\nWritten to ${out}; use it with CRAG_CALIBRATION_FILE=${out}\n`,
    );
  return 0;
}

/** The file is there whole or not at all: every run of an agent may read it. */
async function write(out: string, model: unknown): Promise<void> {
  const draft = `${out}.${process.pid}.tmp`;
  try {
    await writeFile(draft, `${JSON.stringify(model, null, 2)}\n`);
    await rename(draft, out);
  } catch (error) {
    await rm(draft, { force: true });
    throw new UserError(
      `cannot write ${out}: ${error instanceof Error ? error.message : String(error)}`,
      "name a file in a folder that exists with --out",
      FAILED,
    );
  }
}

function wishOf({ maxFalseCorrect, costWeb, costWrong }: CalibrateOptions): Wish {
  if (costWeb === undefined && costWrong === undefined)
    return { kind: "max_false_correct", share: maxFalseCorrect ?? DEFAULT_MAX_FALSE_CORRECT };
  if (maxFalseCorrect !== undefined)
    throw new UserError("--max-false-correct and the costs exclude each other", "give one wish");
  if (costWeb === undefined || costWrong === undefined)
    throw new UserError("the two costs belong together", "give --cost-web and --cost-wrong");
  return { kind: "cost", web: costWeb, wrong: costWrong };
}

function describe(
  report: {
    questions: number;
    answerable: number;
    before: CalibrationFigures;
    after: CalibrationFigures;
  },
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
    `${report.questions} questions, ${report.answerable} of them answerable. After: each judged by a fit that did not see it (5 folds).`,
    `${"".padEnd(26)}before   after`,
    ...rows.map(
      ([label, key]) =>
        `${label.padEnd(26)}${report.before[key].toFixed(3).padEnd(9)}${report.after[key].toFixed(3)}`,
    ),
    `CORRECT from ${thresholds.correct}, INCORRECT below ${thresholds.incorrect}`,
  ].join("\n");
}

/** Adds the command to the program. */
export function registerCalibrate(
  program: Command,
  run: (action: () => Promise<number>) => Promise<void> = defaultRun,
): void {
  program
    .command("calibrate")
    .description(
      "fit the judge to labelled questions: calibration, the two thresholds, a report of before and after",
    )
    .argument("<file...>", "labelled evidence, one JSON object a line")
    .option("--out <file>", "where to write", DEFAULT_OUT)
    .option(
      "--max-false-correct <share>",
      "of the unanswerable, at most this share may be called CORRECT (0.1 where nothing is said)",
      share,
    )
    .option("--cost-web <price>", "price of one more search", price)
    .option("--cost-wrong <price>", "price of a wrong answer", price)
    .option("--retrain", "fit the weights themselves on all files, each a family of its own")
    .option("--json", "print one JSON document")
    .action((files: string[], options: CalibrateOptions) =>
      run(() => calibrateCommand(files, options)),
    );
}

async function defaultRun(action: () => Promise<number>): Promise<void> {
  process.exitCode = await action();
}

function share(value: string): number {
  const number = Number(value);
  if (!(number > 0 && number < 1))
    throw new UserError(`${value} is no share`, "a number between 0 and 1, such as 0.05");
  return number;
}

function price(value: string): number {
  const number = Number(value);
  if (!(number >= 0)) throw new UserError(`${value} is no price`, "a number from 0");
  return number;
}
