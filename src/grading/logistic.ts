/** Logistic regression over named, standardised features: small enough to read, fitted by Newton's method, shipped as JSON. */
import { z } from "zod";

/** Means, scales and weights by the name of the feature; a feature that the file does not name counts nothing. */
export const LogisticModelSchema = z.object({
  version: z.literal(1),
  bias: z.number(),
  features: z.record(
    z.string(),
    z.object({ mean: z.number(), scale: z.number().positive(), weight: z.number() }),
  ),
});
export type LogisticModel = z.infer<typeof LogisticModelSchema>;

/** Probability of the positive class, 0–1. */
export function probability(
  features: Readonly<Record<string, number>>,
  model: LogisticModel,
): number {
  return 1 / (1 + Math.exp(-linearScore(features, model)));
}

/** Log-odds of the positive class; in a model that chooses one of several, what its softmax is taken of. */
export function linearScore(
  features: Readonly<Record<string, number>>,
  model: LogisticModel,
): number {
  let score = model.bias;
  for (const { name, mean, scale, weight } of linesOf(model))
    score += (weight * ((features[name] ?? mean) - mean)) / scale;
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
