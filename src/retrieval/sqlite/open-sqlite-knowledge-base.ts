import path from "node:path";
import { checkModel, searchStore } from "../indexed-text.js";
import type { Embedder } from "../../reader/embedder.js";
import type { Filter } from "../../settings/filter.js";
import {
  DocumentRecordSchema,
  type DocumentRecord,
  type EmbedPendingOptions,
  type Hit,
  type KnowledgeBaseStats,
  type Passage,
  type SearchMode,
  type SearchRequest,
  type StoredDocument,
  type WritableKnowledgeBase,
} from "../knowledge-base.js";
import { openDatabase, type Database } from "./database.js";
import {
  DOCUMENT_COLUMNS,
  DOCUMENTS,
  PASSAGE_COLUMNS,
  PASSAGES,
  prepareSchema,
  type Meta,
} from "./schema.js";
import {
  described,
  describedIn,
  filterCondition,
  passageOf,
  readHits,
  searchKeywords,
  searchVectors,
} from "./search.js";
import {
  analyzed,
  embedPending,
  isOutdated,
  pendingCount,
  deleteDocuments,
  writeDocuments,
  type AnalyzedDocument,
} from "./write.js";

export interface SqliteKnowledgeBaseOptions {
  /** Holds the file `kb.sqlite`; created if missing, unless `readOnly`. */
  directory: string;
  /** Enables vector and hybrid search. */
  embedder?: Embedder;
  /** Never writes; a missing file is an error. */
  readOnly?: boolean;
}

/**
 * Opens the default knowledge base: one SQLite file with passages, full text and vectors.
 * @throws KnowledgeBaseError when it is missing (read-only), damaged, of another format, not
 *   writable, or made with another embedding model
 * @example
 * const knowledgeBase = await openSqliteKnowledgeBase({ directory: ".corrective-rag/kb" });
 * const hits = await knowledgeBase.search("keyword", { query: "when does it search", limit: 5 });
 */
export async function openSqliteKnowledgeBase({
  directory,
  embedder,
  readOnly = false,
}: SqliteKnowledgeBaseOptions): Promise<WritableKnowledgeBase> {
  const database = await openDatabase({ directory, readOnly });
  try {
    const meta = prepareSchema(database, readOnly);
    const index = meta.embedding;
    if (index && embedder && !isOutdated(index, embedder)) checkModel(index, embedder.model);
    return new SqliteKnowledgeBase(database, meta, embedder);
  } catch (error) {
    database.close();
    throw error;
  }
}

class SqliteKnowledgeBase implements WritableKnowledgeBase {
  readonly name: string;

  constructor(
    private readonly database: Database,
    private readonly meta: Meta,
    private readonly embedder: Embedder | undefined,
  ) {
    this.name = `sqlite:${path.dirname(database.file)}`;
  }

  get modes(): readonly SearchMode[] {
    return this.vectorModel === undefined ? ["keyword"] : ["hybrid", "keyword", "vector"];
  }

  get vectorModel(): string | undefined {
    const model = this.embedder?.model;
    return this.meta.embedding?.model === model ? model : undefined;
  }

  async search(mode: SearchMode, request: SearchRequest): Promise<Hit[]> {
    const { database, embedder, vectorModel: by } = this;
    const found = await searchStore(
      {
        name: this.name,
        index: by === undefined ? undefined : this.meta.embedding,
        embedder,
        async find({ words, vectors, limit }) {
          const leg = { limit, condition: filterCondition(database, request.filter) };
          return {
            words: words ? searchKeywords(database, request.query, leg) : [],
            near: vectors.map((vector) => searchVectors(database, vector, { ...leg, by })),
          };
        },
      },
      mode,
      request,
    );
    return readHits(database, found);
  }

  async documents(filter?: Filter): Promise<DocumentRecord[]> {
    const { sql, values } = describedIn(this.database, "d.description_id", filter);
    const found = `SELECT ${DOCUMENT_COLUMNS} FROM ${DOCUMENTS} WHERE true ${sql} ORDER BY d.path`;
    return this.database
      .all(found, values)
      .map((row) => DocumentRecordSchema.parse(described(row)));
  }

  async passagesOf(documentPath: string, filter?: Filter): Promise<Passage[]> {
    const { sql, values } = describedIn(this.database, "p.description_id", filter);
    return this.database
      .all(
        `SELECT ${PASSAGE_COLUMNS} FROM ${PASSAGES} WHERE d.path = ? ${sql} ORDER BY p.position`,
        [documentPath, ...values],
      )
      .map(passageOf);
  }

  async version(): Promise<string> {
    return `${this.meta.get("id") ?? ""}:${this.meta.get("revision") ?? "0"}`;
  }

  async stats(filter?: Filter): Promise<KnowledgeBaseStats> {
    const count = (table: string): number => {
      const { sql, values } = describedIn(this.database, "description_id", filter);
      const [counted] = this.database.all(
        `SELECT count(*) AS n FROM ${table} WHERE true ${sql}`,
        values,
      );
      return Number(counted?.["n"]);
    };
    const index = this.meta.embedding;
    const pending = pendingCount(this.database);
    return {
      documents: count("documents"),
      passages: count("passages"),
      ...(index && {
        embedding: { model: index.model, dimensions: index.dimensions, pending },
      }),
    };
  }

  async put(documents: readonly StoredDocument[], signal?: AbortSignal): Promise<void> {
    if (documents.length === 0) return;
    const prepared: AnalyzedDocument[] = [];
    for (const document of documents) prepared.push(await analyzed(document, signal));
    signal?.throwIfAborted();
    writeDocuments(this.database, this.meta, prepared, this.embedder);
  }

  async remove(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    deleteDocuments(this.database, this.meta, paths);
  }

  async embedPending(options: EmbedPendingOptions = {}): Promise<void> {
    if (this.embedder === undefined) return;
    await embedPending(this.database, this.meta, this.embedder, options);
  }

  async close(): Promise<void> {
    await this.embedder?.close?.();
    this.database.close();
  }
}
