/** Storing and removing documents with all that belongs to them. */
import { setImmediate } from "node:timers/promises";
import { passageText } from "../../reader/reader.js";
import { readablePassage, termsToIndex } from "../indexed-text.js";
import type { DocumentRecord, Passage, StoredDocument } from "../knowledge-base.js";
import type { Database } from "./database.js";
import { termsAsCell } from "./keyword-search.js";
import { passageOf, PASSAGE_COLUMNS } from "./rows.js";
import type { Meta } from "./schema.js";
import type { VectorTable } from "./vectors.js";

/** A passage's terms as the index stores them. */
export interface IndexedTerms {
  title: string;
  tokens: string;
}

/** Analyzing takes about a millisecond a passage: now and then others get their turn, a Ctrl-C among them. */
const PASSAGES_BETWEEN_TURNS = 20;

/** Analyzes passages outside the transaction, which stays short. Rejects with the signal's reason. */
export async function indexedTermsOf(
  passages: readonly Passage[],
  signal: AbortSignal | undefined,
): Promise<IndexedTerms[]> {
  const cells: IndexedTerms[] = [];
  for (const passage of passages) {
    const { title, text } = termsToIndex(passage);
    cells.push({ title: termsAsCell(title), tokens: termsAsCell(text) });
    if (cells.length % PASSAGES_BETWEEN_TURNS !== 0) continue;
    await setImmediate();
    signal?.throwIfAborted();
  }
  return cells;
}

/** Stores documents, each in place of whatever was under its path. Must run inside a transaction. */
export function writeDocuments(
  database: Database,
  meta: Meta,
  documents: readonly (StoredDocument & { terms: readonly IndexedTerms[] })[],
  vectors: VectorTable | undefined,
): void {
  let added = 0;
  for (const { record, passages, terms } of documents) {
    const known = vectorsOf(database, record.path, vectors);
    added -= removeDocument(database, record.path, vectors);
    const documentRow = insertDocument(database, record);
    passages.forEach((passage, position) => {
      const row = insertPassage(database, documentRow, position, passage, record.title);
      const { title, tokens } = terms[position] ?? { title: "", tokens: "" };
      database.run("INSERT INTO passage_terms (rowid, title, tokens) VALUES (?, ?, ?)", [
        row,
        title,
        tokens,
      ]);
      const vector = known.get(passageText(readablePassage(passage)));
      if (vector === undefined)
        database.run("INSERT INTO pending_vectors (passage) VALUES (?)", [row]);
      else vectors?.insert(row, vector);
    });
    added += passages.length;
  }
  noteChange(meta, added);
}

/** Returns the vectors of a document by what they were made of: most passages of a changed document are as they were. */
function vectorsOf(
  database: Database,
  path: string,
  vectors: VectorTable | undefined,
): Map<string, Float32Array> {
  if (vectors === undefined) return new Map();
  const rows = database.all(
    `SELECT ${PASSAGE_COLUMNS} FROM passages p JOIN documents d ON d.id = p.document_id WHERE d.path = ?`,
    [path],
  );
  return new Map(
    rows.flatMap((row) => {
      const vector = vectors.read(Number(row["row"]));
      return vector === undefined
        ? []
        : [[passageText(readablePassage(passageOf(row))), vector] as const];
    }),
  );
}

/** Removes documents and all that belongs to them. Must run inside a transaction. */
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
  const document = database.all("SELECT id FROM documents WHERE path = ?", [path])[0];
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
  return database.run(
    "INSERT INTO documents (path, absolute_path, hash, kind, title, bytes, modified_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
    [
      record.path,
      record.absolutePath ?? null,
      record.hash,
      record.kind,
      record.title,
      record.bytes,
      record.modifiedAt ?? null,
    ],
  ).lastInsertRowid;
}

function insertPassage(
  database: Database,
  documentRow: number,
  position: number,
  passage: Passage,
  documentTitle: string,
): number {
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

/** Counts passages as they come and go, since counting a million takes as long as a search, and lets caches know. */
function noteChange(meta: Meta, passages: number): void {
  meta.set("passages", String(Number(meta.get("passages") ?? "0") + passages));
  meta.set("revision", String(Number(meta.get("revision") ?? "0") + 1));
}
