import type { LogisticModel } from "../logistic.js";
import { solve } from "./solve.js";

export interface Example<Name extends string> {
  features: Readonly<Record<Name, number>>;
  positive: boolean;
  /** How much it counts, > 0. */
  weight: number;
}

/**
 * Weighted ridge logistic regression whose weights may not be negative: every feature of the judge can only speak for relevance, so a
 * negative weight is an accident of the data at hand and does not carry over to other data. Newton's method; a feature whose weight comes
 * out negative is dropped, the most negative first, and the rest is fitted again. Deterministic.
 *
 * @param penalty L2 penalty on the standardised weights, one for all or one for each, against weights of examples that sum to their number.
 */
export function fitNonNegative<Name extends string>(
  examples: readonly Example<Name>[],
  names: readonly Name[],
  penalty: number | Readonly<Record<Name, number>>,
): LogisticModel {
  let active = standardised(examples, names);
  for (;;) {
    const penalties = active.map(({ name }) =>
      typeof penalty === "number" ? penalty : penalty[name],
    );
    const weights = fitWeights(examples, active, [0, ...penalties]);
    const lowest = active
      .map((feature, i) => ({ feature, weight: weights[i + 1] ?? 0 }))
      .sort((a, b) => a.weight - b.weight)[0];
    if (lowest !== undefined && lowest.weight < 0) {
      active = active.filter((feature) => feature !== lowest.feature);
      continue;
    }
    return modelOf(active, weights);
  }
}

/**
 * Logistic regression with a ridge whose weights may have either sign: for features that say different things together than alone.
 * Newton's method. Deterministic: the same examples in the same order give the same model.
 */
export function fitLogistic<Name extends string>(
  examples: readonly { features: Readonly<Record<Name, number>>; positive: boolean }[],
  names: readonly Name[],
  penalty = 20,
): LogisticModel {
  const weighted = examples.map((example) => ({ ...example, weight: 1 }));
  const standard = standardised(weighted, names);
  return modelOf(standard, fitWeights(weighted, standard, [0, ...names.map(() => penalty)]));
}

/** A feature with what it is standardised by. */
interface Standard<Name extends string> {
  name: Name;
  mean: number;
  scale: number;
}

function standardised<Name extends string>(
  examples: readonly Example<Name>[],
  names: readonly Name[],
): Standard<Name>[] {
  return names.map((name) => {
    const mean = average(examples, (example) => example.features[name]);
    const variance = average(examples, (example) => (example.features[name] - mean) ** 2);
    return { name, mean, scale: Math.sqrt(variance) || 1 };
  });
}

/** @param penalties of the intercept, then of each feature */
function fitWeights<Name extends string>(
  examples: readonly Example<Name>[],
  standard: readonly Standard<Name>[],
  penalties: readonly number[],
): number[] {
  return newton(
    examples.map(({ features }) => [
      1,
      ...standard.map(({ name, mean, scale }) => (features[name] - mean) / scale),
    ]),
    examples.map(({ positive }) => (positive ? 1 : 0)),
    examples.map(({ weight }) => weight),
    penalties,
  );
}

function modelOf(standard: readonly Standard<string>[], weights: readonly number[]): LogisticModel {
  return {
    version: 1,
    bias: round(weights[0] ?? 0),
    features: Object.fromEntries(
      standard.map(({ name, mean, scale }, i) => [
        name,
        { mean: round(mean), scale: round(scale), weight: round(weights[i + 1] ?? 0) },
      ]),
    ),
  };
}

function average<Name extends string>(
  examples: readonly Example<Name>[],
  value: (example: Example<Name>) => number,
): number {
  let sum = 0;
  let total = 0;
  for (const example of examples) {
    sum += example.weight * value(example);
    total += example.weight;
  }
  return total === 0 ? 0 : sum / total;
}

const ITERATIONS = 30;

/** Weights of a logistic regression, each with its penalty; the first column of the rows is the intercept. */
export function newton(
  rows: readonly (readonly number[])[],
  labels: readonly number[],
  importance: readonly number[],
  penalties: readonly number[],
): number[] {
  const size = rows[0]?.length ?? 1;
  let weights = new Array<number>(size).fill(0);
  for (let iteration = 0; iteration < ITERATIONS; iteration += 1) {
    const gradient = weights.map((weight, i) => (penalties[i] ?? 0) * weight);
    const hessian = weights.map((_, i) =>
      weights.map((__, j) => (i === j ? (penalties[i] ?? 0) + 1e-6 : 0)),
    );
    rows.forEach((row, index) => {
      let z = 0;
      for (let i = 0; i < size; i += 1) z += (row[i] ?? 0) * (weights[i] ?? 0);
      const p = 1 / (1 + Math.exp(-z));
      const counts = importance[index] ?? 1;
      const error = counts * (p - (labels[index] ?? 0));
      const curvature = counts * p * (1 - p);
      for (let i = 0; i < size; i += 1) {
        gradient[i] = (gradient[i] ?? 0) + error * (row[i] ?? 0);
        const line = hessian[i];
        if (line === undefined) continue;
        for (let j = 0; j < size; j += 1)
          line[j] = (line[j] ?? 0) + curvature * (row[i] ?? 0) * (row[j] ?? 0);
      }
    });
    const step = solve(hessian, gradient);
    // A step this long comes only from data that a line separates perfectly; it is shortened so that the search stays stable.
    const longest = Math.max(...step.map(Math.abs));
    const shorten = longest > 5 ? 5 / longest : 1;
    weights = weights.map((weight, i) => weight - shorten * (step[i] ?? 0));
    if (longest < 1e-9) break;
  }
  return weights;
}

/** Six figures are more than the data can tell; they keep the file small and readable. */
function round(value: number): number {
  return Number(value.toPrecision(6));
}
