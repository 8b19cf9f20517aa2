/** The fitted numbers behind a reader: logistic regressions over named, standardized signals. */
import { z } from "zod";
import { readJsonFile } from "../support/json.js";
import shipped from "./weights.json" with { type: "json" };

const LogisticModelSchema = z.object({
  bias: z.number(),
  signals: z.record(
    z.string(),
    z.object({ mean: z.number(), scale: z.number().positive(), weight: z.number() }),
  ),
});
export type LogisticModel = z.infer<typeof LogisticModelSchema>;

export type SignalValues = Readonly<Record<string, number>>;

/** Returns the log-odds of the positive class. */
export function logOdds(signals: SignalValues, { bias, signals: weights }: LogisticModel): number {
  let sum = bias;
  for (const [name, { mean, scale, weight }] of Object.entries(weights))
    sum += (weight * ((signals[name] ?? mean) - mean)) / scale;
  return sum;
}

/** Returns the probability of the positive class, 0–1. */
export function probability(signals: SignalValues, model: LogisticModel): number {
  return sigmoid(logOdds(signals, model));
}

export function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

const Unit = z.number().min(0).max(1);

/** Cut-offs on calibrated probabilities. */
const ThresholdsSchema = z
  .object({
    /** A set is CORRECT from here on. */
    correct: Unit,
    /** A set is INCORRECT below here. */
    incorrect: Unit,
    /**
     * A passage is dropped below here. On 60 questions on these docs, 114 on foreign ones, NQ and
     * SQuAD 2.0, 0.3 (which suits a model's grades) lost six right answers and spared four wrong
     * ones.
     */
    keep: Unit.default(0.1),
    /** Below here the agent abstains. */
    abstainBelow: Unit,
  })
  .refine(({ correct, incorrect }) => incorrect <= correct, {
    message: "incorrect must not lie above correct",
  });
export type FittedThresholds = z.infer<typeof ThresholdsSchema>;

/** Maps log-odds to calibrated ones, slope · x + offset (Platt 1999). */
const PlattSchema = z.object({ slope: z.number().min(0), offset: z.number() });
export type Platt = z.infer<typeof PlattSchema>;

const ReaderModelsSchema = z.object({
  passage: LogisticModelSchema,
  sentence: LogisticModelSchema,
  set: LogisticModelSchema,
  thresholds: ThresholdsSchema,
});
export type ReaderModels = z.infer<typeof ReaderModelsSchema>;

const SupportingModelsSchema = ReaderModelsSchema.extend({ support: LogisticModelSchema });

const ReaderWeightsSchema = z.object({
  version: z.literal(3),
  /** With a joint reader's scores, with the cosines of an encoder alone, and without either. */
  joint: SupportingModelsSchema.extend({
    /**
     * That the best sentence of the first passage is the answer: from the leads of the passage over
     * the others, in log-odds and in the score of the search. Where the two disagree, one errs.
     */
    assertion: LogisticModelSchema,
  }),
  trained: ReaderModelsSchema,
  lexical: SupportingModelsSchema,
  /** Makes the lexical models less certain in languages that they were not fitted on. */
  otherLanguages: PlattSchema,
  /** Data and aims of the fit. */
  report: z.record(z.string(), z.unknown()).optional(),
});
export type ReaderWeights = z.infer<typeof ReaderWeightsSchema>;

export const SHIPPED_WEIGHTS: ReaderWeights = ReaderWeightsSchema.parse(shipped);

/** @param reader its name as in `CRAG_READER`; only the shipped encoder has a joint reader */
export function thresholdsOf(weights: ReaderWeights, reader: string): FittedThresholds {
  if (reader === "trained") return weights.joint.thresholds;
  return (reader === "lexical" ? weights.lexical : weights.trained).thresholds;
}

/**
 * Reads a file made by `calibrate`, or the shipped weights.
 * @throws UserError when the file cannot be read or is invalid
 */
export function loadWeights(file?: string): ReaderWeights {
  if (file === undefined) return SHIPPED_WEIGHTS;
  const hint = "make one in a clone with: npm run calibrate -- LABELS.jsonl --out FILE";
  return readJsonFile(file, ReaderWeightsSchema, { what: "calibration file", hint });
}
