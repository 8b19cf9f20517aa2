/** The claim model: logistic regression over standardised features. The weights are a small file made by `fitClaimModel`. */
import { z } from "zod";
import type { ClaimFeature, ClaimFeatures } from "./claim-features.js";
import { CLAIM_FEATURES } from "./claim-features.js";
import shippedWeights from "./claim-weights.json" with { type: "json" };

/** Means, scales and weights by the name of the feature; a feature that the file does not name counts nothing. */
export const ClaimModelSchema = z.object({
  version: z.literal(1),
  bias: z.number(),
  features: z.record(z.string(), z.object({ mean: z.number(), scale: z.number().positive(), weight: z.number() })),
});
export type ClaimModel = z.infer<typeof ClaimModelSchema>;

export const CLAIM_MODEL: ClaimModel = ClaimModelSchema.parse(shippedWeights);

/** Probability, 0–1, that the evidence supports the claim. */
export function claimProbability(features: ClaimFeatures, model: ClaimModel = CLAIM_MODEL): number {
  let logit = model.bias;
  for (const name of CLAIM_FEATURES) logit += contribution(features, name, model);
  return 1 / (1 + Math.exp(-logit));
}

function contribution(features: ClaimFeatures, name: ClaimFeature, model: ClaimModel): number {
  const own = model.features[name];
  return own === undefined ? 0 : (own.weight * (features[name] - own.mean)) / own.scale;
}

/**
 * Fits the model by Newton's method with an L2 penalty (ridge) on the standardised weights. Deterministic: the same examples in the same order
 * give the same model.
 */
export function fitClaimModel(examples: readonly { features: ClaimFeatures; supported: boolean }[], penalty = 5, names: readonly ClaimFeature[] = CLAIM_FEATURES): ClaimModel {
  const standard = names.map((name) => {
    const values = examples.map((example) => example.features[name]);
    const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length);
    return { name, mean, scale: Math.sqrt(variance) || 1 };
  });
  const rows = examples.map((example) => [1, ...standard.map(({ name, mean, scale }) => (example.features[name] - mean) / scale)]);
  const labels = examples.map((example) => (example.supported ? 1 : 0));
  const weights = newton(rows, labels, penalty);
  return {
    version: 1,
    bias: round(weights[0] ?? 0),
    features: Object.fromEntries(
      standard.map(({ name, mean, scale }, index) => [name, { mean: round(mean), scale: round(scale), weight: round(weights[index + 1] ?? 0) }]),
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
