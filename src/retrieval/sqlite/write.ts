/** Storing and removing documents with all that belongs to them, each call in one transaction. */
import { setImmediate } from "node:timers/promises";
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

/** A passage's terms as the index stores them, title and headings apart from the text. Analysed outside the transaction, which stays short. */
export function indexedTerms(passage: Passage): { title: string; tokens: string } {
  return {
    title: termsAsCell(titleTerms(passage)),
    tokens: termsAsCell(searchTerms(passage.text)),
  };
}

/** Analysing takes about a millisecond a passage: now and then others get their turn, a Ctrl-C among them. */
const PASSAGES_BETWEEN_TURNS = 100;

/** The terms of many passages. Rejects with the signal's reason. */
export async function indexedTermsOf(
  passages: readonly Passage[],
  signal: AbortSignal | undefined,
): Promise<{ title: string; tokens: string }[]> {
  const terms: { title: string; tokens: string }[] = [];
  for (const passage of passages) {
    terms.push(indexedTerms(passage));
    if (terms.length % PASSAGES_BETWEEN_TURNS !== 0) continue;
    await setImmediate();
    signal?.throwIfAborted();
  }
  return terms;
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
export function writeDocuments(
  database: Database,
  meta: Meta,
  documents: readonly PreparedDocument[],
  vectors: VectorTable | undefined,
): void {
  const tally = { passages: 0, terms: 0 };
  for (const document of documents) {
    const free = removeDocument(database, document.record.path, vectors, tally);
    const documentRow = insertDocument(database, document.record, document.vectors !== undefined);
    document.passages.forEach((passage, position) => {
      const terms = document.terms[position] ?? indexedTerms(passage);
      const inOrder = [terms.title, terms.tokens].filter((cell) => cell !== "").join(" ");
      // Rows that have become free are used again: search keeps two numbers for each up to the last one.
      const row = insertPassage(
        database,
        free[position] ?? null,
        documentRow,
        position,
        passage,
        document.record.title,
        inOrder,
      );
      database.run("INSERT INTO passage_terms (rowid, title, tokens) VALUES (?, ?, ?)", [
        row,
        terms.title,
        terms.tokens,
      ]);
      tally.passages++;
      tally.terms += inOrder === "" ? 0 : inOrder.split(" ").length;
      const vector = document.vectors?.[position];
      if (vector !== undefined) vectors?.insert(row, vector);
    });
  }
  finish(meta, tally);
}

/**
 * Joins the parts into which the full-text index was written: looking up a term costs two thirds less in one part than in the handful that a
 * first ingestion leaves. Takes about a fiftieth of the time of that ingestion.
 */
export function joinParts(database: Database): void {
  database.exec("INSERT INTO passage_terms (passage_terms) VALUES ('optimize')");
}

/** Removes documents and all that belongs to them. Must run inside a transaction. */
export function removeDocuments(
  database: Database,
  meta: Meta,
  paths: readonly string[],
  vectors: VectorTable | undefined,
): void {
  const tally = { passages: 0, terms: 0 };
  for (const path of paths) removeDocument(database, path, vectors, tally);
  finish(meta, tally);
}

/** Gives the rows of its passages. */
function removeDocument(
  database: Database,
  path: string,
  vectors: VectorTable | undefined,
  tally: Tally,
): readonly number[] {
  const document = database.all("SELECT id, embedded FROM documents WHERE path = ?", [path])[0];
  if (document === undefined) return [];
  const id = Number(document["id"]);
  const rows = database
    .all("SELECT id FROM passages WHERE document_id = ?", [id])
    .map((row) => Number(row["id"]));
  for (const row of rows) database.run("DELETE FROM passage_terms WHERE rowid = ?", [row]);
  const terms = database.all(
    "SELECT sum(length(terms) - length(replace(terms, ' ', '')) + (terms <> '')) AS terms FROM passages WHERE document_id = ?",
    [id],
  )[0];
  tally.passages -= rows.length;
  tally.terms -= Number(terms?.["terms"] ?? 0);
  if (document["embedded"] === 1) vectors?.remove(rows);
  database.run("DELETE FROM passages WHERE document_id = ?", [id]);
  database.run("DELETE FROM documents WHERE id = ?", [id]);
  return rows;
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

function insertPassage(
  database: Database,
  row: number | null,
  documentRow: number,
  position: number,
  passage: Passage,
  documentTitle: string,
  terms: string,
): number {
  return database.run(
    "INSERT INTO passages (id, passage_id, document_id, position, title, start_line, end_line, page, heading, text, terms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [
      row,
      passage.id,
      documentRow,
      position,
      passage.title === documentTitle ? null : passage.title,
      passage.startLine ?? null,
      passage.endLine ?? null,
      passage.page ?? null,
      passage.heading ?? null,
      passage.text,
      terms,
    ],
  ).lastInsertRowid;
}

/** Passages and terms that came (or went), for BM25's mean length. */
interface Tally {
  passages: number;
  terms: number;
}

function finish(meta: Meta, tally: Tally): void {
  const raise = (key: string, by: number): void =>
    meta.set(key, String(Number(meta.get(key) ?? "0") + by));
  raise("passages", tally.passages);
  raise("terms", tally.terms);
  raise("revision", 1);
}
