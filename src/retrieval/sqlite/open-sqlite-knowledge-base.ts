import path from "node:path";
import { checkModel, searchStore } from "../indexed-text.js";
import type { Embedder } from "../../reader/embedder.js";
import {
  DocumentRecordSchema,
  KnowledgeBaseError,
  type SearchMode,
  type WritableKnowledgeBase,
} from "../knowledge-base.js";
import { waitForTurn } from "../../support/waiting.js";
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
  withMetadata,
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
 * @throws KnowledgeBaseError when it is missing (read-only), damaged, of another format,
 *   impossible to make, or made with another embedding model
 * @example
 * const knowledgeBase = await openSqliteKnowledgeBase({ directory: ".corrective-rag/kb" });
 * const hits = await knowledgeBase.search("keyword", { query: "when does it search", limit: 5 });
 */
export async function openSqliteKnowledgeBase({
  directory,
  embedder,
  readOnly = false,
}: SqliteKnowledgeBaseOptions): Promise<WritableKnowledgeBase> {
  if (typeof directory !== "string")
    throw new KnowledgeBaseError(
      "openSqliteKnowledgeBase takes { directory }, the folder of the file",
    );
  const database = await openDatabase(directory, readOnly);
  try {
    const meta = prepareSchema(database, readOnly);
    const index = meta.embedding;
    if (index && embedder && !isOutdated(index, embedder)) checkModel(index, embedder.model);
    return sqliteKnowledgeBase(database, meta, embedder);
  } catch (error) {
    database.close();
    throw error;
  }
}

function sqliteKnowledgeBase(
  database: Database,
  meta: Meta,
  embedder: Embedder | undefined,
): WritableKnowledgeBase {
  const name = `sqlite:${path.dirname(database.file)}`;
  const vectorModel = (): string | undefined =>
    meta.embedding?.model === embedder?.model ? embedder?.model : undefined;
  return {
    name,
    get modes(): readonly SearchMode[] {
      return vectorModel() === undefined ? ["keyword"] : ["hybrid", "keyword", "vector"];
    },
    get vectorModel() {
      return vectorModel();
    },
    async search(mode, request) {
      const by = vectorModel();
      const index = by === undefined ? undefined : meta.embedding;
      const find: Parameters<typeof searchStore>[0]["find"] = async ({ words, vectors, limit }) => {
        const leg = { limit, condition: filterCondition(database, request.filter) };
        return {
          words: words ? searchKeywords(database, request.query, leg) : [],
          near: vectors.map((vector) => searchVectors(database, vector, { ...leg, by })),
        };
      };
      return readHits(database, await searchStore({ name, index, embedder, find }, mode, request));
    },
    async documents(filter) {
      const { sql, values } = describedIn(database, "d.description_id", filter);
      const from = `SELECT ${DOCUMENT_COLUMNS} FROM ${DOCUMENTS}`;
      const found = `${from} WHERE true ${sql} ORDER BY d.path`;
      return database
        .all(found, values)
        .map((row) => DocumentRecordSchema.parse(withMetadata(row)));
    },
    async passagesOf(documentPath, filter) {
      const { sql, values } = describedIn(database, "p.description_id", filter);
      const from = `SELECT ${PASSAGE_COLUMNS} FROM ${PASSAGES}`;
      const found = `${from} WHERE d.path = ? ${sql} ORDER BY p.position`;
      // Reading a long document takes a while: of several, one is read per turn.
      await waitForTurn();
      return database.all(found, [documentPath, ...values]).map(passageOf);
    },
    version: async () => `${meta.get("id") ?? ""}:${meta.get("revision") ?? "0"}`,
    async stats(filter) {
      const { sql, values } = describedIn(database, "description_id", filter);
      const count = (table: string): number => {
        const counting = `SELECT count(*) AS n FROM ${table} WHERE true ${sql}`;
        return Number(database.all(counting, values)[0]?.["n"]);
      };
      const [documents, passages] = [count("documents"), count("passages")];
      const index = meta.embedding;
      if (index === undefined) return { documents, passages };
      const { model, dimensions } = index;
      const embedding = { model, dimensions, pending: pendingCount(database) };
      return { documents, passages, embedding };
    },
    async put(documents, signal) {
      if (documents.length === 0) return;
      const prepared: AnalyzedDocument[] = [];
      for (const document of documents) prepared.push(await analyzed(document, signal));
      signal?.throwIfAborted();
      writeDocuments(database, meta, prepared, embedder);
    },
    async remove(paths) {
      if (paths.length > 0) deleteDocuments(database, meta, paths);
    },
    async embedPending(options = {}) {
      if (embedder !== undefined) await embedPending(database, meta, embedder, options);
    },
    async close() {
      await embedder?.close?.();
      database.close();
    },
  };
}
