import { ratesAt, auc, brierScore, calibrationError } from "./metrics.js";
import type { Judged } from "./metrics.js";
import { newton } from "./fit.js";
import { AIMS } from "./train.js";
import type { LabelledSet } from "./evidence-set.js";
import { judgeEvidence } from "../judge/judge.js";
import { applyPlatt, logit } from "../judge/model.js";
import type { JudgeModel, JudgeThresholds, Platt } from "../judge/model.js";

/** What the user wants of the cut-offs. */
export type Wish =
  | { kind: "max_false_correct"; share: number }
  /** Prices in one unit: of one more search, and of an answer from evidence that does not answer. */
  | { kind: "cost"; web: number; wrong: number };

export const FEWEST_QUESTIONS = 50;
/** With fewer of the rarer class a fit would be drawn from a handful of cases. */
const FEWEST_OF_A_CLASS = 10;
const FOLDS = 5;
/** Ridge on the Platt map towards leaving the probabilities as they are. */
const PENALTY = 1;

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

export interface CalibrationResult {
  model: JudgeModel;
  questions: number;
  answerable: number;
  wish: Wish;
  before: CalibrationFigures;
  /** Each question judged by a fit that did not see it. */
  after: CalibrationFigures;
}

export type Calibrated =
  { success: true; value: CalibrationResult } | { success: false; error: string };

/**
 * Fits the set probability (Platt) and the cut-offs to labelled questions. Too few questions, or nearly all of one class, are refused.
 * Deterministic.
 */
export function calibrate({
  sets,
  base,
  wish,
}: {
  sets: readonly LabelledSet[];
  base: JudgeModel;
  wish: Wish;
}): Calibrated {
  const answerable = sets.filter((set) => set.answerable).length;
  if (sets.length < FEWEST_QUESTIONS)
    return {
      success: false,
      error: `${sets.length} labelled questions are too few: at least ${FEWEST_QUESTIONS} are needed`,
    };
  const rarer = Math.min(answerable, sets.length - answerable);
  if (rarer < FEWEST_OF_A_CLASS)
    return {
      success: false,
      error: `only ${rarer} of ${sets.length} questions are ${answerable < sets.length / 2 ? "answerable" : "unanswerable"}: at least ${FEWEST_OF_A_CLASS} of each kind are needed`,
    };
  const raw = { ...base, calibration: undefined };
  const cases = sets.map((set) => ({
    score: judgeEvidence({ question: set.question, passages: set.passages, model: raw }).set,
    positive: set.answerable,
  }));
  const heldOut = spread(cases).flatMap((fold, i, folds) => {
    const rest = folds.filter((_, other) => other !== i).flat();
    const platt = fitPlatt(rest);
    const thresholds = fitThresholds(mapped(rest, platt), wish);
    return mapped(fold, platt).map((judged) => ({ ...judged, thresholds }));
  });
  const platt = fitPlatt(cases);
  const before = base.calibration === undefined ? cases : mapped(cases, base.calibration.set);
  return {
    success: true,
    value: {
      model: {
        ...base,
        calibration: { set: platt },
        thresholds: fitThresholds(mapped(cases, platt), wish),
      },
      questions: sets.length,
      answerable,
      wish,
      before: figures(before.map((judged) => ({ ...judged, thresholds: base.thresholds }))),
      after: figures(heldOut),
    },
  };
}

/** Slope and offset by logistic regression on the log-odds, drawn towards 1 and 0. The slope never turns the order round. */
export function fitPlatt(cases: readonly Judged[]): Platt {
  const rows = cases.map(({ score }) => [1, logit(score)]);
  const [offset = 0, slope = 1] = newton(
    rows,
    cases.map(({ positive }) => (positive ? 1 : 0)),
    cases.map(() => 1),
    [0, PENALTY],
  );
  return {
    slope: Math.max(0, Number(slope.toPrecision(6))),
    offset: Number(offset.toPrecision(6)),
  };
}

/** Cut-offs on calibrated probabilities that grant the wish on these cases. */
export function fitThresholds(cases: readonly Judged[], wish: Wish): JudgeThresholds {
  const candidates = [...new Set(cases.map(({ score }) => score)), 1].sort((a, b) => a - b);
  const correct =
    wish.kind === "max_false_correct"
      ? (candidates.find((cut) => ratesAt(cases, cut).falsePositiveRate <= wish.share) ?? 1)
      : // To answer costs the price of a wrong answer where the evidence does not answer; not to costs a search.
        argMin(candidates, (cut) =>
          cases.reduce(
            (sum, { score, positive }) =>
              sum + (score >= cut ? (positive ? 0 : wish.wrong) : wish.web),
            0,
          ),
        );
  const losing = (share: number): number =>
    roundDown(
      Math.min(
        correct,
        largestWithin(candidates, (cut) => ratesAt(cases, cut).falseNegativeRate <= share),
      ),
    );
  return {
    correct: roundUp(correct),
    incorrect: losing(AIMS.falseIncorrect),
    abstainBelow: losing(AIMS.falseAbstain),
  };
}

function largestWithin(candidates: readonly number[], holds: (cut: number) => boolean): number {
  return candidates.findLast(holds) ?? 0;
}

function argMin(candidates: readonly number[], cost: (cut: number) => number): number {
  return candidates.reduce<{ cut: number; cost: number }>(
    (best, cut) => {
      const price = cost(cut);
      return price < best.cost ? { cut, cost: price } : best;
    },
    { cut: 1, cost: Infinity },
  ).cut;
}

const roundUp = (value: number): number => Math.min(1, Math.ceil(value * 1000) / 1000);
const roundDown = (value: number): number => Math.floor(value * 1000) / 1000;

function mapped(cases: readonly Judged[], platt: Platt): Judged[] {
  return cases.map(({ score, positive }) => ({ score: applyPlatt(score, platt), positive }));
}

/** Folds with like shares of both classes, by place in the file. */
function spread(cases: readonly Judged[]): Judged[][] {
  const folds: Judged[][] = Array.from({ length: FOLDS }, () => []);
  for (const positive of [true, false])
    cases
      .filter((judged) => judged.positive === positive)
      .forEach((judged, i) => folds[i % FOLDS]?.push(judged));
  return folds;
}

function figures(cases: readonly (Judged & { thresholds: JudgeThresholds })[]): CalibrationFigures {
  const correct = cases.map(({ score, positive, thresholds }) => ({
    score: score >= thresholds.correct ? 1 : 0,
    positive,
  }));
  const notIncorrect = cases.map(({ score, positive, thresholds }) => ({
    score: score >= thresholds.incorrect ? 1 : 0,
    positive,
  }));
  const rates = ratesAt(correct, 0.5);
  return {
    auc: auc(cases),
    brier: brierScore(cases),
    calibrationError: calibrationError(cases),
    balancedAccuracy: rates.balancedAccuracy,
    falseCorrect: rates.falsePositiveRate,
    falseIncorrect: ratesAt(notIncorrect, 0.5).falseNegativeRate,
  };
}
