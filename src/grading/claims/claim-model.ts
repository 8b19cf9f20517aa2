/** The claim model: how likely is it that the evidence supports a claim? The weights are a small file made by the project's own fitting code. */
import type { LogisticModel } from "../logistic.js";
import { LogisticModelSchema, probability } from "../logistic.js";
import type { ClaimFeatures } from "./claim-features.js";
import shippedWeights from "./claim-weights.json" with { type: "json" };

export const CLAIM_MODEL: LogisticModel = LogisticModelSchema.parse(shippedWeights);

/** Probability, 0–1, that the evidence supports the claim. */
export function claimProbability(
  features: ClaimFeatures,
  model: LogisticModel = CLAIM_MODEL,
): number {
  return probability(features, model);
}
