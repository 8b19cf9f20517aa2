import { createCache } from "../../support/cache.js";
import type { Reranker } from "../knowledge-base.js";

/** Asks a reranker only for what it has not scored for this question before. */
export function cachedReranker(reranker: Reranker): Reranker {
  const cache = createCache<{ score: number }>({ maxEntries: 1_000 });
  return {
    name: reranker.name,
    async score(question, texts, signal) {
      const keyOf = (text: string): string => JSON.stringify([question, text]);
      const unknown = [...new Set(texts)].filter((text) => cache.get(keyOf(text)) === undefined);
      const asked = unknown.length === 0 ? [] : await reranker.score(question, unknown, signal);
      const fresh = new Map(unknown.map((text, index) => [text, asked[index] ?? NaN]));
      for (const [text, score] of fresh) cache.set(keyOf(text), { score });
      return texts.map((text) => fresh.get(text) ?? cache.get(keyOf(text))?.score ?? NaN);
    },
  };
}
