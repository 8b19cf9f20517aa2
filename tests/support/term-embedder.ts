import { contentTerms } from "../../src/text/analyse.js";
import type { Embedder } from "../../src/reader/embedder.js";

export interface TermEmbedder extends Embedder {
  /** All texts that were embedded, in order. */
  embedded: string[];
}

/** A deterministic stand-in for an embedding model: texts that share terms point in like directions. */
export function termEmbedder({
  model = "terms",
  dimensions = 64,
}: { model?: string; dimensions?: number } = {}): TermEmbedder {
  const embedded: string[] = [];
  const embed = (text: string): number[] => {
    embedded.push(text);
    const vector = new Array<number>(dimensions).fill(0.01);
    for (const term of contentTerms(text)) {
      let hash = 7;
      for (const character of term)
        hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
      vector[hash % dimensions] = (vector[hash % dimensions] ?? 0) + 1;
    }
    return vector;
  };
  return {
    model,
    embedded,
    embedQuery: (text) => Promise.resolve(embed(text)),
    embedDocuments: (texts) => Promise.resolve(texts.map(embed)),
  };
}
