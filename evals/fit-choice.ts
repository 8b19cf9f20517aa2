/** Conditional logit (McFadden 1974): learns to choose one of several, such as the answer among the stretches of a few sentences. */
import { solve } from "../src/grading/calibration/solve.js";
import { linearScore, type LogisticModel } from "../src/grading/logistic.js";

export interface Option {
  /** In the order of the names. */
  features: Float64Array;
  /** More than one may be right. */
  right: boolean;
}

const ROUNDS = 12;

/**
 * Fits the weights under which a softmax over the options of each question puts most on the right ones; questions without a right option
 * teach nothing. L2 penalty on the standardised weights. Deterministic.
 *
 * @param counts how much each question counts; 1 where nothing is said
 */
export function fitChoice(
  questions: readonly (readonly Option[])[],
  names: readonly string[],
  penalty: number,
  counts: readonly number[] = [],
): LogisticModel {
  const taught = questions.flatMap((options, index) =>
    options.some(({ right }) => right) ? [{ options, count: counts[index] ?? 1 }] : [],
  );
  const size = names.length;
  const { means, scales } = standards(
    taught.flatMap(({ options }) => options),
    size,
  );
  const rows = taught.map(({ options, count }) => ({
    count,
    options: options.map(({ features, right }) => ({
      right,
      values: Float64Array.from(
        features,
        (value, at) => (value - (means[at] ?? 0)) / (scales[at] ?? 1),
      ),
    })),
  }));
  let weights = new Float64Array(size);
  for (let round = 0; round < ROUNDS; round += 1) {
    const gradient = Float64Array.from(weights, (weight) => penalty * weight);
    const hessian = Array.from({ length: size }, (_, i) =>
      Float64Array.from({ length: size }, (__, j) => (i === j ? penalty : 0)),
    );
    for (const question of rows) addQuestion(question, weights, gradient, hessian);
    const step = solve(hessian, gradient);
    const before = loss(rows, weights, penalty);
    // A full step may overshoot: the softmax is flat far out.
    let [length, next] = [1, weights];
    do {
      next = weights.map((weight, at) => weight - length * (step[at] ?? 0));
      length /= 2;
    } while (loss(rows, next, penalty) > before && length > 1e-3);
    weights = next;
    if (step.every((change) => Math.abs(change) < 1e-4)) break;
  }
  return {
    version: 1,
    bias: 0,
    features: Object.fromEntries(
      names.map((name, at) => [
        name,
        { mean: round(means[at]), scale: round(scales[at]), weight: round(weights[at]) },
      ]),
    ),
  };
}

/**
 * The model with an intercept under which "none of them", an option of score 0, is chosen as often as no option is right: the probabilities
 * then sum to that of an answer. The order of the options stays. Deterministic.
 */
export function fitNone(
  questions: readonly (readonly Option[])[],
  names: readonly string[],
  model: LogisticModel,
): LogisticModel {
  const answered = questions.filter((options) => options.some(({ right }) => right)).length;
  const sums = questions.map((options) =>
    logSum(
      options.map(({ features }) =>
        linearScore(Object.fromEntries(names.map((name, at) => [name, features[at] ?? 0])), model),
      ),
    ),
  );
  let [low, high] = [-50, 50];
  for (let step = 0; step < 60; step += 1) {
    const bias = (low + high) / 2;
    const expected = sums.reduce((sum, own) => sum + 1 / (1 + Math.exp(-own - bias)), 0);
    if (expected < answered) low = bias;
    else high = bias;
  }
  return { ...model, bias: round((low + high) / 2) };
}

interface Row {
  values: Float64Array;
  right: boolean;
}

interface Question {
  options: readonly Row[];
  count: number;
}

function scoreOf({ values }: Row, weights: Float64Array): number {
  let score = 0;
  for (let at = 0; at < values.length; at += 1) score += (values[at] ?? 0) * (weights[at] ?? 0);
  return score;
}

/** −log of the likelihood, with the penalty. */
function loss(questions: readonly Question[], weights: Float64Array, penalty: number): number {
  let sum = weights.reduce((total, weight) => total + (penalty / 2) * weight ** 2, 0);
  for (const { options, count } of questions) {
    const scores = options.map((option) => scoreOf(option, weights));
    const all = logSum(scores);
    sum += count * (all - logSum(scores.filter((_, index) => options[index]?.right === true)));
  }
  return sum;
}

function logSum(scores: readonly number[]): number {
  const highest = Math.max(...scores);
  return highest + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - highest), 0));
}

/** The gradient of −log P(one of the right ones), and the part of its curvature that is never negative. */
function addQuestion(
  { options, count }: Question,
  weights: Float64Array,
  gradient: Float64Array,
  hessian: readonly Float64Array[],
): void {
  const scores = options.map((option) => scoreOf(option, weights));
  const all = logSum(scores);
  const right = logSum(scores.filter((_, index) => options[index]?.right === true));
  const mean = new Float64Array(weights.length);
  for (const [index, { values, right: isRight }] of options.entries()) {
    const p = Math.exp((scores[index] ?? 0) - all);
    const wanted = isRight ? Math.exp((scores[index] ?? 0) - right) : 0;
    for (let i = 0; i < values.length; i += 1) {
      const value = values[i] ?? 0;
      gradient[i] = (gradient[i] ?? 0) + count * (p - wanted) * value;
      mean[i] = (mean[i] ?? 0) + p * value;
      const line = hessian[i];
      if (line === undefined || value === 0 || p < 1e-9) continue;
      for (let j = 0; j < values.length; j += 1)
        line[j] = (line[j] ?? 0) + count * p * value * (values[j] ?? 0);
    }
  }
  for (const [i, line] of hessian.entries())
    for (let j = 0; j < mean.length; j += 1)
      line[j] = (line[j] ?? 0) - count * (mean[i] ?? 0) * (mean[j] ?? 0);
}

function standards(
  options: readonly Option[],
  size: number,
): { means: number[]; scales: number[] } {
  const at = Array.from({ length: size }, (_, index) => index);
  const count = Math.max(1, options.length);
  const means = at.map(
    (index) => options.reduce((sum, { features }) => sum + (features[index] ?? 0), 0) / count,
  );
  const scales = at.map(
    (index) =>
      Math.sqrt(
        options.reduce(
          (sum, { features }) => sum + ((features[index] ?? 0) - (means[index] ?? 0)) ** 2,
          0,
        ) / count,
      ) || 1,
  );
  return { means, scales };
}

function round(value = 0): number {
  return Number(value.toPrecision(6));
}
