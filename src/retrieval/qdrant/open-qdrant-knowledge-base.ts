import { requirePackages } from "../../support/packages.js";
import { checkSizes, searchStore } from "../indexed-text.js";
import { fromVectorStore } from "../langchain/from-langchain.js";
import type { Schemas } from "@qdrant/js-client-rest";
import type { Embedder } from "../../reader/embedder.js";
import {
  KnowledgeBaseError,
  type Hit,
  type KnowledgeBase,
  type WritableKnowledgeBase,
} from "../knowledge-base.js";
import {
  connectToQdrant,
  createCollection,
  createIndexes,
  inspectCollection,
  MissingCollectionError,
  readFacts,
  sizeInLangChainCollection,
  type CollectionState,
  type QdrantConnection,
  type QdrantConnectionOptions,
} from "./collection.js";
import { readDocument, readPassage } from "./points.js";
import { conditionsOf, has, findPoints, pointsOf, readAll } from "./search.js";
import { deleteDocuments, embedPassages, PENDING, putDocuments } from "./write.js";

export interface QdrantKnowledgeBaseOptions extends QdrantConnectionOptions {
  /** Enables vector and hybrid search. */
  embedder?: Embedder;
  /** Reads a missing collection as an empty one, for a caller about to fill it. */
  mayBeMissing?: boolean;
}

/**
 * Opens a collection. Nothing is sent until the first use, so that a server that is down fails a
 * run and not the start. Only `put` creates a collection.
 * @example await openQdrantKnowledgeBase({ url: "http://localhost:6333", collection: "handbook" })
 */
export async function openQdrantKnowledgeBase(
  options: QdrantKnowledgeBaseOptions,
): Promise<WritableKnowledgeBase> {
  return qdrantKnowledgeBase(connectToQdrant(options), options);
}

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
  const name = `the collection "${collection}"`;
  if (embedder === undefined)
    throw new KnowledgeBaseError(
      `${name} has nothing but vectors, and no embedding model is configured`,
      "set CRAG_EMBEDDING_MODEL to the model with which it was made",
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

function qdrantKnowledgeBase(
  connection: QdrantConnection,
  { embedder, mayBeMissing = false }: QdrantKnowledgeBaseOptions,
): WritableKnowledgeBase {
  const name = `qdrant:${connection.collection}@${connection.host}`;
  const vectorModel = embedder?.model;
  /** Constant once the collection has been seen. */
  let known: CollectionState | undefined;
  /** True once this process has created what an earlier one may have left out. */
  let isIndexed = false;

  const inspect = (signal?: AbortSignal): Promise<CollectionState> =>
    inspectCollection(connection, embedder, signal);
  /** Returns undefined for a collection that is missing and may be. */
  const present = async (signal?: AbortSignal): Promise<CollectionState | undefined> => {
    try {
      return (known ??= await inspect(signal));
    } catch (error) {
      if (mayBeMissing && error instanceof MissingCollectionError) return undefined;
      throw error;
    }
  };
  /** Returns the collection, created if missing, with its payload indexes. */
  const ready = async (signal: AbortSignal | undefined): Promise<CollectionState> => {
    known ??= await inspect(signal).catch(async (error: unknown) => {
      if (!(error instanceof MissingCollectionError)) throw error;
      const sample = await embedder?.embedQuery("How long is a vector?", signal);
      await createCollection(connection, sample?.length, signal);
      return inspect(signal);
    });
    if (!isIndexed) await createIndexes(connection, signal);
    isIndexed = true;
    // Without the model, vector searches would not find new passages.
    if (known.index && !embedder)
      throw new KnowledgeBaseError(
        `the collection "${connection.collection}" has vectors of ` +
          `${known.index.model ?? "an embedding model"}, but no embedding model is configured`,
        "set CRAG_EMBEDDING_MODEL, or ingest into another QDRANT_COLLECTION",
      );
    return known;
  };
  const count = async (filter: Schemas["Filter"]): Promise<number> => {
    const counting = { filter, exact: true };
    return (await connection.call((client) => client.count(connection.collection, counting))).count;
  };
  return {
    name,
    vectorModel,
    modes: embedder ? ["hybrid", "keyword", "vector"] : ["keyword"],
    async search(mode, request) {
      const state = await present(request.signal);
      if (!state) return [];
      const find: Parameters<typeof searchStore<Hit>>[0]["find"] = (asked) =>
        findPoints(connection, request, { ...asked, model: vectorModel });
      return searchStore({ name, index: state.index, embedder, find }, mode, request);
    },
    async documents(filter) {
      if (!(await present())) return [];
      const points = pointsOf("document", await conditionsOf(connection, filter));
      const documents = await readAll(connection, points, readDocument);
      return documents.sort((a, b) => (a.path < b.path ? -1 : 1));
    },
    async passagesOf(path, filter) {
      if (!(await present())) return [];
      const conditions = await conditionsOf(connection, filter);
      const points = pointsOf("passage", [has("path", path), ...conditions]);
      const stored = await readAll(connection, points, readPassage);
      return stored.sort((a, b) => a.position - b.position).map(({ passage }) => passage);
    },
    async version() {
      if (!(await present())) return "missing";
      return (await readFacts(connection))?.version ?? "empty";
    },
    async stats(filter) {
      if (!(await present())) return { documents: 0, passages: 0 };
      const conditions = await conditionsOf(connection, filter);
      const [documents, passages, pending, facts] = await Promise.all([
        count(pointsOf("document", conditions)),
        count(pointsOf("passage", conditions)),
        count(PENDING),
        readFacts(connection),
      ]);
      const { embedding } = facts ?? {};
      return { documents, passages, ...(embedding && { embedding: { ...embedding, pending } }) };
    },
    async put(documents, signal) {
      if (documents.length === 0) return;
      const { index } = await ready(signal);
      await putDocuments({ connection, embedder, index, signal }, documents);
    },
    async embedPending({ onProgress, signal } = {}) {
      const { index } = (await present(signal)) ?? {};
      if (!index || !embedder) return;
      const context = { connection, embedder, index, signal };
      await embedPassages(context, await count(PENDING), onProgress);
    },
    async remove(paths) {
      const state = paths.length > 0 ? await present() : undefined;
      if (state) await deleteDocuments({ connection, embedder, index: state.index }, paths);
    },
    close: async () => embedder?.close?.(),
  };
}
