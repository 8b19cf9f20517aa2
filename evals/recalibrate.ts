/** Fits the calibration of sets, and its cut-offs, to a user's labels. */
import { z } from "zod";
import type { Reader } from "../src/reader/reader.js";
import { measureSet } from "../src/reader/signals.js";
import {
  logOdds,
  probability,
  sigmoid,
  type LogisticModel,
  type Platt,
  type ReaderModels,
  type SignalValues,
  type FittedThresholds,
} from "../src/reader/weights.js";
import { auc, brierScore, calibrationError, ratesAt, type Judged } from "./metrics.js";

const Title = z
  .string()
  .nullish()
  .transform((title) => title ?? "");

/** A line of the file that `calibrate` and the evaluations read. */
export const LabeledSetSchema = z.object({
  id: z.coerce.string(),
  question: z.string(),
  // `eval label` writes null where no label was given.
  answerable: z.boolean({
    error: ({ input }) => (input === null ? "not labeled yet" : undefined),
  }),
  passages: z.array(
    z.object({
      title: Title,
      headings: z.array(z.string()).optional(),
      text: z.string(),
      /** Null where only the set is labeled. */
      relevant: z.boolean().nullable(),
    }),
  ),
});
export type LabeledSet = z.output<typeof LabeledSetSchema>;

const FEWEST_QUESTIONS = 50;
const FEWEST_OF_A_CLASS = 10;
const FOLDS = 5;

/** Aims of the lower cut-offs. */
export const AIMS = {
  /** Share of the answerable sets that may be called INCORRECT. */
  falseIncorrect: 0.03,
  /** Share of the answerable sets at which the agent may abstain. */
  falseAbstain: 0.02,
};

export interface Measured {
  readonly signals: SignalValues;
  readonly positive: boolean;
}

export interface Example extends Measured {
  /** > 0. */
  readonly weight: number;
}

/** Measures sets by the signals that the reader reports. */
export async function measureSets(
  sets: readonly LabeledSet[],
  reader: Reader,
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const { question, answerable, passages } of sets) {
    if (passages.length === 0) continue;
    const read = await reader.relevance({ question, passages });
    const signals = measureSet(read.passages.map((passage) => passage.signals));
    measured.push({ signals, positive: answerable });
  }
  return measured;
}

export interface CalibrationFigures {
  auc: number;
  /** Mean squared error of the probability. */
  brier: number;
  calibrationError: number;
  balancedAccuracy: number;
  /** Share of unanswerable sets called CORRECT. */
  falseCorrect: number;
  /** Share of answerable sets called INCORRECT. */
  falseIncorrect: number;
}

type Recalibrated =
  | {
      success: true;
      models: ReaderModels;
      before: CalibrationFigures;
      /** Cross-validated. */
      after: CalibrationFigures;
    }
  | { success: false; error: string };

/** @param maxFalseCorrect share of the unanswerable questions that may be called CORRECT */
export function recalibrate({
  sets,
  models,
  maxFalseCorrect,
}: {
  sets: readonly Measured[];
  models: ReaderModels;
  maxFalseCorrect: number;
}): Recalibrated {
  const error = tooFew(sets);
  if (error !== undefined) return { success: false, error };
  const fit = (cases: readonly Measured[]): { set: LogisticModel; cuts: Cuts } => {
    const set = applyPlatt(models.set, fitPlatt(asTheyCome(cases), models.set));
    return { set, cuts: cutsFor(judge(cases, set), maxFalseCorrect) };
  };
  const { set, cuts } = fit(sets);
  const heldOut = foldsOf(sets).flatMap((fold) => {
    const fitted = fit(sets.filter((each) => !fold.includes(each)));
    return judge(fold, fitted.set).map((judged) => ({ ...judged, cuts: fitted.cuts }));
  });
  return {
    success: true,
    models: { ...models, set, thresholds: { ...models.thresholds, ...cuts } },
    before: figures(judge(sets, models.set).map((j) => ({ ...j, cuts: models.thresholds }))),
    after: figures(heldOut),
  };
}

function tooFew(sets: readonly Measured[]): string | undefined {
  const { length } = sets;
  if (length < FEWEST_QUESTIONS)
    return `${length} labeled questions are too few: at least ${FEWEST_QUESTIONS} are needed`;
  const answerable = sets.filter(({ positive }) => positive).length;
  const rarer = Math.min(answerable, length - answerable);
  const kind = rarer === answerable ? "answerable" : "unanswerable";
  return rarer < FEWEST_OF_A_CLASS
    ? `only ${rarer} of ${length} questions are ${kind}: at least ${FEWEST_OF_A_CLASS} of each kind are needed`
    : undefined;
}

type Cuts = Pick<FittedThresholds, "correct" | "incorrect" | "abstainBelow">;

/** Unweighted, so that probabilities reflect the user's own share of answerable questions. */
function asTheyCome(cases: readonly Measured[]): Example[] {
  return cases.map((each) => ({ ...each, weight: 1 }));
}

function judge(cases: readonly Measured[], model: LogisticModel): Judged[] {
  return cases.map(({ signals, positive }) => ({ score: probability(signals, model), positive }));
}

const ITERATIONS = 30;
/** Ridge on the slope, as a share of the weight: separable data have no finite slope. */
const PENALTY = 0.003;

/** Fits slope (at least 0) and offset of a model's log-odds, by Newton's method (Platt 1999). */
export function fitPlatt(cases: readonly Example[], model: LogisticModel): Platt {
  if (cases.length === 0) return { slope: 1, offset: 0 };
  const points = cases.map((each) => ({ ...each, x: logOdds(each.signals, model) }));
  const total = points.reduce((sum, { weight }) => sum + weight, 0);
  const average = (value: (x: number) => number): number =>
    points.reduce((sum, { x, weight }) => sum + weight * value(x), 0) / total;
  const mean = average((x) => x);
  const scale = Math.sqrt(average((x) => (x - mean) ** 2)) || 1;
  let [bias, slope] = [0, 0];
  for (let iteration = 0; iteration < ITERATIONS; iteration += 1) {
    let [toBias, toSlope] = [0, PENALTY * total * slope];
    let [ofBias, ofBoth, ofSlope] = [1e-6, 0, PENALTY * total];
    for (const { x, positive, weight } of points) {
      const z = (x - mean) / scale;
      const p = sigmoid(bias + slope * z);
      const curvature = weight * p * (1 - p);
      toBias += weight * (p - Number(positive));
      toSlope += weight * (p - Number(positive)) * z;
      ofBias += curvature;
      ofBoth += curvature * z;
      ofSlope += curvature * z * z;
    }
    const determinant = ofBias * ofSlope - ofBoth ** 2;
    bias -= (toBias * ofSlope - toSlope * ofBoth) / determinant;
    slope -= (toSlope * ofBias - toBias * ofBoth) / determinant;
  }
  if (slope <= 0) {
    const positives = points.reduce((sum, each) => sum + (each.positive ? each.weight : 0), 0);
    return { slope: 0, offset: sixFigures(Math.log(positives / (total - positives))) };
  }
  return { slope: sixFigures(slope / scale), offset: sixFigures(bias - (slope * mean) / scale) };
}

function sixFigures(value: number): number {
  return Number(value.toPrecision(6));
}

/** Returns the model whose log-odds are slope · log-odds + offset. */
export function applyPlatt({ bias, signals }: LogisticModel, platt: Platt): LogisticModel {
  return {
    bias: platt.slope * bias + platt.offset,
    signals: Object.fromEntries(
      Object.entries(signals).map(([name, signal]) => [
        name,
        { ...signal, weight: platt.slope * signal.weight },
      ]),
    ),
  };
}

function cutsFor(cases: readonly Judged[], maxFalseCorrect: number): Cuts {
  const candidates = [...new Set(cases.map(({ score }) => score)), 1].sort((a, b) => a - b);
  const correct =
    candidates.find((cut) => ratesAt(cases, cut).falsePositiveRate <= maxFalseCorrect) ?? 1;
  const losing = (share: number): number =>
    candidates.findLast((cut) => ratesAt(cases, cut).falseNegativeRate <= share) ?? 0;
  return {
    correct: Math.min(1, Math.ceil(correct * 1000) / 1000),
    incorrect: Math.floor(Math.min(correct, losing(AIMS.falseIncorrect)) * 1000) / 1000,
    abstainBelow: Math.floor(Math.min(correct, losing(AIMS.falseAbstain)) * 1000) / 1000,
  };
}

/** Stratified folds, by place in the file. */
function foldsOf(cases: readonly Measured[]): Measured[][] {
  const folds: Measured[][] = Array.from({ length: FOLDS }, () => []);
  for (const positive of [true, false])
    for (const [index, each] of cases.filter((one) => one.positive === positive).entries())
      folds[index % FOLDS]?.push(each);
  return folds;
}

function figures(cases: readonly (Judged & { cuts: Cuts })[]): CalibrationFigures {
  const reaches = (cut: keyof Cuts): Judged[] =>
    cases.map(({ score, positive, cuts }) => ({ score: score >= cuts[cut] ? 1 : 0, positive }));
  const rates = ratesAt(reaches("correct"), 0.5);
  return {
    auc: auc(cases),
    brier: brierScore(cases),
    calibrationError: calibrationError(cases),
    balancedAccuracy: rates.balancedAccuracy,
    falseCorrect: rates.falsePositiveRate,
    falseIncorrect: ratesAt(reaches("incorrect"), 0.5).falseNegativeRate,
  };
}
