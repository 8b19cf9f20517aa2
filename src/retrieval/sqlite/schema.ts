/** The tables of the knowledge base, their version, and the few facts kept beside them. */
import { randomUUID } from "node:crypto";
import { ANALYSER_VERSION } from "../../text/analyse.js";
import type { VectorIndex } from "../indexed-text.js";
import { KnowledgeBaseError } from "../knowledge-base.js";
import type { Database } from "./database.js";

/** Rises when the tables change, or the analysis of text, so that an old index cannot be read. */
const SCHEMA_VERSION = `4.${ANALYSER_VERSION}`;

/**
 * Full text holds our own terms, analyzed once in TypeScript: SQLite's tokenizer would split `c++`,
 * `3.14` and many scripts, so it only cuts at spaces here. The table keeps its terms: a contentless
 * one goes on counting deleted rows, so that its scores rise each time that documents are replaced.
 * A vector has a byte per dimension and not four: a cosine is off by .0003 on average (.0015 at
 * most), and a search takes a third of the time.
 * A passage stands in `vectors`, at length 1, or in `pending_vectors` until it is embedded; row ids
 * are never used again, so that a vector made meanwhile cannot become another passage's.
 */
const TABLES = `
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS documents (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, absolute_path TEXT, hash TEXT NOT NULL,
  kind TEXT NOT NULL, title TEXT NOT NULL, bytes INTEGER NOT NULL, modified_at TEXT);
CREATE TABLE IF NOT EXISTS passages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, passage_id TEXT NOT NULL, document_id INTEGER NOT NULL,
  position INTEGER NOT NULL, title TEXT, start_line INTEGER, end_line INTEGER, page INTEGER,
  heading TEXT, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS passages_of_document ON passages (document_id, position);
CREATE VIRTUAL TABLE IF NOT EXISTS passage_terms USING fts5(
  title, tokens, tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[]^_{|}~'''");
CREATE TABLE IF NOT EXISTS vectors (passage INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS pending_vectors (passage INTEGER PRIMARY KEY);
`;

/** Columns by the names of the port; `p` is `passages`, `d` is `documents`. */
export const PASSAGE_COLUMNS =
  "p.id AS row, p.passage_id AS id, p.text, coalesce(p.title, d.title) AS title, d.path, d.kind, " +
  "p.start_line AS startLine, p.end_line AS endLine, p.page, p.heading, d.modified_at AS modifiedAt";
export const PASSAGES = "passages p JOIN documents d ON d.id = p.document_id";

/** Facts beside the tables: schema version, identity, revision, embedding model. */
export class Meta {
  constructor(private readonly database: Database) {}

  get(key: string): string | undefined {
    const sql = "SELECT value FROM meta WHERE key = ?";
    const value = this.database.all(sql, [key])[0]?.["value"];
    return typeof value === "string" ? value : undefined;
  }

  set(key: string, value: string): void {
    this.database.run("REPLACE INTO meta (key, value) VALUES (?, ?)", [key, value]);
  }

  /** Lets caches know that the content changed. */
  revise(): void {
    this.set("revision", String(Number(this.get("revision") ?? "0") + 1));
  }

  /** What the index says of its vectors; undefined while it has none. */
  get embedding(): (VectorIndex & { model: string }) | undefined {
    const model = this.get("embedding_model");
    const dimensions = Number(this.get("embedding_dimensions"));
    return model === undefined ? undefined : this.indexOf(model, dimensions);
  }

  /** Notes which model makes the vectors. */
  setEmbedding(model: string, dimensions: number): VectorIndex {
    this.set("embedding_model", model);
    this.set("embedding_dimensions", String(dimensions));
    return this.indexOf(model, dimensions);
  }

  private indexOf(model: string, dimensions: number): VectorIndex & { model: string } {
    const name = `The knowledge base ${this.database.file}`;
    return { name, model, dimensions, elsewhere: "ingest into another directory with --kb" };
  }
}

/**
 * Makes the tables in an empty file, or checks that a filled one is ours and of this version.
 * @throws KnowledgeBaseError for a database of another program or of another version
 */
export function prepareSchema(database: Database, readOnly: boolean): Meta {
  const { file } = database;
  const meta = new Meta(database);
  const tables = new Set(database.all("SELECT name FROM sqlite_master").map((row) => row["name"]));
  if (tables.size === 0 && readOnly)
    throw new KnowledgeBaseError(`The knowledge base ${file} is empty`, "Run ingest first.");
  if (tables.size === 0) {
    database.transaction(() => {
      database.exec(TABLES);
      meta.set("schema_version", SCHEMA_VERSION);
      meta.set("id", randomUUID());
      meta.set("revision", "0");
    });
    return meta;
  }
  if (!tables.has("meta") || !tables.has("passage_terms"))
    throw new KnowledgeBaseError(
      `${file} is a database, but not a knowledge base`,
      "Choose another directory with --kb.",
    );
  const version = meta.get("schema_version") ?? "unknown";
  if (version !== SCHEMA_VERSION)
    throw new KnowledgeBaseError(
      `The knowledge base ${file} has format ${version}; this version reads ${SCHEMA_VERSION}`,
      "Delete the file and run ingest again: your documents are not touched.",
    );
  return meta;
}
