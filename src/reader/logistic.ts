/** Logistic regression over named, standardized signals: small enough to read, shipped as JSON. */
import { z } from "zod";

/**
 * Mean, scale and weight by the name of a signal; one that the file does not name counts nothing.
 */
export const LogisticModelSchema = z.object({
  bias: z.number(),
  signals: z.record(
    z.string(),
    z.object({ mean: z.number(), scale: z.number().positive(), weight: z.number() }),
  ),
});
export type LogisticModel = z.infer<typeof LogisticModelSchema>;

export type Signals = Readonly<Record<string, number>>;

/** Returns the log-odds of the positive class. */
export function logOdds(signals: Signals, { bias, signals: weights }: LogisticModel): number {
  let sum = bias;
  for (const [name, { mean, scale, weight }] of Object.entries(weights))
    sum += (weight * ((signals[name] ?? mean) - mean)) / scale;
  return sum;
}

/** Returns the probability of the positive class, 0–1. */
export function probability(signals: Signals, model: LogisticModel): number {
  return sigmoid(logOdds(signals, model));
}

export function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

/** Returns the inverse of `sigmoid`, kept finite at 0 and 1. */
export function logit(share: number): number {
  const inside = Math.min(1 - 1e-9, Math.max(1e-9, share));
  return Math.log(inside / (1 - inside));
}
