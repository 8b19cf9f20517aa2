/** The default knowledge base: one SQLite file with the passages, their full-text index, their vectors, and the bookkeeping. */
import path from "node:path";
import { searchTerms } from "../../text/search-terms.js";
import { textToEmbed } from "../indexed-text.js";
import type { Score } from "../../state/evidence.js";
import { fuseByRank, mergeByBest } from "../fusion.js";
import {
  KnowledgeBaseError,
  type DocumentRecord,
  type Embedder,
  type Hit,
  type KnowledgeBaseStats,
  type Passage,
  type SearchMode,
  type SearchRequest,
  type WritableKnowledgeBase,
} from "../knowledge-base.js";
import { openDatabase, type Database } from "./database.js";
import { filterCondition } from "./filter-sql.js";
import { keywordIndexReader, type KeywordIndex } from "./keyword-index.js";
import { askedTerms, expandedRows, plainRows } from "./keyword-search.js";
import { documentOf, PASSAGE_COLUMNS, passageOf } from "./rows.js";
import { prepareSchema, type Meta } from "./schema.js";
import {
  checkDimensions,
  checkEmbedder,
  createVectorTable,
  openVectorTable,
  storedEmbedding,
  type VectorExtension,
  type VectorTable,
} from "./vectors.js";
import {
  indexedTermsOf,
  joinParts,
  removeDocuments,
  writeDocuments,
  type PreparedDocument,
  type StoredDocument,
} from "./write.js";

export interface SqliteKnowledgeBaseOptions {
  /** Holds the file `kb.sqlite`; made if it is not there, unless `readOnly`. */
  directory: string;
  /** With one, passages get vectors, and vector and hybrid search can be served. */
  embedder?: Embedder;
  /** Never writes; a missing index is an error. */
  readOnly?: boolean;
  vectorExtension?: VectorExtension;
}

/** How many candidates each leg gives to a fusion: deep enough that a passage weak in one leg can still be lifted by the other. */
const CANDIDATES_PER_LEG = 100;

/** Where at least this share of the passages was stored anew, closing tidies the full-text index. */
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
  const { directory, embedder, readOnly = false, vectorExtension = "auto" } = options;
  const database = await openDatabase({ directory, readOnly });
  try {
    const meta = prepareSchema(database, readOnly);
    checkEmbedder(meta, embedder, database.file);
    const vectors = await openVectorTable(database, meta, vectorExtension);
    return new SqliteKnowledgeBase({
      database,
      meta,
      embedder,
      vectors,
      vectorExtension,
      readOnly,
    });
  } catch (error) {
    database.close();
    throw error;
  }
}

interface Parts {
  database: Database;
  meta: Meta;
  embedder: Embedder | undefined;
  vectors: VectorTable | undefined;
  vectorExtension: VectorExtension;
  readOnly: boolean;
}

/** What a leg found: the row of a passage, which is read when it is known to be among the hits. */
interface Found {
  row: number;
  scores: Score[];
}

function rowOf({ row }: Found): number {
  return row;
}

class SqliteKnowledgeBase implements WritableKnowledgeBase {
  readonly name: string;
  private readonly database: Database;
  private readonly index: () => KeywordIndex;
  /** Passages since it was opened. */
  private stored = 0;

  constructor(private readonly parts: Parts) {
    this.database = parts.database;
    this.index = keywordIndexReader(parts.database, parts.meta);
    this.name = `sqlite:${path.dirname(parts.database.file)}`;
  }

  get modes(): readonly SearchMode[] {
    return this.parts.embedder !== undefined && this.parts.vectors !== undefined
      ? ["hybrid", "keyword", "vector"]
      : ["keyword"];
  }

  async search(mode: SearchMode, request: SearchRequest): Promise<Hit[]> {
    request.signal?.throwIfAborted();
    if (request.query.trim() === "" || request.limit < 1) return [];
    return this.hits((await this.found(mode, request)).slice(0, request.limit));
  }

  private async found(mode: SearchMode, request: SearchRequest): Promise<Found[]> {
    switch (mode) {
      case "keyword":
        return this.keyword(request, request.limit);
      case "vector":
        return this.vector(request, request.limit);
      case "hybrid": {
        const depth = Math.max(CANDIDATES_PER_LEG, request.limit);
        return fuseByRank([this.keyword(request, depth), await this.vector(request, depth)], rowOf);
      }
      default:
        return mode satisfies never;
    }
  }

  async documents(): Promise<DocumentRecord[]> {
    // A document that was stored before there was an embedding model is stale in an index with vectors: its hash must not match.
    const embedding = this.parts.embedder !== undefined;
    return this.database
      .all(
        "SELECT path, absolute_path, hash, kind, title, bytes, modified_at, embedded FROM documents ORDER BY path",
      )
      .map((row) => ({
        ...documentOf(row),
        ...(embedding && row["embedded"] !== 1
          ? { hash: `${String(row["hash"])} without vectors` }
          : {}),
      }));
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
    return `${this.parts.meta.get("id") ?? ""}:${this.parts.meta.get("revision") ?? "0"}`;
  }

  async stats(): Promise<KnowledgeBaseStats> {
    const counts = this.database.all("SELECT count(*) AS documents FROM documents")[0];
    const embedding = storedEmbedding(this.parts.meta);
    return {
      documents: Number(counts?.["documents"]),
      // Counted as they come and go: a scan of a million rows would take as long as a search.
      passages: Number(this.parts.meta.get("passages") ?? "0"),
      ...(embedding === undefined ? {} : { embedding }),
    };
  }

  async put(documents: readonly StoredDocument[], signal?: AbortSignal): Promise<void> {
    this.refuseIfReadOnly();
    if (documents.length === 0) return;
    const embedded = await this.embed(documents, signal);
    signal?.throwIfAborted();
    const prepared: PreparedDocument[] = [];
    for (const [index, document] of documents.entries()) {
      const terms = await indexedTermsOf(document.passages, signal);
      prepared.push({
        ...document,
        terms,
        ...(embedded === undefined ? {} : { vectors: embedded[index] ?? [] }),
      });
    }
    this.database.transaction(() =>
      writeDocuments(this.database, this.parts.meta, prepared, this.parts.vectors),
    );
    this.stored += prepared.reduce((sum, { passages }) => sum + passages.length, 0);
  }

  async remove(paths: readonly string[]): Promise<void> {
    this.refuseIfReadOnly();
    if (paths.length === 0) return;
    this.database.transaction(() =>
      removeDocuments(this.database, this.parts.meta, paths, this.parts.vectors),
    );
  }

  async close(): Promise<void> {
    this.tidy();
    this.database.close();
  }

  private tidy(): void {
    if (this.stored === 0) return;
    try {
      if (this.stored >= Number(this.parts.meta.get("passages")) * SHARE_TO_JOIN)
        joinParts(this.database);
    } catch {
      // It only makes searches faster: no space, or another process that writes, is no reason to fail.
    }
    this.stored = 0;
  }

  private keyword(request: SearchRequest, limit: number): Found[] {
    const terms = askedTerms(searchTerms(request.query));
    if (terms.length === 0) return [];
    const expand = request.expand ?? true;
    const condition = filterCondition(this.database, request.filter);
    const search = { database: this.database, index: this.index(), terms, limit, condition };
    const rows = expand ? expandedRows(search) : plainRows(search);
    const by = expand ? "fts5+feedback" : "fts5";
    return rows.map(({ row, score }) => ({ row, scores: [{ value: score, scale: "bm25", by }] }));
  }

  private async vector(request: SearchRequest, limit: number): Promise<Found[]> {
    const { embedder, vectors } = this.parts;
    if (embedder === undefined || vectors === undefined) {
      throw new KnowledgeBaseError(
        `${this.name} has no vectors`,
        "Set EMBEDDING_MODEL and ingest again, or search by keywords.",
      );
    }
    const condition = filterCondition(this.database, request.filter);
    const texts =
      request.hypotheticals === undefined || request.hypotheticals.length === 0
        ? [request.query]
        : request.hypotheticals;
    const lists = await Promise.all(
      texts.map(async (text) => {
        const query = await embedder.embedQuery(text, request.signal);
        const stored = storedEmbedding(this.parts.meta);
        if (stored !== undefined)
          checkDimensions(stored, embedder, query.length, this.database.file);
        return vectors.nearest(query, limit, condition).map(({ row, cosine }): Found => ({
          row,
          scores: [{ value: Math.max(0, cosine), scale: "cosine", by: embedder.model }],
        }));
      }),
    );
    return mergeByBest(lists, rowOf).slice(0, limit);
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
    return found.flatMap(({ row, scores }) => {
      const passage = passages.get(row);
      return passage === undefined ? [] : [{ passage, scores }];
    });
  }

  /** One list of vectors for each document; undefined in an index that has none and gets none. */
  private async embed(
    documents: readonly StoredDocument[],
    signal: AbortSignal | undefined,
  ): Promise<number[][][] | undefined> {
    const { embedder, meta } = this.parts;
    const stored = storedEmbedding(meta);
    if (embedder === undefined) {
      if (stored === undefined) return undefined;
      throw new KnowledgeBaseError(
        `The knowledge base ${this.database.file} has vectors of ${stored.model}, but no embedding model is configured`,
        `Set EMBEDDING_MODEL=${stored.model}, or ingest into another directory with --kb.`,
      );
    }
    const texts = documents.flatMap((document) => document.passages.map(textToEmbed));
    const vectors = texts.length === 0 ? [] : await embedder.embedDocuments(texts, signal);
    if (vectors.length !== texts.length)
      throw new KnowledgeBaseError(
        `${embedder.model} gave ${vectors.length} vectors for ${texts.length} texts`,
      );
    const dimensions = vectors[0]?.length;
    if (dimensions !== undefined)
      this.parts.vectors ??= await this.firstVectors(embedder, dimensions);
    const facts = storedEmbedding(meta);
    if (facts !== undefined)
      for (const vector of vectors)
        checkDimensions(facts, embedder, vector.length, this.database.file);
    let taken = 0;
    return documents.map((document) => vectors.slice(taken, (taken += document.passages.length)));
  }

  private async firstVectors(embedder: Embedder, dimensions: number): Promise<VectorTable> {
    return createVectorTable(
      this.database,
      this.parts.meta,
      { model: embedder.model, dimensions },
      this.parts.vectorExtension,
    );
  }

  private refuseIfReadOnly(): void {
    if (this.parts.readOnly)
      throw new KnowledgeBaseError(
        `The knowledge base ${this.database.file} was opened for reading only`,
      );
  }
}
