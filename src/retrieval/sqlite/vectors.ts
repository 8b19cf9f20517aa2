/** Vectors of passages, of length 1: in sqlite-vec's table, or, where that extension does not load, in a plain one. */
import { KnowledgeBaseError, type Vector } from "../knowledge-base.js";
import { dot, normalized } from "../fusion.js";
import type { Condition } from "./filter-sql.js";
import type { Database } from "./database.js";
import type { Meta } from "./schema.js";

/** sqlite-vec returns at most this many neighbors. */
const MAX_NEIGHBORS = 4096;

export interface Neighbor {
  /** Row id of the passage. */
  row: number;
  /** In −1…1. */
  cosine: number;
}

export interface VectorTable {
  insert(row: number, vector: Vector): void;
  remove(rows: readonly number[]): void;
  read(row: number): Float32Array | undefined;
  /** Returns the nearest, best first, exactly. */
  nearest(query: Vector, limit: number, condition: Condition | undefined): Neighbor[];
}

/** `off` does without sqlite-vec, as on a machine where it does not load. */
export type VectorExtension = "auto" | "off";

export interface EmbeddingFacts {
  model: string;
  dimensions: number;
}

/** Returns what the index says of its vectors; undefined while it has none. */
export function storedEmbedding(meta: Meta): EmbeddingFacts | undefined {
  const model = meta.get("embedding_model");
  const dimensions = Number(meta.get("embedding_dimensions"));
  return model === undefined || !Number.isInteger(dimensions) ? undefined : { model, dimensions };
}

/** Tells a model's versions apart from other models: `name@version`. */
export function isOtherVersion(model: string, stored: string): boolean {
  const name = (full: string): string => full.replace(/@[^@]*$/, "");
  return model !== stored && model.includes("@") && name(model) === name(stored);
}

/** @throws KnowledgeBaseError that names both models when the index was made with another one */
export function checkModel(meta: Meta, model: string | undefined, file: string): void {
  const stored = storedEmbedding(meta);
  if (model === undefined || stored === undefined || stored.model === model) return;
  if (isOtherVersion(model, stored.model)) return;
  throw new KnowledgeBaseError(
    `The knowledge base ${file} was made with the embedding model ${stored.model} (${stored.dimensions} dimensions), but ${model} is configured`,
    stored.model.includes("@")
      ? "Unset EMBEDDING_MODEL and CRAG_READER, or ingest into another directory with --kb."
      : `Set EMBEDDING_MODEL=${stored.model}, or ingest into another directory with --kb.`,
  );
}

/** @throws KnowledgeBaseError that names both sizes when a vector does not fit the index */
export function checkDimensions(
  stored: EmbeddingFacts,
  model: string,
  { length }: Vector,
  file: string,
): void {
  if (stored.dimensions === length) return;
  throw new KnowledgeBaseError(
    `The knowledge base ${file} holds vectors of ${stored.dimensions} dimensions (${stored.model}), but ${model} gives ${length}`,
    "Configure the model with which the index was made, or ingest into another directory with --kb.",
  );
}

/** Makes the table at the first vector; what kind it is stays with the index. */
export async function createVectorTable(
  database: Database,
  meta: Meta,
  facts: EmbeddingFacts,
  extension: VectorExtension,
): Promise<VectorTable | undefined> {
  const native = await loadSqliteVec(database, extension);
  database.transaction(() => {
    if (storedEmbedding(meta) !== undefined) return;
    database.exec(
      native
        ? `CREATE VIRTUAL TABLE vectors USING vec0(vector float[${facts.dimensions}] distance_metric=cosine)`
        : "CREATE TABLE vectors (rowid INTEGER PRIMARY KEY, vector BLOB NOT NULL)",
    );
    meta.set("embedding_model", facts.model);
    meta.set("embedding_dimensions", String(facts.dimensions));
    meta.set("vector_table", native ? "vec0" : "plain");
  });
  return openVectorTable(database, meta, extension);
}

/** Drops all vectors, so that another version of their model makes them anew. */
export function dropVectors(database: Database, meta: Meta): void {
  database.transaction(() => {
    database.exec("DROP TABLE IF EXISTS vectors");
    database.exec("INSERT OR IGNORE INTO pending_vectors SELECT id FROM passages");
    for (const key of ["embedding_model", "embedding_dimensions", "vector_table"]) meta.remove(key);
  });
}

/** Opens the table that the index has; undefined while it has none, and where its extension does not load. */
export async function openVectorTable(
  database: Database,
  meta: Meta,
  extension: VectorExtension,
): Promise<VectorTable | undefined> {
  if (storedEmbedding(meta) === undefined) return undefined;
  if (meta.get("vector_table") !== "vec0") return plainTable(database);
  return (await loadSqliteVec(database, extension)) ? nativeTable(database) : undefined;
}

async function loadSqliteVec(database: Database, extension: VectorExtension): Promise<boolean> {
  if (extension === "off") return false;
  try {
    const { getLoadablePath } = await import("sqlite-vec");
    return database.loadExtension(getLoadablePath());
  } catch {
    return false;
  }
}

function nativeTable(database: Database): VectorTable {
  return {
    ...tableOf(database, BigInt),
    nearest(query, limit, condition) {
      const within = condition === undefined ? "" : `AND rowid IN (${rowsThatMeet(condition)})`;
      return database
        .all(
          `SELECT rowid, distance FROM vectors WHERE vector MATCH ? AND k = ? ${within} ORDER BY distance`,
          [blobOf(query), Math.min(limit, MAX_NEIGHBORS), ...(condition?.values ?? [])],
        )
        .map((row) => ({ row: Number(row["rowid"]), cosine: 1 - Number(row["distance"]) }));
    },
  };
}

function plainTable(database: Database): VectorTable {
  return {
    ...tableOf(database, Number),
    nearest(query, limit, condition) {
      const wanted = normalized(query);
      const within = condition === undefined ? "" : `AND rowid IN (${rowsThatMeet(condition)})`;
      const found: Neighbor[] = [];
      let after = -1;
      // In pages: a large index would otherwise stand in memory twice.
      for (;;) {
        const rows = database.all(
          `SELECT rowid, vector FROM vectors WHERE rowid > ? ${within} ORDER BY rowid LIMIT 4096`,
          [after, ...(condition?.values ?? [])],
        );
        for (const { rowid, vector } of rows) {
          after = Number(rowid);
          if (isBlob(vector))
            found.push({ row: after, cosine: dot(wanted, new Float32Array(vector)) });
        }
        if (rows.length < 4096) break;
      }
      return found.sort((a, b) => b.cosine - a.cosine || a.row - b.row).slice(0, limit);
    },
  };
}

/** @param idOf in the form that the table takes: sqlite-vec wants a BigInt */
function tableOf(
  database: Database,
  idOf: (row: number) => number | bigint,
): Omit<VectorTable, "nearest"> {
  return {
    insert(row, vector) {
      database.run("INSERT INTO vectors (rowid, vector) VALUES (?, ?)", [
        idOf(row),
        blobOf(vector),
      ]);
    },
    remove(rows) {
      for (const row of rows) database.run("DELETE FROM vectors WHERE rowid = ?", [idOf(row)]);
    },
    read(row) {
      const [found] = database.all("SELECT vector FROM vectors WHERE rowid = ?", [idOf(row)]);
      const vector = found?.["vector"];
      return isBlob(vector) ? new Float32Array(vector) : undefined;
    },
  };
}

function rowsThatMeet({ sql }: Condition): string {
  return `SELECT p.id FROM passages p JOIN documents d ON d.id = p.document_id WHERE ${sql}`;
}

/** Inside an array a Buffer is bound as a blob. */
function blobOf(vector: Vector): Buffer {
  return Buffer.from(normalized(vector).buffer);
}

/** The driver gives blobs as ArrayBuffers. Not asked by `instanceof`, since under a test runner they come from another realm. */
function isBlob(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === "[object ArrayBuffer]";
}
