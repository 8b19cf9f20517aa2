import { randomUUID } from "node:crypto";
import { ANALYSER_VERSION } from "../../text/analyse.js";
import { oneLine } from "../../text/words.js";
import type { VectorIndex } from "../indexed-text.js";
import { KnowledgeBaseError } from "../knowledge-base.js";
import type { Database } from "./database.js";

/** Raise it when the tables change, so that an old index is refused. */
const SCHEMA_VERSION = `6.${ANALYSER_VERSION}`;

/**
 * Full text holds terms analyzed in TypeScript, and SQLite's tokenizer only cuts at spaces: it
 * would split `c++`, `3.14` and many scripts. The table keeps its terms because a contentless one
 * counts deleted rows, so that scores would rise with each replaced document. Vectors take a byte
 * per dimension: cosines are off by .0003 on average (.0015 at most), and a search takes a third of
 * the time. A passage is in `vectors` or, until it is embedded, in `pending_vectors`; row ids are
 * never reused, so a late vector cannot become another passage's. Filters are tested on
 * descriptions: one for the document, and one for each set of its passages that have the same
 * metadata; `facts` holds each value in the forms in which it can be compared.
 */
const TABLES = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, absolute_path TEXT, hash TEXT NOT NULL,
  kind TEXT NOT NULL, title TEXT NOT NULL, bytes INTEGER NOT NULL, modified_at TEXT,
  description_id INTEGER);
CREATE TABLE passages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, document_id INTEGER NOT NULL,
  description_id INTEGER NOT NULL, passage_id TEXT NOT NULL, position INTEGER NOT NULL,
  title TEXT, start_line INTEGER, end_line INTEGER, page INTEGER,
  heading TEXT, text TEXT NOT NULL, blocks TEXT);
CREATE INDEX passages_of_document ON passages (document_id, position);
CREATE INDEX passages_described ON passages (description_id);
CREATE TABLE descriptions (
  id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL, metadata TEXT);
CREATE INDEX descriptions_of_document ON descriptions (document_id);
CREATE TABLE facts (
  description_id INTEGER NOT NULL, key TEXT NOT NULL, text TEXT, number REAL, instant INTEGER);
CREATE INDEX facts_of_description ON facts (description_id);
CREATE INDEX facts_by_text ON facts (key, text, description_id);
CREATE INDEX facts_by_number ON facts (key, number, description_id);
CREATE INDEX facts_by_instant ON facts (key, instant, description_id);
CREATE VIRTUAL TABLE passage_terms USING fts5(
  title, tokens, tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[]^_{|}~'''");
CREATE TABLE vectors (passage INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE pending_vectors (passage INTEGER PRIMARY KEY);
`;

/** Bounds what is read of a base that somebody else made; our own cells are far shorter. */
function cut(column: string, characters: number): string {
  return `substr(${column}, 1, ${characters})`;
}
/** What is too long to be read may name permissions, and is for nobody. */
const METADATA =
  "CASE WHEN length(m.metadata) > 1000000 THEN json_object('users', json_array()) " +
  "ELSE m.metadata END AS metadata";

/** Columns under the names of the port; `p` is `passages`, `d` is `documents`. */
export const PASSAGE_COLUMNS = [
  `p.id AS row, ${cut("p.passage_id", 1_000)} AS id, ${cut("p.text", 1_000_000)} AS text`,
  `${cut("coalesce(p.title, d.title)", 10_000)} AS title, ${cut("d.path", 10_000)} AS path, d.kind`,
  `${cut("p.blocks", 100_000)} AS blocks, ${cut("p.heading", 10_000)} AS heading`,
  "p.start_line AS startLine, p.end_line AS endLine, p.page",
  `d.modified_at AS modifiedAt, ${METADATA}`,
].join(", ");
export const DOCUMENT_COLUMNS = [
  `${cut("d.path", 10_000)} AS path, ${cut("d.absolute_path", 10_000)} AS absolutePath, d.hash`,
  `d.kind, ${cut("d.title", 10_000)} AS title, d.bytes, d.modified_at AS modifiedAt, ${METADATA}`,
].join(", ");
export const DOCUMENTS = "documents d JOIN descriptions m ON m.id = d.description_id";
export const PASSAGES =
  "passages p JOIN documents d ON d.id = p.document_id " +
  "JOIN descriptions m ON m.id = p.description_id";

/** Key-value facts: schema version, identity, revision, embedding model. */
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

  /** Tells caches that the content changed. */
  revise(): void {
    this.set("revision", String(Number(this.get("revision") ?? "0") + 1));
  }

  /** Describes the vectors; undefined while there are none. */
  get embedding(): (VectorIndex & { model: string }) | undefined {
    const model = this.get("embedding_model");
    const dimensions = Number(this.get("embedding_dimensions"));
    return model === undefined ? undefined : this.indexOf(model, dimensions);
  }

  setEmbedding(model: string, dimensions: number): VectorIndex {
    this.set("embedding_model", model);
    this.set("embedding_dimensions", String(dimensions));
    return this.indexOf(model, dimensions);
  }

  private indexOf(model: string, dimensions: number): VectorIndex & { model: string } {
    const name = `the knowledge base ${this.database.file}`;
    return { name, model, dimensions, elsewhere: "ingest into another directory with --kb" };
  }
}

/**
 * Creates the tables in an empty file; checks those of any other.
 * @throws KnowledgeBaseError for a database of another program or version
 */
export function prepareSchema(database: Database, readOnly: boolean): Meta {
  const { file } = database;
  const meta = new Meta(database);
  const objects = database.all("SELECT name, type, sql FROM sqlite_master");
  const isThere = (name: string): boolean => objects.some((object) => object["name"] === name);
  if (objects.length === 0 && readOnly)
    throw new KnowledgeBaseError(`the knowledge base ${file} is empty`, "run ingest first");
  if (objects.length === 0) {
    database.transaction(() => {
      // Another process may have made them meanwhile.
      if (database.all("SELECT name FROM sqlite_master").length > 0) return;
      database.exec(TABLES);
      meta.set("schema_version", SCHEMA_VERSION);
      meta.set("id", randomUUID());
      meta.set("revision", "0");
    });
    return meta;
  }
  const refused = (problem: string): KnowledgeBaseError =>
    new KnowledgeBaseError(
      `${file} is a database, but not a knowledge base: ${problem}`,
      "choose another directory with --kb",
    );
  if (!isThere("meta") || !isThere("passage_terms")) throw refused("it has other tables");
  // A view, a trigger or a computed column in a foreign file would run whatever it says.
  const programs = objects.filter(({ type }) => type !== "table" && type !== "index");
  if (programs.length > 0) throw refused(`it has a ${String(programs[0]?.["type"])}`);
  const version = meta.get("schema_version") ?? "unknown";
  if (version !== SCHEMA_VERSION)
    throw new KnowledgeBaseError(
      `the knowledge base ${file} has format ${version}; this version reads ${SCHEMA_VERSION}`,
      "delete the file and run ingest again: your documents are not touched",
    );
  // Earlier commits broke the lines of the same tables elsewhere.
  const made = new Set(objects.map(({ sql }) => oneLine(String(sql))));
  const isOurs = TABLES.split(";\n").every((sql) => sql.trim() === "" || made.has(oneLine(sql)));
  if (!isOurs) throw refused("its tables have other columns");
  return meta;
}
