/** The default knowledge base: one SQLite file with the passages, their full-text index, their vectors, and the bookkeeping. */
import path from "node:path";
import type { Score } from "../../state/evidence.js";
import {
  bestCosine,
  CANDIDATES_PER_LEG,
  cosineScore,
  fuseLegs,
  mergeByBest,
  normalized,
} from "../fusion.js";
import {
  KnowledgeBaseError,
  type DocumentRecord,
  type EmbedPendingOptions,
  type Embedder,
  type Hit,
  type KnowledgeBaseStats,
  type Passage,
  type SearchMode,
  type SearchRequest,
  type StoredDocument,
  type Vector,
  type WritableKnowledgeBase,
} from "../knowledge-base.js";
import { openDatabase, type Database } from "./database.js";
import { filterCondition } from "./filter-sql.js";
import { joinIndexParts, searchKeywords } from "./keyword-search.js";
import { embedPending, pendingCount } from "./pending-vectors.js";
import { createIdleEmbedding, type IdleEmbedding } from "./idle-embedding.js";
import { documentOf, PASSAGE_COLUMNS, passageOf } from "./rows.js";
import { prepareSchema, type Meta } from "./schema.js";
import {
  checkDimensions,
  checkModel,
  openVectorTable,
  storedEmbedding,
  type VectorExtension,
  type VectorTable,
} from "./vectors.js";
import { indexedTermsOf, removeDocuments, writeDocuments, type IndexedTerms } from "./write.js";

export interface SqliteKnowledgeBaseOptions {
  /** Holds the file `kb.sqlite`; made if it is not there, unless `readOnly`. */
  directory: string;
  /** With one, passages can get vectors, and vector and hybrid search can be served. */
  embedder?: Embedder;
  /** Never writes; a missing index is an error. */
  readOnly?: boolean;
  /** Goes on with missing vectors while nobody searches. */
  embedWhenIdle?: boolean;
  vectorExtension?: VectorExtension;
}

/** Where at least this share of the passages was stored anew, closing joins the parts of the full-text index. */
const SHARE_TO_JOIN = 0.1;

/**
 * Opens the knowledge base in a directory.
 * @throws KnowledgeBaseError when it is missing (read-only), damaged, of another format, not writable, or made with another embedding model
 * @example
 * const knowledgeBase = await openSqliteKnowledgeBase({ directory: ".corrective-rag/kb", readOnly: true });
 * const hits = await knowledgeBase.search("keyword", { query: "when does it search again", limit: 5 });
 */
export async function openSqliteKnowledgeBase(
  options: SqliteKnowledgeBaseOptions,
): Promise<WritableKnowledgeBase> {
  const { directory, embedder, readOnly = false, vectorExtension: extension = "auto" } = options;
  const database = await openDatabase({ directory, readOnly });
  try {
    const meta = prepareSchema(database, readOnly);
    checkModel(meta, embedder?.model, database.file);
    const isNeeded = (): boolean => pendingCount(database) > 0;
    const open = (): Promise<WritableKnowledgeBase> =>
      openSqliteKnowledgeBase({
        directory,
        embedder: shared(embedder),
        vectorExtension: extension,
      });
    const idle =
      options.embedWhenIdle === true && embedder !== undefined
        ? createIdleEmbedding({ isNeeded, open })
        : undefined;
    const store = new SqliteKnowledgeBase({ database, meta, embedder, readOnly, extension, idle });
    await store.openVectors();
    idle?.touch();
    return store;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The same model for another connection, which does not close it. */
function shared(embedder: Embedder | undefined): Embedder | undefined {
  return embedder && { ...embedder, close: undefined };
}

interface Parts {
  database: Database;
  meta: Meta;
  embedder: Embedder | undefined;
  readOnly: boolean;
  extension: VectorExtension;
  idle: IdleEmbedding | undefined;
}

/** What a leg found: the row of a passage, which is read when it is known to be among the hits. */
interface Found {
  row: number;
  scores: Score[];
}

const rowOf = ({ row }: Found): number => row;

class SqliteKnowledgeBase implements WritableKnowledgeBase {
  readonly name: string;
  private readonly database: Database;
  private readonly meta: Meta;
  private vectors: VectorTable | undefined;
  /** Passages since it was opened. */
  private stored = 0;

  constructor(private readonly parts: Parts) {
    this.database = parts.database;
    this.meta = parts.meta;
    this.name = `sqlite:${path.dirname(parts.database.file)}`;
  }

  /** Another process, or a task in the background, may make the first vectors after this was opened. */
  async openVectors(): Promise<void> {
    this.vectors ??= await openVectorTable(this.database, this.meta, this.parts.extension);
  }

  get modes(): readonly SearchMode[] {
    const { embedder } = this.parts;
    return embedder !== undefined && storedEmbedding(this.meta)?.model === embedder.model
      ? ["hybrid", "keyword", "vector"]
      : ["keyword"];
  }

  get vectorModel(): string | undefined {
    return this.modes.length > 1 ? this.parts.embedder?.model : undefined;
  }

  async search(mode: SearchMode, request: SearchRequest): Promise<Hit[]> {
    request.signal?.throwIfAborted();
    if (request.query.trim() === "" || request.limit < 1) return [];
    this.parts.idle?.touch();
    await this.openVectors();
    switch (mode) {
      case "keyword":
        return this.hits(this.keyword(request, request.limit));
      case "vector":
        return this.hits(this.nearest(await this.queryVectors(request), request, request.limit));
      case "hybrid":
        return this.hits((await this.hybrid(request)).slice(0, request.limit));
      default:
        return mode satisfies never;
    }
  }

  async documents(): Promise<DocumentRecord[]> {
    return this.database
      .all(
        "SELECT path, absolute_path, hash, kind, title, bytes, modified_at FROM documents ORDER BY path",
      )
      .map(documentOf);
  }

  async passagesOf(documentPath: string): Promise<Passage[]> {
    return this.database
      .all(
        `SELECT ${PASSAGE_COLUMNS} FROM passages p JOIN documents d ON d.id = p.document_id WHERE d.path = ? ORDER BY p.position`,
        [documentPath],
      )
      .map(passageOf);
  }

  async version(): Promise<string> {
    return `${this.meta.get("id") ?? ""}:${this.meta.get("revision") ?? "0"}`;
  }

  async stats(): Promise<KnowledgeBaseStats> {
    const counts = this.database.all("SELECT count(*) AS documents FROM documents")[0];
    const embedding = storedEmbedding(this.meta);
    return {
      documents: Number(counts?.["documents"]),
      passages: Number(this.meta.get("passages") ?? "0"),
      ...(embedding && { embedding: { ...embedding, pending: pendingCount(this.database) } }),
    };
  }

  async put(documents: readonly StoredDocument[], signal?: AbortSignal): Promise<void> {
    this.refuseIfReadOnly();
    if (documents.length === 0) return;
    const prepared: (StoredDocument & { terms: readonly IndexedTerms[] })[] = [];
    for (const document of documents)
      prepared.push({ ...document, terms: await indexedTermsOf(document.passages, signal) });
    signal?.throwIfAborted();
    this.database.transaction(() =>
      writeDocuments(this.database, this.meta, prepared, this.vectors),
    );
    this.stored += prepared.reduce((sum, { passages }) => sum + passages.length, 0);
  }

  async remove(paths: readonly string[]): Promise<void> {
    this.refuseIfReadOnly();
    if (paths.length === 0) return;
    this.database.transaction(() => removeDocuments(this.database, this.meta, paths, this.vectors));
  }

  async embedPending(options: EmbedPendingOptions = {}): Promise<void> {
    const { embedder } = this.parts;
    if (embedder === undefined) return;
    this.refuseIfReadOnly();
    await embedPending({ ...this.parts, embedder }, options);
    this.vectors = undefined;
    await this.openVectors();
  }

  async close(): Promise<void> {
    await this.parts.idle?.stop();
    await this.parts.embedder?.close?.();
    if (this.stored > 0 && this.stored >= Number(this.meta.get("passages")) * SHARE_TO_JOIN)
      joinIndexParts(this.database);
    this.stored = 0;
    this.database.close();
  }

  private keyword({ query, filter }: SearchRequest, limit: number): Found[] {
    const condition = filterCondition(this.database, filter);
    return searchKeywords(this.database, { query, limit, condition }).map(({ row, score }) => ({
      row,
      scores: [{ value: score, scale: "bm25", by: "fts5" }],
    }));
  }

  /** One for the query, or one for each hypothetical document in its place. */
  private async queryVectors({
    query,
    hypotheticals = [],
    signal,
  }: SearchRequest): Promise<Vector[]> {
    const { embedder } = this.parts;
    const stored = storedEmbedding(this.meta);
    if (embedder === undefined || stored === undefined)
      throw new KnowledgeBaseError(
        `${this.name} has no vectors`,
        "Ingest again with an embedding model, or search by keywords.",
      );
    const texts = hypotheticals.length === 0 ? [query] : hypotheticals;
    const vectors = await Promise.all(texts.map((text) => embedder.embedQuery(text, signal)));
    for (const vector of vectors)
      checkDimensions(stored, embedder.model, vector, this.database.file);
    return vectors;
  }

  private nearest(queries: readonly Vector[], { filter }: SearchRequest, limit: number): Found[] {
    const by = this.parts.embedder?.model ?? "";
    const condition = filterCondition(this.database, filter);
    const lists = queries.map((query) =>
      (this.vectors?.nearest(query, limit, condition) ?? []).map(({ row, cosine }): Found => ({
        row,
        scores: [cosineScore(cosine, by)],
      })),
    );
    return mergeByBest(lists, rowOf).slice(0, limit);
  }

  private async hybrid(request: SearchRequest): Promise<Found[]> {
    const depth = Math.max(CANDIDATES_PER_LEG, request.limit);
    if (this.parts.embedder?.knows?.(request.query) === false) return this.keyword(request, depth);
    const queries = (await this.queryVectors(request)).map(normalized);
    const near = this.nearest(queries, request, depth);
    return fuseLegs(this.keyword(request, depth), near, {
      keyOf: rowOf,
      cosineOf: ({ row }) => {
        const vector = this.vectors?.read(row);
        return vector && bestCosine(queries, vector);
      },
      model: this.parts.embedder?.model ?? "",
    });
  }

  /** With their passages; without those that were removed meanwhile. */
  private hits(found: readonly Found[]): Hit[] {
    const passages = new Map(
      this.database
        .all(
          `SELECT ${PASSAGE_COLUMNS} FROM json_each(?) j JOIN passages p ON p.id = j.value JOIN documents d ON d.id = p.document_id`,
          [JSON.stringify(found.map(rowOf))],
        )
        .map((row) => [Number(row["row"]), passageOf(row)]),
    );
    const vectors = this.vectorModel === undefined ? undefined : this.vectors;
    return found.flatMap(({ row, scores }) => {
      const passage = passages.get(row);
      const vector = vectors?.read(row);
      return passage === undefined ? [] : [{ passage, scores, ...(vector && { vector }) }];
    });
  }

  private refuseIfReadOnly(): void {
    if (this.parts.readOnly)
      throw new KnowledgeBaseError(
        `The knowledge base ${this.database.file} was opened for reading only`,
      );
  }
}
