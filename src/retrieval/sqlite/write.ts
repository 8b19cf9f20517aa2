import { setImmediate } from "node:timers/promises";
import { passageText } from "../../reader/reader.js";
import { checkSizes, readablePassage, termsToIndex, type VectorIndex } from "../indexed-text.js";
import type { Embedder } from "../../reader/embedder.js";
import { factsOf, type Metadata } from "../../state/metadata.js";
import {
  KnowledgeBaseError,
  type EmbedPendingOptions,
  type StoredDocument,
} from "../knowledge-base.js";
import type { Database } from "./database.js";
import { PASSAGE_COLUMNS, PASSAGES, type Meta } from "./schema.js";
import { passageOf, storedPassages, termsAsCell, vectorBlob } from "./search.js";

/** A document with the terms of each passage. */
export interface AnalyzedDocument extends StoredDocument {
  terms: readonly { title: string; tokens: string }[];
}

/** Analyzing takes about a millisecond per passage, so the event loop gets its turn. */
const PASSAGES_BETWEEN_TURNS = 20;

/** Analyzes passages before the transaction, which stays short. */
export async function analyzed(
  document: StoredDocument,
  signal: AbortSignal | undefined,
): Promise<AnalyzedDocument> {
  const terms = [];
  for (const passage of document.passages) {
    const { title, text } = termsToIndex(passage);
    terms.push({ title: termsAsCell(title), tokens: termsAsCell(text) });
    if (terms.length % PASSAGES_BETWEEN_TURNS !== 0) continue;
    await setImmediate();
    signal?.throwIfAborted();
  }
  return { ...document, terms };
}

/** Stores documents in one transaction, each in place of whatever was under its path. */
export function writeDocuments(
  database: Database,
  meta: Meta,
  documents: readonly AnalyzedDocument[],
  embedder: Embedder | undefined,
): void {
  database.transaction(() => {
    let added = 0;
    for (const { record, passages, terms } of documents) {
      const known = vectorsOf(database, record.path);
      added += passages.length - removeDocument(database, record.path);
      const { path, hash, kind, title, bytes, modifiedAt } = record;
      const documentRow = database.insert("documents", {
        ...{ path, hash, kind, title, bytes },
        absolute_path: record.absolutePath,
        modified_at: modifiedAt,
      });
      const described = new Map<string, number>();
      const describe = (metadata: Metadata | undefined): number => {
        const json = JSON.stringify(metadata ?? null);
        const known = described.get(json) ?? insertDescription(database, documentRow, json);
        if (!described.has(json))
          for (const { key, ...values } of factsOf({ kind, modifiedAt, metadata }))
            database.insert("facts", { description_id: known, key, ...values });
        described.set(json, known);
        return known;
      };
      const sql = "UPDATE documents SET description_id = ? WHERE id = ?";
      database.run(sql, [describe(record.metadata), documentRow]);
      passages.forEach((passage, position) => {
        const { id, text, page, heading } = passage;
        const description_id = describe(passage.metadata ?? record.metadata);
        const row = database.insert("passages", {
          ...{ passage_id: id, document_id: documentRow, description_id },
          ...{ position, text, page, heading },
          title: passage.title === title ? undefined : passage.title,
          start_line: passage.startLine,
          end_line: passage.endLine,
        });
        const cells = terms[position] ?? { title: "", tokens: "" };
        database.insert("passage_terms", { rowid: row, ...cells });
        const vector = known.get(passageText(readablePassage(passage)));
        if (vector !== undefined) insertVector(database, row, vector);
        else if (embedder?.knowsPassage?.(text) !== false)
          database.insert("pending_vectors", { passage: row });
      });
    }
    noteChange(meta, added);
  });
}

function insertDescription(database: Database, document_id: number, json: string): number {
  const metadata = json === "null" ? undefined : json;
  return database.insert("descriptions", { document_id, metadata });
}

/** Returns a document's vectors by text, since most passages of a changed document stay. */
function vectorsOf(database: Database, path: string): Map<string, Float32Array> {
  const known = new Map<string, Float32Array>();
  for (const { passage, vector } of storedPassages(database, "d.path = ?", path))
    if (vector !== undefined) known.set(passageText(readablePassage(passage)), vector);
  return known;
}

function insertVector(database: Database, row: number, vector: ArrayLike<number>): void {
  const sql = "INSERT INTO vectors (passage, vector) VALUES (?, vector8(?))";
  database.run(sql, [row, vectorBlob(vector)]);
}

/** Removes documents with their passages in one transaction. */
export function removeDocuments(database: Database, meta: Meta, paths: readonly string[]): void {
  database.transaction(() => {
    let removed = 0;
    for (const path of paths) removed += removeDocument(database, path);
    noteChange(meta, -removed);
  });
}

/** Returns the number of its passages. */
function removeDocument(database: Database, path: string): number {
  const [document] = database.all("SELECT id FROM documents WHERE path = ?", [path]);
  if (document === undefined) return 0;
  const id = Number(document["id"]);
  const rows = database.all("SELECT id FROM passages WHERE document_id = ?", [id]);
  for (const row of rows)
    for (const key of [
      "passage_terms WHERE rowid",
      "vectors WHERE passage",
      "pending_vectors WHERE passage",
    ])
      database.run(`DELETE FROM ${key} = ?`, [Number(row["id"])]);
  const facts = "DELETE FROM facts WHERE description_id IN";
  database.run(`${facts} (SELECT id FROM descriptions WHERE document_id = ?)`, [id]);
  database.run("DELETE FROM descriptions WHERE document_id = ?", [id]);
  database.run("DELETE FROM passages WHERE document_id = ?", [id]);
  database.run("DELETE FROM documents WHERE id = ?", [id]);
  return rows.length;
}

/** Keeps count, since counting a million passages takes as long as a search. */
function noteChange(meta: Meta, passages: number): void {
  meta.set("passages", String(Number(meta.get("passages") ?? "0") + passages));
  meta.revise();
}

export function pendingCount(database: Database): number {
  return Number(database.all("SELECT count(*) AS n FROM pending_vectors")[0]?.["n"]);
}

/** True if another version of the model, `name@version`, made the vectors. */
export function isOutdated(index: VectorIndex | undefined, { model }: Embedder): boolean {
  const stored = index?.model ?? model;
  const [name, storedName] = [model, stored].map((each) => each.slice(0, each.lastIndexOf("@")));
  return stored !== model && name !== "" && name === storedName;
}

/** Passages to embed at a time: a second or two of work on a slow machine. */
const BATCH = 32;

/**
 * Embeds all pending passages, each batch in its own transaction; all passages if another version of
 * the model made the vectors. Other processes may embed or remove documents at the same time.
 * @throws KnowledgeBaseError when the model fails or its vectors do not fit; the signal's reason
 */
export async function embedPending(
  database: Database,
  meta: Meta,
  embedder: Embedder,
  { onProgress, signal }: EmbedPendingOptions,
): Promise<void> {
  const { model } = embedder;
  if (isOutdated(meta.embedding, embedder)) dropVectors(database);
  const total = pendingCount(database);
  for (let done = 0; ; onProgress?.({ done, total: Math.max(total, done) })) {
    signal?.throwIfAborted();
    const batch = database.all(
      `SELECT ${PASSAGE_COLUMNS} FROM ${PASSAGES} WHERE p.id IN
       (SELECT passage FROM pending_vectors ORDER BY passage LIMIT ${BATCH}) ORDER BY p.id`,
    );
    if (batch.length === 0) return;
    const texts = batch.map((row) => passageText(readablePassage(passageOf(row))));
    const vectors = await embedder.embedDocuments(texts, signal);
    const [first] = vectors;
    if (vectors.length !== texts.length || first === undefined)
      throw new KnowledgeBaseError(
        `${model} gave ${vectors.length} vectors for ${texts.length} texts`,
      );
    database.transaction(() => {
      checkSizes(meta.embedding ?? meta.setEmbedding(model, first.length), model, vectors);
      batch.forEach(({ row }, index) => {
        const sql = "DELETE FROM pending_vectors WHERE passage = ? RETURNING passage";
        const vector = vectors[index];
        const isStillThere = database.all(sql, [Number(row)]).length > 0;
        if (isStillThere && vector !== undefined) insertVector(database, Number(row), vector);
      });
      meta.revise();
    });
    done += batch.length;
  }
}

function dropVectors(database: Database): void {
  database.transaction(() => {
    database.exec("DELETE FROM vectors");
    database.exec("INSERT OR IGNORE INTO pending_vectors SELECT id FROM passages");
    database.exec("DELETE FROM meta WHERE key LIKE 'embedding_%'");
  });
}
