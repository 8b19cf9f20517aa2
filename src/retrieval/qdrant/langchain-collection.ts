import { requirePackages } from "../../support/packages.js";
import type { Embedder } from "../../reader/embedder.js";
import { checkSizes } from "../indexed-text.js";
import { KnowledgeBaseError, type KnowledgeBase } from "../knowledge-base.js";
import { fromVectorStore } from "../langchain/from-langchain.js";
import { sizeInLangChainCollection } from "./collection.js";
import { connectToQdrant, type QdrantConnectionOptions } from "./connection.js";

/**
 * Opens a collection that LangChain's `QdrantVectorStore` made, for searching. Undefined for any
 * other, and where the server cannot be asked.
 * @throws KnowledgeBaseError without an embedding model that fits its vectors
 */
export async function openLangChainCollection({
  embedder,
  ...options
}: QdrantConnectionOptions & { embedder?: Embedder | undefined }): Promise<
  KnowledgeBase | undefined
> {
  const connection = connectToQdrant({ ...options, maxRetries: 0 });
  const { client, collection, host } = connection;
  const dimensions = await sizeInLangChainCollection(connection).catch(() => undefined);
  if (dimensions === undefined) return undefined;
  const name = `The collection "${collection}"`;
  if (embedder === undefined)
    throw new KnowledgeBaseError(
      `${name} has nothing but vectors, and no embedding model is configured`,
      "Set CRAG_EMBEDDING_MODEL to the model with which it was made.",
    );
  const index = { name, model: undefined, dimensions, elsewhere: "choose another collection" };
  checkSizes(index, embedder.model, [await embedder.embedQuery("How long is a vector?")]);
  requirePackages(`the collection "${collection}", made by LangChain,`, ["@langchain/qdrant"]);
  const { QdrantVectorStore } = await import("@langchain/qdrant");
  const sample = await connection.call(() => client.scroll(collection, { limit: 1 }));
  const isPython = "page_content" in (sample.points[0]?.payload ?? {});
  const embeddings = {
    embedQuery: async (text: string) => Array.from(await embedder.embedQuery(text)),
    embedDocuments: async (texts: string[]) =>
      (await embedder.embedDocuments(texts)).map((vector) => Array.from(vector)),
  };
  const store = new QdrantVectorStore(embeddings, {
    client,
    collectionName: collection,
    ...(isPython && { contentPayloadKey: "page_content" }),
  });
  return {
    ...fromVectorStore(store),
    name: `qdrant:${collection}@${host}`,
    close: async () => embedder.close?.(),
  };
}
