import pLimit from "p-limit";
import { z } from "zod";
import { KnowledgeBaseError, type Embedder } from "../knowledge-base.js";
import { loadModel, loadTransformers, locateModel } from "../onnx/load-transformers.js";
import { once } from "../onnx/once.js";

export interface LocalEmbedderOptions {
  /** A folder with `config.json`, `tokenizer.json` and `onnx/model.onnx`, or a name on the model hub. */
  model: string;
  /** Take a named model from this machine's cache only, and let nothing in this process download one. A folder never needs the network. */
  offline?: boolean;
  /** How token vectors become one; most sentence models were trained with `mean`, the BGE family with `cls`. */
  pooling?: "mean" | "cls";
  /** Numbers in the model file: `fp32`, `fp16`, `q8`, … */
  dtype?: string;
  /** Put before each text, for models that were trained with prefixes (E5: `query: ` and `passage: `). */
  queryPrefix?: string;
  documentPrefix?: string;
  batchSize?: number;
}

const Vectors = z.array(z.array(z.number()).min(1));

/**
 * Embeddings by an ONNX model in this process: normalised to length 1, pooled over tokens. The runtime and the model are loaded at the
 * first use; batches run one after the other, since each already uses all cores. Rejects with `KnowledgeBaseError`.
 *
 * @example localEmbedder({ model: "./models/all-MiniLM-L6-v2" })
 */
export function localEmbedder({
  model,
  offline = false,
  pooling = "mean",
  dtype = "fp32",
  queryPrefix = "",
  documentPrefix = "",
  batchSize = 16,
}: LocalEmbedderOptions): Embedder {
  const location = locateModel(model);
  const oneAtATime = pLimit(1);
  const extractor = once(async () => {
    const { pipeline } = await loadTransformers({ offline: offline && !location.isFolder });
    return loadModel(location, () =>
      pipeline("feature-extraction", location.source, {
        local_files_only: offline || location.isFolder,
        dtype,
      }),
    );
  });

  const embed = async (
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<number[][]> => {
    const vectors: number[][] = [];
    for (let start = 0; start < texts.length; start += batchSize) {
      signal?.throwIfAborted();
      const extract = await extractor();
      const tensor = await oneAtATime(() =>
        extract(texts.slice(start, start + batchSize), { pooling, normalize: true }),
      );
      const parsed = Vectors.safeParse(tensor.tolist());
      if (!parsed.success) {
        throw new KnowledgeBaseError(
          `The local model ${location.name} gave no usable vectors`,
          "It may not be a model for embeddings.",
        );
      }
      vectors.push(...parsed.data);
    }
    return vectors;
  };

  return {
    model: `local:${location.name}`,
    embedDocuments: (texts, signal) =>
      embed(
        texts.map((text) => documentPrefix + text),
        signal,
      ),
    async embedQuery(text, signal) {
      const [vector] = await embed([queryPrefix + text], signal);
      if (!vector)
        throw new KnowledgeBaseError(`The local model ${location.name} returned no vector`);
      return vector;
    },
  };
}
