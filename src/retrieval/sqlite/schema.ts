/** The tables of the knowledge base, their version, and the few facts kept beside them. */
import { randomUUID } from "node:crypto";
import { ANALYSER_VERSION } from "../../text/analyse.js";
import { KnowledgeBaseError } from "../knowledge-base.js";
import type { Database } from "./database.js";

/** Rises when the tables change so that an old index cannot be read. An index whose terms were made otherwise cannot be searched either. */
export const SCHEMA_VERSION = `2.${ANALYSER_VERSION}`;

/**
 * Full text holds our own terms, analyzed once in TypeScript: SQLite's tokenizer would split `c++`,
 * `3.14` and many scripts, so it only cuts at spaces here. The table keeps its terms: a contentless
 * one goes on counting deleted rows, so that its scores rise each time that documents are replaced.
 * Row ids are never used again, so that a vector that stays behind belongs to nobody. Passages
 * without a vector stand in `pending_vectors`.
 */
const TABLES = `
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS documents (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, absolute_path TEXT, hash TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL,
  bytes INTEGER NOT NULL, modified_at TEXT);
CREATE TABLE IF NOT EXISTS passages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, passage_id TEXT NOT NULL, document_id INTEGER NOT NULL, position INTEGER NOT NULL,
  title TEXT, start_line INTEGER, end_line INTEGER, page INTEGER, heading TEXT, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS passages_of_document ON passages (document_id, position);
CREATE VIRTUAL TABLE IF NOT EXISTS passage_terms USING fts5(
  title, tokens, tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[]^_{|}~'''");
CREATE TABLE IF NOT EXISTS pending_vectors (passage INTEGER PRIMARY KEY);
`;

export interface Meta {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
  remove(key: string): void;
}

/** Access to the facts beside the tables: schema version, identity, revision, embedding model. */
export function metaOf(database: Database): Meta {
  return {
    get(key) {
      const value = database.all("SELECT value FROM meta WHERE key = ?", [key])[0]?.["value"];
      return typeof value === "string" ? value : undefined;
    },
    set(key, value) {
      database.run(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [key, value],
      );
    },
    remove(key) {
      database.run("DELETE FROM meta WHERE key = ?", [key]);
    },
  };
}

/**
 * Makes the tables in an empty file, or checks that a filled one is ours and of this version.
 * @throws KnowledgeBaseError for a database of another program or of another version
 */
export function prepareSchema(database: Database, readOnly: boolean): Meta {
  const meta = metaOf(database);
  const tables = new Set(database.all("SELECT name FROM sqlite_master").map((row) => row["name"]));
  if (tables.size === 0 && !readOnly) {
    database.transaction(() => {
      database.exec(TABLES);
      meta.set("schema_version", SCHEMA_VERSION);
      meta.set("id", randomUUID());
      meta.set("revision", "0");
    });
    return meta;
  }
  if (!tables.has("meta") || !tables.has("passage_terms")) {
    throw new KnowledgeBaseError(
      tables.size === 0
        ? `The knowledge base ${database.file} is empty`
        : `${database.file} is a database, but not a knowledge base`,
      tables.size === 0 ? "Run ingest first." : "Choose another directory with --kb.",
    );
  }
  const version = meta.get("schema_version");
  if (version !== SCHEMA_VERSION) {
    throw new KnowledgeBaseError(
      `The knowledge base ${database.file} has format ${version ?? "unknown"}; this version reads format ${SCHEMA_VERSION}`,
      "Delete the file and run ingest again: your documents are not touched.",
    );
  }
  return meta;
}
