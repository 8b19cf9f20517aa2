/** The claim model: how likely is it that the evidence supports a claim? The weights are a small file made by the project's own fitting code. */
import type { LogisticModel } from "../logistic.js";
import { fitLogistic, LogisticModelSchema, probability } from "../logistic.js";
import type { ClaimFeatures } from "./claim-features.js";
import { CLAIM_FEATURES } from "./claim-features.js";
import shippedWeights from "./claim-weights.json" with { type: "json" };

export const CLAIM_MODEL: LogisticModel = LogisticModelSchema.parse(shippedWeights);

/** Probability, 0–1, that the evidence supports the claim. */
export function claimProbability(features: ClaimFeatures, model: LogisticModel = CLAIM_MODEL): number {
  return probability(features, model);
}

/** Fits a claim model to labelled claims. */
export function fitClaimModel(examples: readonly { features: ClaimFeatures; supported: boolean }[], penalty?: number): LogisticModel {
  return fitLogistic(
    examples.map(({ features, supported }) => ({ features, positive: supported })),
    CLAIM_FEATURES,
    penalty,
  );
}
