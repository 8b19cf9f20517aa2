/** Turns texts into unit vectors, so that their dot product is their cosine. */
export interface Embedder {
  /** Names the model: vectors of unlike models are never compared. */
  readonly model: string;
  /** Rejects where the runtime fails or the signal aborts. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** Keeps vectors that are known already, so that they are not computed again. */
  remember?(texts: readonly string[], vectors: readonly Float32Array[]): void;
  /** Starts loading what is slow to load. */
  prepare?(): void;
  close(): Promise<void>;
}

/** Returns the cosine of two unit vectors; 0 for vectors of unlike length. */
export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
