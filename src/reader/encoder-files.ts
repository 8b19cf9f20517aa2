/** The folder of an encoder, and the answers of the thread that runs it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { UserError } from "../support/errors.js";
import { readJsonFile } from "../support/json.js";
import type { JointPair, JointScores } from "./joint-layout.js";

/** `config.json` beside `model.onnx` and `tokenizer.json`. */
const EncoderConfigSchema = z.object({
  /** Name and version identify the model: an index made with another is not used. */
  name: z.string(),
  version: z.string().optional(),
  /** Longer texts are cut. */
  maxTokens: z.number().int().min(8).max(8192).default(256),
  /** How token vectors become one, for a model that returns them all. */
  pooling: z.enum(["mean", "cls"]).default("mean"),
  /** Name of the model's output, the first by default. */
  output: z.string().optional(),
  /** Checksum of `model.onnx`. */
  sha256: z.string().optional(),
  /** Word vectors outside of the models, which share them. */
  words: z.object({ file: z.string(), sha256: z.string() }).optional(),
  /** `joint.onnx`, which reads a question and a passage together. */
  joint: z
    .object({
      version: z.string(),
      sha256: z.string(),
      queryTokens: z.number().int().positive(),
      aboveTokens: z.number().int().positive(),
      passageTokens: z.number().int().positive(),
      sentenceTokens: z.number().int().positive(),
    })
    .optional(),
});
type EncoderConfig = z.output<typeof EncoderConfigSchema>;

export const EncoderThreadData = z.object({
  folder: z.string(),
  /** What it loads at once: the encoder or the joint reader. */
  first: z.enum(["model.onnx", "joint.onnx"]),
});
export type ModelFile = z.output<typeof EncoderThreadData>["first"];

/** What the encoder's thread is asked: vectors of texts, or readings of pairs. */
export type EncoderRequest =
  { readonly texts: readonly string[] } | { readonly pairs: readonly JointPair[] };

/** Its answer; `isSingleThreaded` is true for a runtime that leaves other processors free. */
export type EncoderResponse =
  | { readonly vectors: readonly Float32Array[]; readonly isSingleThreaded: boolean }
  | { readonly readings: readonly JointScores[]; readonly isSingleThreaded: boolean }
  | { readonly error: string };

/** The same place seen from `src` and from `dist`. */
export const SHIPPED_ENCODER = fileURLToPath(new URL("../../models/reader/", import.meta.url));

const FILES = ["config.json", "model.onnx", "tokenizer.json"];

/**
 * Reads the config of a folder with an encoder.
 * @throws UserError when a file is missing or the config is invalid
 */
export function readEncoderConfig(folder: string): EncoderConfig {
  const files = FILES.join(", ");
  const hint = `an encoder is a folder with ${files}; or set CRAG_READER to trained or lexical`;
  const missing = FILES.find((file) => !existsSync(join(folder, file)));
  if (missing !== undefined) throw new UserError(`no ${missing} in ${folder}`, hint);
  const what = "description of an encoder";
  return readJsonFile(join(folder, "config.json"), EncoderConfigSchema, { what, hint });
}
