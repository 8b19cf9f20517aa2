import type { DocumentInterface } from "@langchain/core/documents";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import { mergeByBest } from "../fusion.js";
import type { Hit, KnowledgeBase } from "../knowledge-base.js";
import { passageOfDocument } from "./passage-of-document.js";
import { readOnlyKnowledgeBase } from "./read-only.js";

/** What a store's score means: a cosine similarity, or something else, of which only the order is used. */
export type StoreScore = "cosine" | "order";

export interface FromVectorStoreOptions {
  name?: string;
  /**
   * By default known for Qdrant (with cosine distance, as it creates collections) and for the in-memory store, and `order` for all others:
   * LangChain does not fix what a store returns, and a distance taken for a similarity would approve the worst hits.
   */
  score?: StoreScore;
  /** Changes when the content does; by default the content is taken never to change while the process runs. */
  version?: string;
}

const KNOWN_SCORES: Record<string, StoreScore> = { qdrant: "cosine", memory: "cosine" };

/**
 * Any LangChain vector store as a knowledge base, read-only. Hits are asked for with their scores; hypothetical documents are searched in
 * place of the query and merged by best score. Filters of ours look at the metadata of what the store returned.
 *
 * `QdrantVectorStore` creates a missing collection on read; to have a wrong name reported instead, set `QDRANT_URL` and use our own
 * adapter.
 *
 * @example createCorrectiveRag({ knowledgeBase: fromVectorStore(store) })
 */
export function fromVectorStore(
  store: VectorStoreInterface,
  { name, score, version }: FromVectorStoreOptions = {},
): KnowledgeBase {
  const type = store._vectorstoreType();
  const label = name ?? `vector-store:${type}`;
  const meaning = score ?? KNOWN_SCORES[type] ?? "order";
  return readOnlyKnowledgeBase({
    name: label,
    modes: ["vector"],
    version,
    async find({ query, hypotheticals = [], signal }, count) {
      const texts = hypotheticals.length > 0 ? hypotheticals : [query];
      const lists = await Promise.all(
        texts.map((text) => store.similaritySearchWithScore(text, count)),
      );
      signal?.throwIfAborted();
      return mergeByBest(
        lists.map((list) => hitsOf(list, meaning, label)),
        ({ passage }) => passage.id,
      );
    },
  });
}

/** A distance orders the other way round from one store to the next; the store's own order is what can be relied on. */
function hitsOf(
  list: readonly [DocumentInterface, number][],
  meaning: StoreScore,
  by: string,
): Hit[] {
  return list.map(([document, raw], index) => ({
    passage: passageOfDocument(document),
    scores: [
      meaning === "cosine"
        ? { value: Math.min(1, Math.max(0, raw)), scale: "cosine", by }
        : { value: 1 / (index + 1), scale: "fusion", by },
    ],
  }));
}
