import type { Example } from "./recalibrate.js";
import type { LogisticModel } from "../src/reader/weights.js";

/** What a signal speaks for, and with that the sign that its weight must have. */
export type Sign = "for" | "against";

/**
 * Fits a weighted ridge logistic regression by Newton's method. A weight of the wrong sign is an
 * accident of the data at hand and does not carry over to other data: such a signal is dropped, the
 * worst first, and the rest is fitted again. Deterministic.
 *
 * @param penalty L2 penalty on the standardized weights, as a share of the examples' summed weight
 */
export function fitLogistic(
  examples: readonly Example[],
  signs: Readonly<Record<string, Sign>>,
  penalty = 0.003,
): LogisticModel {
  const total = examples.reduce((sum, { weight }) => sum + weight, 0);
  let active = Object.keys(signs).map((name) => standardize(name, examples, total));
  for (;;) {
    const weights = newton(
      examples.map(({ signals }) => [
        1,
        ...active.map(({ name, mean, scale }) => ((signals[name] ?? mean) - mean) / scale),
      ]),
      examples,
      [0, ...active.map(() => penalty * total)],
    );
    const worst = active
      .map((signal, index) => ({
        signal,
        wrong: wrongness(signs[signal.name], weights[index + 1]),
      }))
      .sort((a, b) => b.wrong - a.wrong)[0];
    if (worst === undefined || worst.wrong <= 0)
      return {
        bias: round(weights[0] ?? 0),
        signals: Object.fromEntries(
          active.map(({ name, mean, scale }, index) => [
            name,
            { mean: round(mean), scale: round(scale), weight: round(weights[index + 1] ?? 0) },
          ]),
        ),
      };
    active = active.filter((signal) => signal !== worst.signal);
  }
}

function wrongness(sign: Sign | undefined, weight = 0): number {
  return sign === "for" ? -weight : weight;
}

function standardize(
  name: string,
  examples: readonly Example[],
  total: number,
): { name: string; mean: number; scale: number } {
  const average = (value: (signal: number) => number): number =>
    examples.reduce((sum, { signals, weight }) => sum + weight * value(signals[name] ?? 0), 0) /
    total;
  const mean = average((signal) => signal);
  return { name, mean, scale: Math.sqrt(average((signal) => (signal - mean) ** 2)) || 1 };
}

/** Six figures are more than the data can tell; they keep the file small and readable. */
function round(value: number): number {
  return Number(value.toPrecision(6));
}

const ITERATIONS = 30;

function newton(
  rows: readonly (readonly number[])[],
  examples: readonly Example[],
  penalties: readonly number[],
): number[] {
  const size = penalties.length;
  let weights = new Array<number>(size).fill(0);
  for (let iteration = 0; iteration < ITERATIONS; iteration += 1) {
    const gradient = weights.map((weight, i) => (penalties[i] ?? 0) * weight);
    const hessian = weights.map((_, i) =>
      weights.map((__, j) => (i === j ? (penalties[i] ?? 0) + 1e-6 : 0)),
    );
    rows.forEach((row, index) => {
      const { positive = false, weight = 1 } = examples[index] ?? {};
      const z = row.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0);
      const p = 1 / (1 + Math.exp(-z));
      const error = weight * (p - Number(positive));
      const curvature = weight * p * (1 - p);
      row.forEach((value, i) => {
        gradient[i] = (gradient[i] ?? 0) + error * value;
        const line = hessian[i] ?? [];
        for (let j = 0; j < size; j += 1)
          line[j] = (line[j] ?? 0) + curvature * value * (row[j] ?? 0);
      });
    });
    const step = solve(hessian, gradient);
    // A step this long comes only from data that a line separates perfectly.
    const longest = Math.max(...step.map(Math.abs));
    const shorten = longest > 5 ? 5 / longest : 1;
    weights = weights.map((weight, i) => weight - shorten * (step[i] ?? 0));
    if (longest < 1e-8) break;
  }
  return weights;
}

/** Solves A x = b by Gaussian elimination with pivoting. */
function solve(matrix: readonly (readonly number[])[], vector: readonly number[]): number[] {
  const a = matrix.map((row, i) => [...row, vector[i] ?? 0]);
  const size = a.length;
  for (let column = 0; column < size; column += 1) {
    let pivot = column;
    for (let row = column + 1; row < size; row += 1)
      if (Math.abs(a[row]?.[column] ?? 0) > Math.abs(a[pivot]?.[column] ?? 0)) pivot = row;
    const [top = [], other = []] = [a[column], a[pivot]];
    a[column] = other;
    if (pivot !== column) a[pivot] = top;
    for (const [row, line] of a.entries()) {
      const factor = row === column ? 0 : (line[column] ?? 0) / (other[column] ?? 1);
      if (factor !== 0)
        for (let k = column; k <= size; k += 1) line[k] = (line[k] ?? 0) - factor * (other[k] ?? 0);
    }
  }
  return a.map((row, i) => (row[size] ?? 0) / (row[i] ?? 1));
}
