import { existsSync } from "node:fs";
import { createEncoder } from "./encoder.js";
import { SHIPPED_ENCODER } from "./encoder-files.js";
import { fromEmbeddings, type Embedder, type EmbeddingsLike } from "./embedder.js";
import type { Reader } from "./reader.js";
import { createSignalReader } from "./signal-reader.js";
import { SHIPPED_WEIGHTS, type ReaderWeights } from "./weights.js";

export interface ReaderOptions {
  /** `trained` (default), `lexical`, or the folder of your own encoder. */
  readonly model?: string;
  /** LangChain's `Embeddings` in place of the encoder. */
  readonly embeddings?: EmbeddingsLike;
  /** Fitted by `calibrate`; the shipped ones by default. */
  readonly weights?: ReaderWeights;
  /** Told when the encoder does not run. */
  readonly notice?: (message: string) => void;
}

/**
 * Creates a reader. Nothing is loaded before its first use.
 * @throws UserError when the folder named holds no encoder
 * @example
 * const reader = createReader({ model: "lexical" });
 * await reader.relevance({ question: "Who wrote Emma?", passages: [{ title: "Emma", text: "…" }] });
 */
export function createReader({
  model = "trained",
  embeddings,
  weights = SHIPPED_WEIGHTS,
  notice,
}: ReaderOptions = {}): Reader {
  const make = (name: string, embedder?: Embedder): Reader =>
    createSignalReader({ name, weights, embedder, notice });
  if (embeddings !== undefined) return make("embeddings", fromEmbeddings(embeddings));
  if (model === "lexical") return make(model);
  if (model !== "trained") return make(model, createEncoder(model));
  if (existsSync(SHIPPED_ENCODER)) return make(model, createEncoder(SHIPPED_ENCODER));
  notice?.("the encoder is not in this package: evidence is judged by words alone");
  return make("lexical");
}
