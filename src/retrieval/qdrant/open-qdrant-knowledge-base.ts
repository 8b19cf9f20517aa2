import { requirePackages } from "../../support/packages.js";
import { checkSizes, searchStore, type VectorIndex } from "../indexed-text.js";
import { fromVectorStore } from "../langchain/from-langchain.js";
import type { Schemas } from "@qdrant/js-client-rest";
import type { Embedder } from "../../reader/embedder.js";
import type { Filter } from "../../settings/filter.js";
import {
  KnowledgeBaseError,
  type DocumentRecord,
  type EmbedPendingOptions,
  type Hit,
  type KnowledgeBase,
  type KnowledgeBaseStats,
  type Passage,
  type SearchMode,
  type SearchRequest,
  type StoredDocument,
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
import {
  embedPassages,
  PENDING,
  putDocuments,
  deleteDocuments,
  type WriteContext,
} from "./write.js";

export interface QdrantKnowledgeBaseOptions extends QdrantConnectionOptions {
  /** Enables vector and hybrid search. */
  embedder?: Embedder;
  /** Reads a missing collection as an empty one, for a caller about to fill it. */
  mayBeMissing?: boolean;
}

/**
 * Opens a collection. Nothing is sent until the first use, so that a server that is down fails a run
 * and not the start. Only `put` creates a collection.
 * @example await openQdrantKnowledgeBase({ url: "http://localhost:6333", collection: "handbook" })
 */
export async function openQdrantKnowledgeBase(
  options: QdrantKnowledgeBaseOptions,
): Promise<WritableKnowledgeBase> {
  return new QdrantKnowledgeBase(connectToQdrant(options), options);
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

class QdrantKnowledgeBase implements WritableKnowledgeBase {
  readonly name: string;
  readonly modes: readonly SearchMode[];
  readonly vectorModel: string | undefined;
  /** Constant once the collection has been seen. */
  private state: CollectionState | undefined;
  /** True once this process has created what an earlier one may have left out. */
  private isIndexed = false;

  constructor(
    private readonly connection: QdrantConnection,
    private readonly options: QdrantKnowledgeBaseOptions,
  ) {
    this.name = `qdrant:${connection.collection}@${connection.host}`;
    this.vectorModel = options.embedder?.model;
    this.modes = options.embedder ? ["hybrid", "keyword", "vector"] : ["keyword"];
  }

  async search(mode: SearchMode, request: SearchRequest): Promise<Hit[]> {
    const { connection, vectorModel: model } = this;
    const state = await this.present(request.signal);
    if (!state) return [];
    return searchStore(
      {
        name: this.name,
        index: state.index,
        embedder: this.options.embedder,
        find: (asked) => findPoints(connection, request, { ...asked, model }),
      },
      mode,
      request,
    );
  }

  async documents(filter?: Filter): Promise<DocumentRecord[]> {
    if (!(await this.present())) return [];
    const wanted = pointsOf("document", await conditionsOf(this.connection, filter));
    const documents = await readAll(this.connection, wanted, readDocument);
    return documents.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async passagesOf(path: string, filter?: Filter): Promise<Passage[]> {
    if (!(await this.present())) return [];
    const conditions = await conditionsOf(this.connection, filter);
    const wanted = pointsOf("passage", [has("path", path), ...conditions]);
    const stored = await readAll(this.connection, wanted, readPassage);
    return stored.sort((a, b) => a.position - b.position).map(({ passage }) => passage);
  }

  async version(): Promise<string> {
    if (!(await this.present())) return "missing";
    return (await readFacts(this.connection))?.version ?? "empty";
  }

  async stats(filter?: Filter): Promise<KnowledgeBaseStats> {
    if (!(await this.present())) return { documents: 0, passages: 0 };
    const [documents, passages, pending, facts] = await Promise.all([
      this.countOf("document", filter),
      this.countOf("passage", filter),
      this.count(PENDING),
      readFacts(this.connection),
    ]);
    const { embedding } = facts ?? {};
    return { documents, passages, ...(embedding && { embedding: { ...embedding, pending } }) };
  }

  async put(documents: readonly StoredDocument[], signal?: AbortSignal): Promise<void> {
    if (documents.length === 0) return;
    const state = await this.ready(signal);
    await putDocuments(this.writeContext(state.index, signal), documents);
  }

  async embedPending({ onProgress, signal }: EmbedPendingOptions = {}): Promise<void> {
    const { index } = (await this.present(signal)) ?? {};
    const { embedder } = this.options;
    if (!index || !embedder) return;
    const context = { ...this.writeContext(index, signal), index, embedder };
    await embedPassages(context, await this.count(PENDING), onProgress);
  }

  async remove(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    const state = await this.present();
    if (state) await deleteDocuments(this.writeContext(state.index), paths);
  }

  async close(): Promise<void> {
    await this.options.embedder?.close?.();
  }

  /** Returns undefined for a collection that is missing and may be. */
  private async present(signal?: AbortSignal): Promise<CollectionState | undefined> {
    try {
      return (this.state ??= await inspectCollection(
        this.connection,
        this.options.embedder,
        signal,
      ));
    } catch (error) {
      if (this.options.mayBeMissing && error instanceof MissingCollectionError) return undefined;
      throw error;
    }
  }

  /** Returns the collection, created if missing, with its payload indexes. */
  private async ready(signal: AbortSignal | undefined): Promise<CollectionState> {
    const { connection } = this;
    const { embedder } = this.options;
    const inspect = (): Promise<CollectionState> => inspectCollection(connection, embedder, signal);
    const state = (this.state ??= await inspect().catch(async (error: unknown) => {
      if (!(error instanceof MissingCollectionError)) throw error;
      const sample = await embedder?.embedQuery("How long is a vector?", signal);
      await createCollection(connection, sample?.length, signal);
      return inspect();
    }));
    if (!this.isIndexed) await createIndexes(connection, signal);
    this.isIndexed = true;
    // Without the model, vector searches would not find new passages.
    if (state.index && !embedder)
      throw new KnowledgeBaseError(
        `The collection "${connection.collection}" has vectors of ${state.index.model ?? "an embedding model"}, but no embedding model is configured`,
        "Set CRAG_EMBEDDING_MODEL, or ingest into another QDRANT_COLLECTION.",
      );
    return state;
  }

  private async countOf(type: "document" | "passage", filter?: Filter): Promise<number> {
    return this.count(pointsOf(type, await conditionsOf(this.connection, filter)));
  }

  private async count(filter: Schemas["Filter"]): Promise<number> {
    const counting = { filter, exact: true };
    return (await this.connection.call((client, name) => client.count(name, counting))).count;
  }

  private writeContext(index: VectorIndex | undefined, signal?: AbortSignal): WriteContext {
    return { connection: this.connection, embedder: this.options.embedder, index, signal };
  }
}
