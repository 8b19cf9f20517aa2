import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import { z } from "zod";
import { cosineScore, mergeByBest } from "../fusion.js";
import type { Hit, KnowledgeBase } from "../knowledge-base.js";
import { connectToQdrant } from "../qdrant/connection.js";
import { passageOfDocument, readOnlyKnowledgeBase } from "./read-only.js";

export interface FromVectorStoreOptions {
  name?: string;
  /**
   * Meaning of the store's score: a cosine, or something of which only the order is used. Known for
   * Qdrant and the in-memory store; `order` for all others, since LangChain does not fix what a
   * store returns, and a distance taken for a similarity would approve the worst hits.
   */
  score?: "cosine" | "order";
  /** Changes when the content does; by default it is taken never to change. */
  version?: string;
}

const WITH_COSINES = ["qdrant", "memory"];

/**
 * Any LangChain vector store as a knowledge base, read-only. Hypothetical documents are searched
 * with in place of the query. Filters look only at what the store returned.
 * @example createCorrectiveRag({ knowledgeBase: fromVectorStore(store) })
 */
export function fromVectorStore(
  store: VectorStoreInterface,
  options: FromVectorStoreOptions = {},
): KnowledgeBase {
  const type = store._vectorstoreType();
  const { name = `vector-store:${type}`, version } = options;
  const isCosine = (options.score ?? (WITH_COSINES.includes(type) && "cosine")) === "cosine";
  return readOnlyKnowledgeBase({
    name,
    mode: "vector",
    version,
    async find({ query, hypotheticals = [] }, count) {
      const texts = hypotheticals.length > 0 ? hypotheticals : [query];
      const lists = await Promise.all(
        texts.map(async (text): Promise<Hit[]> => {
          const found = await store.similaritySearchWithScore(text, count);
          return found.map(([document, score], index) => ({
            passage: passageOfDocument(document),
            scores: [
              isCosine
                ? cosineScore(score, name)
                : { value: 1 / (index + 1), scale: "fusion", by: name },
            ],
          }));
        }),
      );
      return mergeByBest(lists, ({ passage }) => passage.id);
    },
  });
}

export interface QdrantVectorStoreOptions {
  url: string;
  apiKey?: string;
  /** Filled by LangChain's `QdrantVectorStore`. */
  collection: string;
  /** The model that filled it. */
  embeddings: EmbeddingsInterface;
}

/**
 * Opens a Qdrant collection that LangChain filled. Needs `@langchain/qdrant`, whose store creates a
 * missing collection on read: so it is looked for first.
 * @throws KnowledgeBaseError when there is none, or the server cannot be reached
 * @example
 * const knowledgeBase = await qdrantVectorStore({ url, collection: "handbook", embeddings });
 */
export async function qdrantVectorStore({
  url,
  apiKey,
  collection,
  embeddings,
}: QdrantVectorStoreOptions): Promise<KnowledgeBase> {
  const connection = connectToQdrant({ url, apiKey, collection });
  if ((await connection.find(z.unknown())) === null) throw connection.missingCollection();
  const { QdrantVectorStore } = await import("@langchain/qdrant");
  const store = await QdrantVectorStore.fromExistingCollection(embeddings, {
    url,
    apiKey,
    collectionName: collection,
  });
  return fromVectorStore(store, { name: `qdrant:${collection}@${connection.host}` });
}
