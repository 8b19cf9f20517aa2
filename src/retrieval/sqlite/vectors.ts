/** Vectors of passages, normalised to length 1: in sqlite-vec's table, or, where that extension does not load, in a plain one. */
import { KnowledgeBaseError, type Embedder } from "../knowledge-base.js";
import type { Condition } from "./filter-sql.js";
import type { Database } from "./database.js";
import type { Meta } from "./schema.js";

/** sqlite-vec returns at most this many neighbours. */
export const MAX_NEIGHBOURS = 4096;

export interface Neighbour {
  /** Row id of the passage. */
  row: number;
  /** 1 − cosine distance, in −1…1. */
  cosine: number;
}

export interface VectorTable {
  insert(row: number, vector: readonly number[]): void;
  remove(rows: readonly number[]): void;
  /** The nearest, best first, exactly. */
  nearest(query: readonly number[], limit: number, condition: Condition | undefined): Neighbour[];
}

/** `off` does without sqlite-vec, as on a machine where it does not load. */
export type VectorExtension = "auto" | "off";

export interface EmbeddingFacts {
  model: string;
  dimensions: number;
}

/** What the index says of its vectors; undefined while it has none. */
export function storedEmbedding(meta: Meta): EmbeddingFacts | undefined {
  const model = meta.get("embedding_model");
  const dimensions = Number(meta.get("embedding_dimensions"));
  return model === undefined || !Number.isInteger(dimensions) ? undefined : { model, dimensions };
}

/** @throws KnowledgeBaseError that names both models when the index was made with another one */
export function checkEmbedder(meta: Meta, embedder: Embedder | undefined, file: string): void {
  const stored = storedEmbedding(meta);
  if (embedder === undefined || stored === undefined || stored.model === embedder.model) return;
  throw new KnowledgeBaseError(
    `The knowledge base ${file} was made with the embedding model ${stored.model} (${stored.dimensions} dimensions), but ${embedder.model} is configured`,
    `Set EMBEDDING_MODEL=${stored.model}, or ingest into another directory with --kb.`,
  );
}

/** @throws KnowledgeBaseError that names both sizes when a vector does not fit the index */
export function checkDimensions(
  stored: EmbeddingFacts,
  embedder: Embedder,
  dimensions: number,
  file: string,
): void {
  if (stored.dimensions === dimensions) return;
  throw new KnowledgeBaseError(
    `The knowledge base ${file} holds vectors of ${stored.dimensions} dimensions (${stored.model}), but ${embedder.model} gives ${dimensions}`,
    "Configure the model with which the index was made, or ingest into another directory with --kb.",
  );
}

/** Makes the table at the first vector; what kind it is stays with the index. */
export async function createVectorTable(
  database: Database,
  meta: Meta,
  facts: EmbeddingFacts,
  extension: VectorExtension = "auto",
): Promise<VectorTable> {
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
  return meta.get("vector_table") === "vec0" ? nativeTable(database) : plainTable(database);
}

/** Opens the table that the index has; undefined while it has none. Without the extension its vectors can still be searched, but not changed. */
export async function openVectorTable(
  database: Database,
  meta: Meta,
  extension: VectorExtension = "auto",
): Promise<VectorTable | undefined> {
  if (storedEmbedding(meta) === undefined) return undefined;
  if (meta.get("vector_table") !== "vec0") return plainTable(database);
  return (await loadSqliteVec(database, extension)) ? nativeTable(database) : shadowTable(database);
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
    insert(row, vector) {
      database.run("INSERT INTO vectors (rowid, vector) VALUES (?, ?)", [
        BigInt(row),
        blobOf(vector),
      ]);
    },
    remove(rows) {
      for (const row of rows) database.run("DELETE FROM vectors WHERE rowid = ?", [BigInt(row)]);
    },
    nearest(query, limit, condition) {
      const within =
        condition === undefined
          ? ""
          : `AND rowid IN (SELECT p.id FROM passages p JOIN documents d ON d.id = p.document_id WHERE ${condition.sql})`;
      return database
        .all(
          `SELECT rowid, distance FROM vectors WHERE vector MATCH ? AND k = ? ${within} ORDER BY distance`,
          [blobOf(query), Math.min(limit, MAX_NEIGHBOURS), ...(condition?.values ?? [])],
        )
        .map((row) => ({ row: Number(row["rowid"]), cosine: 1 - Number(row["distance"]) }));
    },
  };
}

function plainTable(database: Database): VectorTable {
  return {
    insert(row, vector) {
      database.run("INSERT INTO vectors (rowid, vector) VALUES (?, ?)", [row, blobOf(vector)]);
    },
    remove(rows) {
      for (const row of rows) database.run("DELETE FROM vectors WHERE rowid = ?", [row]);
    },
    nearest(query, limit, condition) {
      const wanted = normalised(query);
      const allowed = allowedRows(database, condition);
      const found: Neighbour[] = [];
      let after = -1;
      // In pages: a large index would otherwise stand in memory twice.
      for (;;) {
        const rows = database.all(
          "SELECT rowid, vector FROM vectors WHERE rowid > ? ORDER BY rowid LIMIT 4096",
          [after],
        );
        for (const { rowid, vector } of rows) {
          after = Number(rowid);
          if (isBlob(vector) && (allowed?.has(after) ?? true))
            found.push({ row: after, cosine: dot(wanted, new Float32Array(vector), 0) });
        }
        if (rows.length < 4096) return best(found, limit);
      }
    },
  };
}

/** Reads the chunks in which sqlite-vec keeps its vectors: 1,024 to a blob, with a bitmap of those in use. */
function shadowTable(database: Database): VectorTable {
  const refuse = (): never => {
    throw new KnowledgeBaseError(
      `The vectors of ${database.file} were stored with sqlite-vec, which does not load on this machine, so they cannot be changed here`,
      "Ingest into a new directory with --kb, or on the machine that made this one.",
    );
  };
  return {
    insert: refuse,
    remove: (rows) => (rows.length === 0 ? undefined : refuse()),
    nearest(query, limit, condition) {
      const wanted = normalised(query);
      const allowed = allowedRows(database, condition);
      const found: Neighbour[] = [];
      for (const { id } of database.all("SELECT chunk_id AS id FROM vectors_chunks")) {
        const chunk = database.all(
          "SELECT c.validity, c.rowids, v.vectors FROM vectors_chunks c JOIN vectors_vector_chunks00 v ON v.rowid = c.chunk_id WHERE c.chunk_id = ?",
          [Number(id)],
        )[0];
        const { validity, rowids, vectors } = chunk ?? {};
        if (!isBlob(validity) || !isBlob(rowids) || !isBlob(vectors)) continue;
        const floats = new Float32Array(vectors);
        const ids = new BigInt64Array(rowids);
        const valid = new Uint8Array(validity);
        for (let index = 0; index < ids.length; index++) {
          if ((((valid[index >> 3] ?? 0) >> (index & 7)) & 1) === 0) continue;
          const row = Number(ids[index]);
          if (allowed?.has(row) ?? true)
            found.push({ row, cosine: dot(wanted, floats, index * wanted.length) });
        }
      }
      return best(found, limit);
    },
  };
}

function allowedRows(
  database: Database,
  condition: Condition | undefined,
): Set<number> | undefined {
  if (condition === undefined) return undefined;
  const rows = database.all(
    `SELECT p.id FROM passages p JOIN documents d ON d.id = p.document_id WHERE ${condition.sql}`,
    condition.values,
  );
  return new Set(rows.map((row) => Number(row["id"])));
}

function best(found: Neighbour[], limit: number): Neighbour[] {
  return found.sort((a, b) => b.cosine - a.cosine || a.row - b.row).slice(0, limit);
}

function normalised(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (value) => (length > 0 ? value / length : 0));
}

/** Inside an array a Buffer is bound as a blob. */
function blobOf(vector: readonly number[]): Buffer {
  return Buffer.from(normalised(vector).buffer);
}

/** The driver gives blobs as ArrayBuffers. Not asked by `instanceof`, since under a test runner they come from another realm. */
function isBlob(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === "[object ArrayBuffer]";
}

function dot(a: Float32Array, b: Float32Array, offset: number): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[offset + index] ?? 0);
  return sum;
}
