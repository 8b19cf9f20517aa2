import { z } from "zod";
import { LogisticModelSchema, probability } from "../logistic.js";
import type { LogisticModel } from "../logistic.js";
import shipped from "./judge-weights.json" with { type: "json" };

const Unit = z.number().min(0).max(1);

/** Cut-offs on the set's probability. */
export const JudgeThresholdsSchema = z
  .object({
    /** CORRECT from here. */
    correct: Unit,
    /** INCORRECT below here. */
    incorrect: Unit,
    /** Below here an answer from the evidence is withheld. */
    abstainBelow: Unit,
  })
  .refine(({ correct, incorrect }) => incorrect <= correct, {
    message: "incorrect must not lie above correct",
  });
export type JudgeThresholds = z.infer<typeof JudgeThresholdsSchema>;

/** A map from the model's probability to a calibrated one, logit(p') = slope · logit(p) + offset (Platt 1999). `slope` ≥ 0, so that order is kept. */
export const PlattSchema = z.object({ slope: z.number().min(0), offset: z.number() });
export type Platt = z.infer<typeof PlattSchema>;

/** The judge's file: two logistic models, cut-offs, and how it came to be. */
export const JudgeModelSchema = z.object({
  version: z.literal(1),
  passage: LogisticModelSchema,
  set: LogisticModelSchema,
  thresholds: JudgeThresholdsSchema,
  /** Set by a calibration on a user's questions. */
  calibration: z.object({ set: PlattSchema }).optional(),
  /** Where the numbers come from, for people. */
  report: z.record(z.string(), z.unknown()).optional(),
});
export type JudgeModel = z.infer<typeof JudgeModelSchema>;

/** The weights that come with the package. */
export const SHIPPED_JUDGE: JudgeModel = JudgeModelSchema.parse(shipped);

/** Passage probability under a model, 0–1. */
export function passageProbability(
  features: Readonly<Record<string, number>>,
  model: JudgeModel,
): number {
  return probability(features, model.passage);
}

/** Set probability under a model, calibrated where the model is, 0–1. */
export function setProbability(
  features: Readonly<Record<string, number>>,
  model: JudgeModel,
): number {
  const raw = probability(features, model.set);
  return model.calibration === undefined ? raw : applyPlatt(raw, model.calibration.set);
}

/** Applies a Platt map to a probability. */
export function applyPlatt(value: number, { slope, offset }: Platt): number {
  return 1 / (1 + Math.exp(-(slope * logit(value) + offset)));
}

/** ln(p / (1 − p)), with p kept off 0 and 1. */
export function logit(value: number): number {
  const p = Math.min(1 - 1e-9, Math.max(1e-9, value));
  return Math.log(p / (1 - p));
}

export type { LogisticModel };
