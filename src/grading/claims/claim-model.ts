/** The claim model: how likely is it that the evidence supports a claim? The weights are a small file made by the project's own fitting code. */
import { fitNonNegative } from "../calibration/fit.js";
import type { LogisticModel } from "../logistic.js";
import { LogisticModelSchema, probability } from "../logistic.js";
import type { ClaimFeatures } from "./claim-features.js";
import { CLAIM_FEATURES, SPEAKS_FOR } from "./claim-features.js";
import shippedWeights from "./claim-weights.json" with { type: "json" };

export const CLAIM_MODEL: LogisticModel = LogisticModelSchema.parse(shippedWeights);

/** Probability, 0–1, that the evidence supports the claim. */
export function claimProbability(
  features: ClaimFeatures,
  model: LogisticModel = CLAIM_MODEL,
): number {
  return probability(features, model);
}

/** Fits a claim model to labelled claims; no feature may get a weight against what it says by its nature. */
export function fitClaimModel(
  examples: readonly { features: ClaimFeatures; supported: boolean }[],
  penalty: number,
): LogisticModel {
  const model = fitNonNegative(
    examples.map(({ features, supported }) => ({
      features: forSupport(features),
      positive: supported,
      weight: 1,
    })),
    CLAIM_FEATURES,
    penalty,
  );
  const features = Object.entries(model.features).map(([name, { mean, scale, weight }]) => {
    const sign = AGAINST.has(name) ? -1 : 1;
    return [name, { mean: sign * mean, scale, weight: sign * weight }] as const;
  });
  return { ...model, features: Object.fromEntries(features) };
}

const AGAINST: ReadonlySet<string> = new Set(
  CLAIM_FEATURES.filter((name) => !SPEAKS_FOR.has(name)),
);

/** What speaks against a claim, turned so that its weight is to be positive. */
function forSupport(features: ClaimFeatures): ClaimFeatures {
  const turned = { ...features };
  for (const name of CLAIM_FEATURES) if (AGAINST.has(name)) turned[name] = -features[name];
  return turned;
}
