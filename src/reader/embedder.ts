import { abortable } from "../support/waiting.js";

/** Turns texts into unit vectors, so that their dot product is their cosine. */
export interface Embedder {
  /** Names the model: vectors of different models are never compared. */
  readonly model: string;
  /** Rejects where the runtime fails or the signal aborts. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
  /** Caches vectors that are known already. */
  remember?(texts: readonly string[], vectors: readonly Float32Array[]): void;
  close(): Promise<void>;
}

interface EmbedOptions {
  readonly signal?: AbortSignal;
  /** For models that embed questions and passages differently. */
  readonly kind?: "question" | "passage";
}

/** Returns the cosine of two unit vectors; 0 if their lengths differ. */
export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** Scales a vector to length 1; a vector of zeros stays one. */
export function toUnit(values: ArrayLike<number>): Float32Array {
  const vector = Float32Array.from(values);
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** The part of LangChain's `Embeddings` that is used. */
export interface EmbeddingsLike {
  embedQuery(text: string): Promise<number[]>;
  embedDocuments(texts: string[]): Promise<number[][]>;
}

/** Lets LangChain's `Embeddings` stand in for the encoder. */
export function fromEmbeddings(
  embeddings: EmbeddingsLike,
  model = embeddings.constructor.name,
): Embedder {
  return {
    model,
    async embed(texts, { signal, kind = "passage" } = {}) {
      signal?.throwIfAborted();
      const embedded =
        kind === "question"
          ? Promise.all(texts.map((text) => embeddings.embedQuery(text)))
          : embeddings.embedDocuments([...texts]);
      return (await abortable(embedded, signal)).map(toUnit);
    },
    close: async () => undefined,
  };
}
