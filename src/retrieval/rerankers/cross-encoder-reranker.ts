import pLimit from "p-limit";
import type { Reranker } from "../knowledge-base.js";
import {
  loadModel,
  loadTransformers,
  locateModel,
  type Tensor,
} from "../onnx/load-transformers.js";
import { once } from "../onnx/once.js";

export interface CrossEncoderOptions {
  /**
   * A folder with `config.json`, `tokenizer.json` and `onnx/model.onnx`, or a name on the model hub, e.g. `Xenova/ms-marco-MiniLM-L-6-v2`.
   */
  model: string;
  /** Take a named model from this machine's cache only, and let nothing in this process download one. A folder never needs the network. */
  offline?: boolean;
  /** Numbers in the model file: `fp32`, `fp16`, `q8`, … */
  dtype?: string;
  batchSize?: number;
}

/**
 * A cross-encoder in this process: question and passage are read together. A model with one output gives its sigmoid, one with two the
 * share of the second class. Rejects with `KnowledgeBaseError` when the runtime or the model cannot be loaded.
 *
 * @example crossEncoderReranker({ model: "./models/ms-marco-MiniLM-L-6-v2" })
 */
export function crossEncoderReranker({
  model,
  offline = false,
  dtype = "fp32",
  batchSize = 16,
}: CrossEncoderOptions): Reranker {
  const location = locateModel(model);
  const oneAtATime = pLimit(1);
  const encoder = once(async () => {
    const { AutoTokenizer, AutoModelForSequenceClassification } = await loadTransformers({
      offline: offline && !location.isFolder,
    });
    const options = { local_files_only: offline || location.isFolder, dtype };
    return loadModel(location, async () => ({
      tokenize: await AutoTokenizer.from_pretrained(location.source, options),
      classify: await AutoModelForSequenceClassification.from_pretrained(location.source, options),
    }));
  });
  return {
    name: `cross-encoder:${location.name}`,
    async score(question, texts, signal) {
      const scores: number[] = [];
      for (let start = 0; start < texts.length; start += batchSize) {
        signal?.throwIfAborted();
        const batch = texts.slice(start, start + batchSize);
        const { tokenize, classify } = await encoder();
        const inputs = tokenize(
          batch.map(() => question),
          { text_pair: batch, padding: true, truncation: true },
        );
        const { logits } = await oneAtATime(() => classify(inputs));
        scores.push(...probabilities(logits, batch.length));
      }
      return scores;
    },
  };
}

/** One probability for each row of logits. */
export function probabilities(logits: Pick<Tensor, "dims" | "data">, rows: number): number[] {
  const columns = logits.dims[1] ?? 1;
  if (columns > 2 || logits.data.length !== rows * columns) {
    throw new Error(
      `a reranker gives one or two outputs for each text, this model gave ${logits.data.length} for ${rows} texts`,
    );
  }
  return Array.from({ length: rows }, (_, row) => {
    const first = Number(logits.data[row * columns]);
    const logit = columns === 1 ? first : Number(logits.data[row * columns + 1]) - first;
    return 1 / (1 + Math.exp(-logit));
  });
}
