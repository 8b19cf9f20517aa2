import type { Scope } from "../../observability/scope.js";
import type { Reader } from "../../reader/reader.js";
import { headedTitle, type Evidence, type Score } from "../../state/evidence.js";
import { createCache } from "../../support/cache.js";
import { reasonOf } from "../../support/errors.js";
import { withinTime } from "../../support/waiting.js";
import type { Reranker } from "../knowledge-base.js";

/**
 * Orders evidence as the reranker does, title and text read together. When it fails or takes
 * longer than a tool may, the order stays and the run's warnings say so.
 */
export async function rerankEvidence({
  question,
  evidence,
  reranker,
  scope,
}: {
  question: string;
  evidence: readonly Evidence[];
  reranker: Reranker;
  scope: Scope;
}): Promise<Evidence[]> {
  const { items, warning } = await rerank({
    question,
    items: evidence,
    textOf: (item) => {
      const title = headedTitle(item);
      return title === "" || item.text.startsWith(title) ? item.text : `${title}\n${item.text}`;
    },
    reranker,
    signal: scope.signal,
    timeoutInMs: scope.settings.toolTimeoutInMs,
  });
  if (warning !== undefined) scope.warn(warning);
  return items;
}

/**
 * Orders items by a reranker's scores, equal ones in the old order. Its score comes first among
 * each item's scores, in place of an older one of scale `rerank`. A failing reranker costs nothing
 * but its warning; a cancelled run rejects.
 * @param items best first
 * @param timeoutInMs for the reranker as a whole, retries included
 */
export async function rerank<Item extends { scores: Score[] }>({
  question,
  items,
  textOf,
  reranker,
  signal,
  timeoutInMs = Infinity,
}: {
  question: string;
  items: readonly Item[];
  textOf: (item: Item) => string;
  reranker: Reranker;
  signal?: AbortSignal;
  timeoutInMs?: number;
}): Promise<{ items: Item[]; warning?: string }> {
  if (items.length === 0) return { items: [] };
  let values: number[];
  try {
    values = await withinTime((limit) => reranker.score(question, items.map(textOf), limit), {
      timeoutInMs,
      signal,
    });
    if (values.length !== items.length)
      throw new Error(`${values.length} scores for ${items.length} texts`);
    const bad = values.find((value) => !(value >= 0 && value <= 1));
    if (bad !== undefined) throw new Error(`a score of ${bad} is outside 0–1`);
  } catch (error) {
    signal?.throwIfAborted();
    return {
      items: [...items],
      warning: `Reranking with ${reranker.name} failed, the order is unchanged: ${reasonOf(error)}`,
    };
  }
  return {
    items: items
      .map((item, index) => ({ item, value: values[index] ?? 0 }))
      .sort((a, b) => b.value - a.value)
      .map(({ item, value }) => ({
        ...item,
        scores: [
          { value, scale: "rerank", by: reranker.name },
          ...item.scores.filter((score) => score.scale !== "rerank"),
        ],
      })),
  };
}

/** Orders by the reader's relevance, for who wants reranking and names no reranker. */
export function readerReranker(reader: Reader): Reranker {
  return {
    name: `reader:${reader.name}`,
    async score(question, texts, signal) {
      const passages = texts.map((text) => ({ title: "", text }));
      const relevance = await reader.relevance({ question, passages, signal });
      return relevance.passages.map(({ value }) => value);
    },
  };
}

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
