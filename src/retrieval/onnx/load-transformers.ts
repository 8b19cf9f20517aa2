/**
 * The optional ONNX runtime, loaded when a local model is first used. Only what we call of it is typed here, so that it need not be
 * installed.
 */
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { z } from "zod";
import { KnowledgeBaseError } from "../knowledge-base.js";
import { reasonOf } from "../post-json.js";

export interface Tensor {
  dims: readonly number[];
  data: ArrayLike<number | bigint>;
  tolist(): unknown;
}

export interface LoadOptions {
  local_files_only: boolean;
  dtype: string;
}

export type FeatureExtractor = (
  texts: string[],
  options: { pooling: "mean" | "cls"; normalize: boolean },
) => Promise<Tensor>;
export type PairTokenizer = (
  texts: string[],
  options: { text_pair: string[]; padding: boolean; truncation: boolean },
) => unknown;
export type SequenceClassifier = (inputs: unknown) => Promise<{ logits: Tensor }>;

function functionOf<Signature>() {
  return z.custom<Signature>((value) => typeof value === "function");
}

const Loader = <Result>() =>
  z.custom<{ from_pretrained(model: string, options: LoadOptions): Promise<Result> }>(
    (value) => typeof value === "function",
  );

const Transformers = z.object({
  env: z.custom<{ allowRemoteModels: boolean }>(
    (value) => typeof value === "object" && value !== null,
  ),
  pipeline:
    functionOf<
      (task: "feature-extraction", model: string, options: LoadOptions) => Promise<FeatureExtractor>
    >(),
  AutoTokenizer: Loader<PairTokenizer>(),
  AutoModelForSequenceClassification: Loader<SequenceClassifier>(),
});
export type Transformers = z.infer<typeof Transformers>;

/** A variable, so that neither the compiler nor a bundler insists on the package. */
const PACKAGE: string = "@huggingface/transformers";

/**
 * Rejects with `KnowledgeBaseError` that says what to install.
 * @param offline forbid downloads, for the whole process: `local_files_only` alone still asks the hub for a model's configuration
 */
export async function loadTransformers({ offline = false } = {}): Promise<Transformers> {
  let module: unknown;
  try {
    module = await import(PACKAGE);
  } catch (error) {
    throw new KnowledgeBaseError(
      `A local model needs the package ${PACKAGE}, which cannot be loaded: ${reasonOf(error)}`,
      `Install it with: npm install ${PACKAGE} (without internet at install time set ONNXRUNTIME_NODE_INSTALL=skip)`,
      { cause: error },
    );
  }
  const parsed = Transformers.safeParse(module);
  if (!parsed.success)
    throw new KnowledgeBaseError(
      `This version of ${PACKAGE} is not known`,
      "Install version 3 or 4.",
    );
  if (offline) parsed.data.env.allowRemoteModels = false;
  return parsed.data;
}

/** Where a model comes from: a folder on this machine, which then is never looked for elsewhere, or a name on the model hub. */
export interface ModelLocation {
  /** What the runtime is given. */
  source: string;
  /** For people, and for comparing an index with its model: a folder goes by its last part, so that moving it changes nothing. */
  name: string;
  isFolder: boolean;
}

export function locateModel(model: string): ModelLocation {
  const looksLikeFolder =
    model.startsWith(".") ||
    model.startsWith("/") ||
    model.startsWith("~") ||
    /^[A-Za-z]:[\\/]/.test(model);
  if (!looksLikeFolder && !existsSync(join(model, "config.json")))
    return { source: model, name: model, isFolder: false };
  const folder = resolve(model);
  return { source: folder, name: basename(folder), isFolder: true };
}

/** Runs a loader and turns its failure into one line that names the model. */
export async function loadModel<Model>(
  location: ModelLocation,
  load: () => Promise<Model>,
): Promise<Model> {
  if (location.isFolder && !existsSync(join(location.source, "config.json"))) {
    throw new KnowledgeBaseError(
      `There is no model in ${location.source}`,
      "The folder must hold config.json, tokenizer.json and onnx/model.onnx.",
    );
  }
  try {
    return await load();
  } catch (error) {
    throw new KnowledgeBaseError(
      `The local model ${location.name} cannot be loaded: ${reasonOf(error)}`,
      location.isFolder
        ? "The folder must hold config.json, tokenizer.json and onnx/model.onnx."
        : "A model that is a name and not a folder is downloaded on first use: check the name and the connection, or give a folder.",
      { cause: error },
    );
  }
}
