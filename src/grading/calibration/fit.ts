import type { LogisticModel } from "../logistic.js";

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
  const standard = names.map((name) => {
    const mean = average(examples, (example) => example.features[name]);
    const variance = average(examples, (example) => (example.features[name] - mean) ** 2);
    return { name, mean, scale: Math.sqrt(variance) || 1 };
  });
  const labels = examples.map(({ positive }) => (positive ? 1 : 0));
  const importance = examples.map(({ weight }) => weight);
  let active = standard;
  for (;;) {
    const rows = examples.map(({ features }) => [1, ...active.map(({ name, mean, scale }) => (features[name] - mean) / scale)]);
    const penalties = active.map(({ name }) => (typeof penalty === "number" ? penalty : penalty[name]));
    const weights = newton(rows, labels, importance, [0, ...penalties]);
    const lowest = active.map((feature, i) => ({ feature, weight: weights[i + 1] ?? 0 })).sort((a, b) => a.weight - b.weight)[0];
    if (lowest !== undefined && lowest.weight < 0) {
      active = active.filter((feature) => feature !== lowest.feature);
      continue;
    }
    return {
      version: 1,
      bias: round(weights[0] ?? 0),
      features: Object.fromEntries(
        active.map(({ name, mean, scale }, i) => [name, { mean: round(mean), scale: round(scale), weight: round(weights[i + 1] ?? 0) }]),
      ),
    };
  }
}

function average<Name extends string>(examples: readonly Example<Name>[], value: (example: Example<Name>) => number): number {
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
    const hessian = weights.map((_, i) => weights.map((__, j) => (i === j ? (penalties[i] ?? 0) + 1e-6 : 0)));
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
        for (let j = 0; j < size; j += 1) line[j] = (line[j] ?? 0) + curvature * (row[i] ?? 0) * (row[j] ?? 0);
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

/** Gaussian elimination with pivoting. */
function solve(matrix: readonly (readonly number[])[], vector: readonly number[]): number[] {
  const a = matrix.map((row, i) => [...row, vector[i] ?? 0]);
  const size = a.length;
  for (let column = 0; column < size; column += 1) {
    let pivot = column;
    for (let row = column + 1; row < size; row += 1) if (Math.abs(a[row]?.[column] ?? 0) > Math.abs(a[pivot]?.[column] ?? 0)) pivot = row;
    const [top, other] = [a[column], a[pivot]];
    if (top === undefined || other === undefined) continue;
    a[column] = other;
    if (pivot !== column) a[pivot] = top;
    const divisor = other[column] ?? 0;
    if (divisor === 0) continue;
    for (let row = 0; row < size; row += 1) {
      const line = a[row];
      if (row === column || line === undefined) continue;
      const factor = (line[column] ?? 0) / divisor;
      if (factor !== 0) for (let k = column; k <= size; k += 1) line[k] = (line[k] ?? 0) - factor * (other[k] ?? 0);
    }
  }
  return a.map((row, i) => (row[i] ? (row[size] ?? 0) / (row[i] ?? 1) : 0));
}

/** Six figures are more than the data can tell; they keep the file small and readable. */
function round(value: number): number {
  return Number(value.toPrecision(6));
}
