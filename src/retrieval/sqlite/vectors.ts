/** Vectors of passages, of length 1: in sqlite-vec's table, or a plain one without it. */
import { normalized } from "../fusion.js";
import type { VectorIndex } from "../indexed-text.js";
import type { Vector } from "../knowledge-base.js";
import type { Database } from "./database.js";
import type { Meta } from "./schema.js";
import type { Condition } from "./search.js";

/** sqlite-vec returns at most this many neighbors. */
const MAX_NEIGHBORS = 4096;

export interface VectorTable {
  insert(row: number, vector: Vector): void;
  remove(rows: readonly number[]): void;
  read(row: number): Float32Array | undefined;
  /** Returns the nearest passages by row id, best first, exactly; cosines lie in −1…1. */
  nearest(query: Vector, limit: number, condition: Condition): { row: number; cosine: number }[];
}

/** `off` does without sqlite-vec, as on a machine where it does not load. */
export type VectorExtension = "auto" | "off";

/** Returns what the index says of its vectors; undefined while it has none. */
export function storedEmbedding(
  { file }: Database,
  meta: Meta,
): (VectorIndex & { model: string }) | undefined {
  const model = meta.get("embedding_model");
  const dimensions = Number(meta.get("embedding_dimensions"));
  const elsewhere = "ingest into another directory with --kb";
  return model === undefined
    ? undefined
    : { name: `The knowledge base ${file}`, model, dimensions, elsewhere };
}

/** Tells a model's versions apart from other models: `name@version`. */
export function isOtherVersion(model: string, stored: string): boolean {
  const name = (full: string): string => full.replace(/@[^@]*$/, "");
  return model !== stored && model.includes("@") && name(model) === name(stored);
}

/** Makes the table at the first vector; what kind it is stays with the index. */
export async function createVectorTable(
  database: Database,
  meta: Meta,
  { model, dimensions }: { model: string; dimensions: number },
  extension: VectorExtension,
): Promise<VectorTable | undefined> {
  const native = await loadSqliteVec(database, extension);
  database.transaction(() => {
    if (storedEmbedding(database, meta) !== undefined) return;
    database.exec(
      native
        ? `CREATE VIRTUAL TABLE vectors USING vec0(vector float[${dimensions}] distance_metric=cosine)`
        : "CREATE TABLE vectors (rowid INTEGER PRIMARY KEY, vector BLOB NOT NULL)",
    );
    meta.set("embedding_model", model);
    meta.set("embedding_dimensions", String(dimensions));
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

/** Opens the index's table; undefined while it has none, or where its extension does not load. */
export async function openVectorTable(
  database: Database,
  meta: Meta,
  extension: VectorExtension,
): Promise<VectorTable | undefined> {
  if (storedEmbedding(database, meta) === undefined) return undefined;
  if (meta.get("vector_table") !== "vec0") return tableOf(database, Number, PLAIN);
  return (await loadSqliteVec(database, extension)) ? tableOf(database, BigInt, VEC0) : undefined;
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

/** Both take query, values of the condition, limit. The plain one takes twice as long. */
const VEC0 = (within: string): string =>
  `SELECT rowid, distance FROM vectors WHERE vector MATCH ?1 ${within} AND k = ? ORDER BY distance`;
const PLAIN = (within: string): string =>
  `SELECT rowid, vector_distance_cos(vector, ?1) AS distance FROM vectors
   WHERE true ${within} ORDER BY distance, rowid LIMIT ?`;

/** @param idOf in the form that the table takes: sqlite-vec wants a BigInt */
function tableOf(
  database: Database,
  idOf: (row: number) => number | bigint,
  nearestSql: (within: string) => string,
): VectorTable {
  return {
    insert(row, vector) {
      const values = [idOf(row), blobOf(vector)];
      database.run("INSERT INTO vectors (rowid, vector) VALUES (?, ?)", values);
    },
    remove(rows) {
      for (const row of rows) database.run("DELETE FROM vectors WHERE rowid = ?", [idOf(row)]);
    },
    read(row) {
      const [found] = database.all("SELECT vector FROM vectors WHERE rowid = ?", [idOf(row)]);
      const vector = found?.["vector"];
      return isBlob(vector) ? new Float32Array(vector) : undefined;
    },
    nearest(query, limit, { sql, values }) {
      const k = Math.min(limit, MAX_NEIGHBORS);
      return database
        .all(nearestSql(sql), [blobOf(query), ...values, k])
        .map(({ rowid, distance }) => ({ row: Number(rowid), cosine: 1 - Number(distance ?? 1) }));
    },
  };
}

/** Inside an array a Buffer is bound as a blob. */
function blobOf(vector: Vector): Buffer {
  return Buffer.from(normalized(vector).buffer);
}

/** The driver gives ArrayBuffers, of another realm under a test runner: no use for `instanceof`. */
function isBlob(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === "[object ArrayBuffer]";
}
