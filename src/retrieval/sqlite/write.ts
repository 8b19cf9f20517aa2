/** Storing and removing documents with all that belongs to them, each call in one transaction. */
import { searchTerms } from "../../text/search-terms.js";
import type { DocumentRecord, Passage } from "../knowledge-base.js";
import type { Database } from "./database.js";
import { termsAsCell } from "./fts-query.js";
import type { Meta } from "./schema.js";
import type { VectorTable } from "./vectors.js";

export interface StoredDocument {
  record: DocumentRecord;
  passages: readonly Passage[];
}

/** What the vectors of some passages are made from: the words that also say where the passage stands. */
export function textToEmbed(passage: Passage): string {
  return [passage.title, passage.heading, passage.text].filter((part) => part !== undefined && part !== "").join("\n");
}

/** A passage's terms as the index stores them, title and headings apart from the text. Analysed outside the transaction, which stays short. */
export function indexedTerms(passage: Passage): { title: string; tokens: string } {
  return { title: termsAsCell(titleTerms(passage)), tokens: termsAsCell(searchTerms(passage.text)) };
}

/** Title and headings, each term once: the innermost heading often repeats the title. */
function titleTerms(passage: Passage): string[] {
  return [...new Set(searchTerms(`${passage.title}\n${passage.heading ?? ""}`))];
}

export interface PreparedDocument extends StoredDocument {
  terms: { title: string; tokens: string }[];
  /** One vector for each passage; absent in an index without vectors. */
  vectors?: readonly (readonly number[])[];
}

/** Replaces whatever was stored under these paths. Must run inside a transaction. */
export function writeDocuments(database: Database, meta: Meta, documents: readonly PreparedDocument[], vectors: VectorTable | undefined): void {
  for (const document of documents) {
    removeDocument(database, document.record.path, vectors);
    const documentRow = insertDocument(database, document.record, document.vectors !== undefined);
    document.passages.forEach((passage, position) => {
      const row = insertPassage(database, documentRow, position, passage, document.record.title);
      const terms = document.terms[position];
      if (terms !== undefined) {
        database.run("INSERT INTO passage_terms (rowid, title, tokens) VALUES (?, ?, ?)", [row, terms.title, terms.tokens]);
      }
      const vector = document.vectors?.[position];
      if (vector !== undefined) vectors?.insert(row, vector);
    });
  }
  raiseRevision(meta);
}

/** Removes documents and all that belongs to them. Must run inside a transaction. */
export function removeDocuments(database: Database, meta: Meta, paths: readonly string[], vectors: VectorTable | undefined): void {
  for (const path of paths) removeDocument(database, path, vectors);
  raiseRevision(meta);
}

function removeDocument(database: Database, path: string, vectors: VectorTable | undefined): void {
  const document = database.all("SELECT id, embedded FROM documents WHERE path = ?", [path])[0];
  if (document === undefined) return;
  const id = Number(document["id"]);
  const rows = database.all("SELECT id FROM passages WHERE document_id = ?", [id]).map((row) => Number(row["id"]));
  for (const row of rows) database.run("DELETE FROM passage_terms WHERE rowid = ?", [row]);
  if (document["embedded"] === 1) vectors?.remove(rows);
  database.run("DELETE FROM passages WHERE document_id = ?", [id]);
  database.run("DELETE FROM documents WHERE id = ?", [id]);
}

function insertDocument(database: Database, record: DocumentRecord, embedded: boolean): number {
  return database.run(
    "INSERT INTO documents (path, absolute_path, hash, kind, title, bytes, modified_at, embedded) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    [
      record.path,
      record.absolutePath ?? null,
      record.hash,
      record.kind,
      record.title,
      record.bytes,
      record.modifiedAt ?? null,
      embedded ? 1 : 0,
    ],
  ).lastInsertRowid;
}

function insertPassage(database: Database, documentRow: number, position: number, passage: Passage, documentTitle: string): number {
  return database.run(
    "INSERT INTO passages (passage_id, document_id, position, title, start_line, end_line, page, heading, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [
      passage.id,
      documentRow,
      position,
      passage.title === documentTitle ? null : passage.title,
      passage.startLine ?? null,
      passage.endLine ?? null,
      passage.page ?? null,
      passage.heading ?? null,
      passage.text,
    ],
  ).lastInsertRowid;
}

function raiseRevision(meta: Meta): void {
  meta.set("revision", String(Number(meta.get("revision") ?? "0") + 1));
}
