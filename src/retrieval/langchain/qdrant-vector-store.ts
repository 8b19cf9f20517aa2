import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { KnowledgeBase } from "../knowledge-base.js";
import { connectToQdrant } from "../qdrant/connection.js";
import { fromVectorStore } from "./from-vector-store.js";

export interface QdrantVectorStoreOptions {
  url: string;
  apiKey?: string;
  /** Filled by LangChain's `QdrantVectorStore`. */
  collection: string;
  /** The model that filled it. */
  embeddings: EmbeddingsInterface;
}

/**
 * Opens a Qdrant collection that LangChain filled, as a knowledge base. Needs `@langchain/qdrant`,
 * whose store creates a missing collection on read: so it is looked for first.
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
  const connection = await connectToQdrant({
    url,
    apiKey,
    collection,
    timeoutInMs: 10_000,
    maxRetries: 2,
    initialDelayInMs: 300,
  });
  const found = await connection.callIfPresent((api, init) =>
    api.getCollection({ collection_name: collection }, init),
  );
  if (found === undefined) throw connection.missingCollection();
  const { QdrantVectorStore } = await import("@langchain/qdrant");
  const store = await QdrantVectorStore.fromExistingCollection(embeddings, {
    url,
    apiKey,
    collectionName: collection,
  });
  return fromVectorStore(store, { name: `qdrant:${collection}@${connection.host}` });
}
