/** A knowledge base in a Qdrant collection: the same passages, modes and filters as the SQLite file, on a server or a cluster. */
import {
  KnowledgeBaseError,
  type DocumentRecord,
  type Embedder,
  type Hit,
  type KnowledgeBaseStats,
  type Passage,
  type SearchMode,
  type SearchRequest,
  type Vector,
  type WritableKnowledgeBase,
} from "../knowledge-base.js";
import {
  checkSize,
  createCollection,
  createIndexes,
  indexFields,
  inspectCollection,
  readFacts,
  type CollectionState,
  type QdrantCollectionSettings,
} from "./collection.js";
import { connectToQdrant, type QdrantConnection } from "./connection.js";
import { conditionsOf, pathIs, pointsOf } from "./filter.js";
import { pathsOfGlob } from "./glob-paths.js";
import { readDocument, readPassage } from "./payload.js";
import { scrollPayloads } from "./scroll.js";
import { searchCollection } from "./search.js";
import { putDocuments, removeDocuments, type StoredDocument, type WriteContext } from "./write.js";

export interface QdrantKnowledgeBaseOptions {
  /** `http://localhost:6333`; without a port 6333 is taken. */
  url: string;
  apiKey?: string;
  collection: string;
  /** With one, passages get vectors, and vector and hybrid search can be served. */
  embedder?: Embedder;
  /** How `put` lays out the collection if there is none; an existing one stays as it is. */
  settings?: QdrantCollectionSettings;
  /** The caller is about to fill the collection: while it is missing it reads as empty, where otherwise that is an error. */
  mayBeMissing?: boolean;
  /** Never writes. */
  readOnly?: boolean;
  /** Of one request. */
  timeoutInMs?: number;
  /** After 429, 5xx, time-outs and broken connections. */
  maxRetries?: number;
  initialDelayInMs?: number;
  /** The server takes 32 MB. */
  maxRequestBytes?: number;
}

const PASSAGES_PER_PAGE = 256;
const DOCUMENTS_PER_PAGE = 1000;

/**
 * Opens a collection; nothing is sent until the first use, so that a server that is down fails a run and not the start.
 * Only `put` ever makes a collection: reading a missing one rejects with `KnowledgeBaseError` that names it.
 *
 * @example await openQdrantKnowledgeBase({ url: "http://localhost:6333", collection: "handbook" })
 */
export async function openQdrantKnowledgeBase({
  url,
  apiKey,
  collection,
  timeoutInMs = 10_000,
  maxRetries = 3,
  initialDelayInMs = 300,
  ...options
}: QdrantKnowledgeBaseOptions): Promise<WritableKnowledgeBase> {
  const connection = await connectToQdrant({
    url,
    apiKey,
    collection,
    timeoutInMs,
    maxRetries,
    initialDelayInMs,
  });
  return new QdrantKnowledgeBase(connection, options);
}

class QdrantKnowledgeBase implements WritableKnowledgeBase {
  readonly name: string;
  readonly modes: readonly SearchMode[];
  readonly vectorModel: string | undefined;
  /** Known once the collection was seen; it does not change after that. */
  private state: CollectionState | undefined;

  constructor(
    private readonly connection: QdrantConnection,
    private readonly options: Omit<
      QdrantKnowledgeBaseOptions,
      "url" | "apiKey" | "collection" | "timeoutInMs" | "maxRetries" | "initialDelayInMs"
    >,
  ) {
    this.name = `qdrant:${connection.collection}@${connection.host}`;
    this.vectorModel = options.embedder?.model;
    this.modes = options.embedder ? ["hybrid", "keyword", "vector"] : ["keyword"];
  }

  async search(mode: SearchMode, request: SearchRequest): Promise<Hit[]> {
    if (!this.modes.includes(mode)) {
      throw new KnowledgeBaseError(
        `${this.name} cannot search by ${mode}: there is no embedding model`,
        "Set EMBEDDING_MODEL and ingest again, or search by keywords.",
      );
    }
    request.signal?.throwIfAborted();
    if (request.query.trim() === "" || request.limit < 1) return [];
    const state = await this.present(request.signal);
    if (!state) return [];
    const matched = await pathsOfGlob(this.connection, request);
    if (matched?.length === 0) return [];
    const context = {
      connection: this.connection,
      request,
      conditions: conditionsOf(request.filter, matched),
      model: this.options.embedder?.model ?? "",
      vectors: [] as readonly Vector[],
    };
    const { embedder } = this.options;
    if (mode !== "keyword" && embedder)
      context.vectors = await this.queryVectors(embedder, request, state);
    return searchCollection(mode, context);
  }

  async documents(): Promise<DocumentRecord[]> {
    if (!(await this.present())) return [];
    const documents: DocumentRecord[] = [];
    for await (const payload of scrollPayloads(this.connection, pointsOf("document"), {
      pageSize: DOCUMENTS_PER_PAGE,
    })) {
      const document = readDocument(payload);
      if (document) documents.push(document);
    }
    return documents.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async passagesOf(path: string): Promise<Passage[]> {
    if (!(await this.present())) return [];
    const stored: { passage: Passage; position: number }[] = [];
    for await (const payload of scrollPayloads(
      this.connection,
      pointsOf("passage", [pathIs(path)]),
      { pageSize: PASSAGES_PER_PAGE },
    )) {
      const passage = readPassage(payload);
      if (passage) stored.push(passage);
    }
    return stored.sort((a, b) => a.position - b.position).map(({ passage }) => passage);
  }

  async version(): Promise<string> {
    if (!(await this.present())) return "missing";
    return (await readFacts(this.connection))?.version ?? "empty";
  }

  async stats(): Promise<KnowledgeBaseStats> {
    const state = await this.present();
    if (!state) return { documents: 0, passages: 0 };
    const [documents, passages, facts] = await Promise.all([
      this.count("document"),
      this.count("passage"),
      readFacts(this.connection),
    ]);
    return { documents, passages, ...(facts?.embedding ? { embedding: facts.embedding } : {}) };
  }

  async put(documents: readonly StoredDocument[], signal?: AbortSignal): Promise<void> {
    this.refuseIfReadOnly();
    if (documents.length === 0) return;
    const state = await this.ready(signal);
    await putDocuments(this.writeContext(state, signal), documents);
  }

  async remove(paths: readonly string[]): Promise<void> {
    this.refuseIfReadOnly();
    if (paths.length === 0) return;
    const state = await this.present();
    if (state) await removeDocuments(this.writeContext(state), paths);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** The collection, or undefined where it may be missing and is. */
  private async present(signal?: AbortSignal): Promise<CollectionState | undefined> {
    this.state ??= await inspectCollection(this.connection, this.options.embedder, signal);
    if (!this.state && !this.options.mayBeMissing) throw this.connection.missingCollection();
    return this.state;
  }

  /** The collection, made if it is missing, with all its payload indexes: a kill while it was made may have left some out. */
  private async ready(signal: AbortSignal | undefined): Promise<CollectionState> {
    const { embedder, settings = {} } = this.options;
    let state = this.state ?? (await inspectCollection(this.connection, embedder, signal));
    if (!state) {
      const dimensions = embedder
        ? (await embedder.embedQuery("How long is a vector?", signal)).length
        : undefined;
      await createCollection(this.connection, dimensions, settings, signal);
      state = await inspectCollection(this.connection, embedder, signal);
    }
    state ??= { points: 0, missingIndexes: indexFields() };
    await createIndexes(this.connection, state.missingIndexes, signal);
    this.refuseToDropVectors(state);
    return (this.state = { ...state, missingIndexes: [] });
  }

  /** Without the model new passages would be missing from every vector search. */
  private refuseToDropVectors({ dimensions, facts }: CollectionState): void {
    if (dimensions === undefined || this.options.embedder) return;
    const model = facts?.embedding?.model ?? "an embedding model";
    throw new KnowledgeBaseError(
      `The collection "${this.connection.collection}" has vectors of ${model}, but no embedding model is configured`,
      "Set EMBEDDING_MODEL, or ingest into another QDRANT_COLLECTION.",
    );
  }

  private async queryVectors(
    embedder: Embedder,
    { query, hypotheticals = [], signal }: SearchRequest,
    state: CollectionState,
  ): Promise<Vector[]> {
    const texts = hypotheticals.length > 0 ? hypotheticals : [query];
    const vectors = await Promise.all(texts.map((text) => embedder.embedQuery(text, signal)));
    for (const vector of vectors)
      checkSize(this.connection.collection, embedder.model, vector, state.dimensions ?? 0);
    return vectors;
  }

  private async count(type: "document" | "passage"): Promise<number> {
    const { count } = await this.connection.call((api, init) =>
      api.countPoints(
        { collection_name: this.connection.collection, filter: pointsOf(type), exact: true },
        init,
      ),
    );
    return count;
  }

  private writeContext({ dimensions, facts }: CollectionState, signal?: AbortSignal): WriteContext {
    const { embedder, maxRequestBytes = 16_000_000 } = this.options;
    return {
      connection: this.connection,
      embedder,
      embedding: facts?.embedding,
      dimensions,
      signal,
      maxRequestBytes,
    };
  }

  private refuseIfReadOnly(): void {
    if (this.options.readOnly)
      throw new KnowledgeBaseError(`${this.name} was opened for reading only`);
  }
}
