/** Storing and removing documents with all that belongs to them. */
import { setImmediate } from "node:timers/promises";
import { passageText } from "../../reader/reader.js";
import { readablePassage, termsToIndex } from "../indexed-text.js";
import {
  PassageSchema,
  type DocumentRecord,
  type Passage,
  type StoredDocument,
} from "../knowledge-base.js";
import type { Database } from "./database.js";
import { PASSAGE_COLUMNS, PASSAGES, type Meta } from "./schema.js";
import { termsAsCell } from "./search.js";
import type { VectorTable } from "./vectors.js";

/** A document with the terms of its passages as the index stores them. */
export interface AnalyzedDocument extends StoredDocument {
  terms: readonly { title: string; text: string }[];
}

/** Analyzing takes about a millisecond a passage: now and then others get their turn. */
const PASSAGES_BETWEEN_TURNS = 20;

/** Analyzes passages outside the transaction, which stays short. */
export async function analyzed(
  document: StoredDocument,
  signal: AbortSignal | undefined,
): Promise<AnalyzedDocument> {
  const terms = [];
  for (const passage of document.passages) {
    const { title, text } = termsToIndex(passage);
    terms.push({ title: termsAsCell(title), text: termsAsCell(text) });
    if (terms.length % PASSAGES_BETWEEN_TURNS !== 0) continue;
    await setImmediate();
    signal?.throwIfAborted();
  }
  return { ...document, terms };
}

/** Stores documents, each in place of whatever was under its path. Runs in a transaction. */
export function writeDocuments(
  database: Database,
  meta: Meta,
  documents: readonly AnalyzedDocument[],
  vectors: VectorTable | undefined,
): void {
  let added = 0;
  for (const { record, passages, terms } of documents) {
    const known = vectorsOf(database, record.path, vectors);
    added += passages.length - removeDocument(database, record.path, vectors);
    const documentRow = insertDocument(database, record);
    passages.forEach((passage, position) => {
      const row = insertPassage(database, documentRow, position, passage, record.title);
      const { title = "", text = "" } = terms[position] ?? {};
      const cells = [row, title, text];
      database.run("INSERT INTO passage_terms (rowid, title, tokens) VALUES (?, ?, ?)", cells);
      const vector = known.get(passageText(readablePassage(passage)));
      if (vector !== undefined) vectors?.insert(row, vector);
      else database.run("INSERT INTO pending_vectors (passage) VALUES (?)", [row]);
    });
  }
  noteChange(meta, added);
}

/** Returns a document's vectors by their texts: most passages of a changed one are as they were. */
function vectorsOf(
  database: Database,
  path: string,
  vectors: VectorTable | undefined,
): Map<string, Float32Array> {
  const known = new Map<string, Float32Array>();
  if (vectors === undefined) return known;
  const sql = `SELECT ${PASSAGE_COLUMNS} FROM ${PASSAGES} WHERE d.path = ?`;
  for (const row of database.all(sql, [path])) {
    const vector = vectors.read(Number(row["row"]));
    if (vector !== undefined)
      known.set(passageText(readablePassage(PassageSchema.parse(row))), vector);
  }
  return known;
}

/** Removes documents and all that belongs to them. Runs in a transaction. */
export function removeDocuments(
  database: Database,
  meta: Meta,
  paths: readonly string[],
  vectors: VectorTable | undefined,
): void {
  let removed = 0;
  for (const path of paths) removed += removeDocument(database, path, vectors);
  noteChange(meta, -removed);
}

/** Returns how many passages it had. */
function removeDocument(
  database: Database,
  path: string,
  vectors: VectorTable | undefined,
): number {
  const [document] = database.all("SELECT id FROM documents WHERE path = ?", [path]);
  if (document === undefined) return 0;
  const id = Number(document["id"]);
  const rows = database
    .all("SELECT id FROM passages WHERE document_id = ?", [id])
    .map((row) => Number(row["id"]));
  for (const row of rows) {
    database.run("DELETE FROM passage_terms WHERE rowid = ?", [row]);
    database.run("DELETE FROM pending_vectors WHERE passage = ?", [row]);
  }
  vectors?.remove(rows);
  database.run("DELETE FROM passages WHERE document_id = ?", [id]);
  database.run("DELETE FROM documents WHERE id = ?", [id]);
  return rows.length;
}

function insertDocument(database: Database, record: DocumentRecord): number {
  const { path, absolutePath = null, hash, kind, title, bytes, modifiedAt = null } = record;
  return database.run(
    `INSERT INTO documents (path, absolute_path, hash, kind, title, bytes, modified_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [path, absolutePath, hash, kind, title, bytes, modifiedAt],
  );
}

function insertPassage(
  database: Database,
  documentRow: number,
  position: number,
  passage: Passage,
  documentTitle: string,
): number {
  const { id, text, startLine = null, endLine = null, page = null, heading = null } = passage;
  const title = passage.title === documentTitle ? null : passage.title;
  return database.run(
    `INSERT INTO passages
     (passage_id, document_id, position, title, start_line, end_line, page, heading, text)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [id, documentRow, position, title, startLine, endLine, page, heading, text],
  );
}

/** Counts passages as they come and go: counting a million takes as long as a search. */
function noteChange(meta: Meta, passages: number): void {
  meta.set("passages", String(Number(meta.get("passages") ?? "0") + passages));
  meta.revise();
}
