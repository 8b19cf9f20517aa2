/** Logistic regression over named, standardised features: small enough to read, fitted by Newton's method, shipped as JSON. */
import { z } from "zod";

/** Means, scales and weights by the name of the feature; a feature that the file does not name counts nothing. */
export const LogisticModelSchema = z.object({
  version: z.literal(1),
  bias: z.number(),
  features: z.record(z.string(), z.object({ mean: z.number(), scale: z.number().positive(), weight: z.number() })),
});
export type LogisticModel = z.infer<typeof LogisticModelSchema>;

/** Probability of the positive class, 0–1. */
export function probability(features: Readonly<Record<string, number>>, model: LogisticModel): number {
  return 1 / (1 + Math.exp(-linearScore(features, model)));
}

/** Log-odds of the positive class; in a model that chooses one of several, what its softmax is taken of. */
export function linearScore(features: Readonly<Record<string, number>>, model: LogisticModel): number {
  let score = model.bias;
  for (const { name, mean, scale, weight } of linesOf(model)) score += (weight * ((features[name] ?? mean) - mean)) / scale;
  return score;
}

interface Line {
  name: string;
  mean: number;
  scale: number;
  weight: number;
}

/** A model is asked thousands of times for one question; listing its features anew each time would take longer than the sum. */
const lines = new WeakMap<LogisticModel, readonly Line[]>();

function linesOf(model: LogisticModel): readonly Line[] {
  const known = lines.get(model);
  if (known !== undefined) return known;
  const listed = Object.entries(model.features).map(([name, feature]) => ({ name, ...feature }));
  lines.set(model, listed);
  return listed;
}

/**
 * Fits a model by Newton's method with an L2 penalty (ridge) on the standardised weights. Deterministic: the same examples in the same order
 * give the same model.
 */
export function fitLogistic<Name extends string>(
  examples: readonly { features: Readonly<Record<Name, number>>; positive: boolean }[],
  names: readonly Name[],
  penalty = 20,
): LogisticModel {
  const standard = names.map((name) => {
    const values = examples.map(({ features }) => features[name]);
    const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length);
    return { name, mean, scale: Math.sqrt(variance) || 1 };
  });
  const rows = examples.map(({ features }) => [1, ...standard.map(({ name, mean, scale }) => (features[name] - mean) / scale)]);
  const weights = newton(
    rows,
    examples.map(({ positive }) => (positive ? 1 : 0)),
    penalty,
  );
  return {
    version: 1,
    bias: round(weights[0] ?? 0),
    features: Object.fromEntries(
      standard.map(({ name, mean, scale }, index) => [
        name,
        { mean: round(mean), scale: round(scale), weight: round(weights[index + 1] ?? 0) },
      ]),
    ),
  };
}

const ITERATIONS = 25;

function newton(rows: readonly (readonly number[])[], labels: readonly number[], penalty: number): number[] {
  const size = rows[0]?.length ?? 1;
  let weights = new Array<number>(size).fill(0);
  for (let iteration = 0; iteration < ITERATIONS; iteration += 1) {
    const gradient = weights.map((weight, index) => (index === 0 ? 0 : penalty * weight));
    const hessian = weights.map((_, i) => weights.map((__, j) => (i === j ? (i === 0 ? 1e-9 : penalty) : 0)));
    for (const [index, row] of rows.entries()) {
      const logit = row.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);
      const p = 1 / (1 + Math.exp(-logit));
      const error = p - (labels[index] ?? 0);
      for (const [i, left] of row.entries()) {
        gradient[i] = (gradient[i] ?? 0) + error * left;
        const line = hessian[i];
        if (line !== undefined) for (const [j, right] of row.entries()) line[j] = (line[j] ?? 0) + p * (1 - p) * left * right;
      }
    }
    const step = solve(hessian, gradient);
    weights = weights.map((weight, index) => weight - (step[index] ?? 0));
    if (Math.max(...step.map(Math.abs)) < 1e-9) break;
  }
  return weights;
}

/** Solves A x = b by Gaussian elimination with pivoting; A is positive definite here. */
function solve(matrix: readonly (readonly number[])[], vector: readonly number[]): number[] {
  const rows = matrix.map((row, index) => [...row, vector[index] ?? 0]);
  const size = rows.length;
  for (let column = 0; column < size; column += 1) {
    let pivot = column;
    for (let row = column + 1; row < size; row += 1) {
      if (Math.abs(rows[row]?.[column] ?? 0) > Math.abs(rows[pivot]?.[column] ?? 0)) pivot = row;
    }
    const top = rows[pivot] ?? [];
    rows[pivot] = rows[column] ?? [];
    rows[column] = top;
    for (let row = 0; row < size; row += 1) {
      if (row === column) continue;
      const own = rows[row] ?? [];
      const factor = (own[column] ?? 0) / (top[column] || 1);
      rows[row] = own.map((value, at) => value - factor * (top[at] ?? 0));
    }
  }
  return rows.map((row, index) => (row[size] ?? 0) / (row[index] || 1));
}

function round(value: number): number {
  return Number(value.toPrecision(6));
}
