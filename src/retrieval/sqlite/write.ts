import { passageText } from "../../reader/reader.js";
import {
  checkSizes,
  EMBED_BATCH,
  embedInBatches,
  readablePassage,
  termsToIndex,
  type VectorIndex,
} from "../indexed-text.js";
import type { Embedder } from "../../reader/embedder.js";
import { filterFactsOf, type Metadata } from "../../state/metadata.js";
import { createPauses } from "../../support/waiting.js";
import type { EmbedPendingOptions, StoredDocument } from "../knowledge-base.js";
import type { Database } from "./database.js";
import { PASSAGE_COLUMNS, PASSAGES, type Meta } from "./schema.js";
import { passageOf, storedPassages, termsAsCell, vectorBlob } from "./search.js";

export interface AnalyzedDocument extends StoredDocument {
  terms: readonly { title: string; tokens: string }[];
}

/**
 * Analyzes passages before the transaction, which stays short. It takes about a millisecond for
 * each, so the event loop gets its turn.
 */
export async function analyzed(
  document: StoredDocument,
  signal: AbortSignal | undefined,
): Promise<AnalyzedDocument> {
  const terms = [];
  const pause = createPauses(signal);
  for (const passage of document.passages) {
    const { title, text } = termsToIndex(passage);
    terms.push({ title: termsAsCell(title), tokens: termsAsCell(text) });
    await pause();
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
    for (const { record, passages, terms } of documents) {
      // Most passages of a changed document stay: their vectors, by text.
      const known = new Map(
        storedPassages(database, "d.path = ?", record.path).map(({ passage, vector }) => {
          return [passageText(readablePassage(passage)), vector];
        }),
      );
      removeDocument(database, record.path);
      const { path, hash, kind, title, bytes, modifiedAt } = record;
      const documentRow = database.insert("documents", {
        ...{ path, hash, kind, title, bytes },
        absolute_path: record.absolutePath,
        modified_at: modifiedAt,
      });
      const described = new Map<string, number>();
      const describe = (metadata: Metadata | undefined): number => {
        const json = JSON.stringify(metadata ?? null);
        const about = { document_id: documentRow, metadata: json === "null" ? undefined : json };
        const known = described.get(json) ?? database.insert("descriptions", about);
        if (!described.has(json))
          for (const { key, ...values } of filterFactsOf({ kind, modifiedAt, metadata }))
            database.insert("facts", { description_id: known, key, ...values });
        described.set(json, known);
        return known;
      };
      const sql = "UPDATE documents SET description_id = ? WHERE id = ?";
      database.run(sql, [describe(record.metadata), documentRow]);
      passages.forEach((passage, position) => {
        const { id, text, blocks, page, heading } = passage;
        const description_id = describe(passage.metadata ?? record.metadata);
        const row = database.insert("passages", {
          ...{ passage_id: id, document_id: documentRow, description_id },
          ...{ position, text, blocks, page, heading },
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
    meta.revise();
  });
}

function insertVector(database: Database, row: number, vector: ArrayLike<number>): void {
  const sql = "INSERT INTO vectors (passage, vector) VALUES (?, vector8(?))";
  database.run(sql, [row, vectorBlob(vector)]);
}

/** Removes documents with their passages in one transaction. */
export function deleteDocuments(database: Database, meta: Meta, paths: readonly string[]): void {
  database.transaction(() => {
    for (const path of paths) removeDocument(database, path);
    meta.revise();
  });
}

const PASSAGES_OF = "(SELECT id FROM passages WHERE document_id = ?)";
/** In this order: what names passages goes before them. */
const ROWS_OF_DOCUMENT = [
  `passage_terms WHERE rowid IN ${PASSAGES_OF}`,
  `vectors WHERE passage IN ${PASSAGES_OF}`,
  `pending_vectors WHERE passage IN ${PASSAGES_OF}`,
  "facts WHERE description_id IN (SELECT id FROM descriptions WHERE document_id = ?)",
  "descriptions WHERE document_id = ?",
  "passages WHERE document_id = ?",
  "documents WHERE id = ?",
];

function removeDocument(database: Database, path: string): void {
  const [document] = database.all("SELECT id FROM documents WHERE path = ?", [path]);
  if (document === undefined) return;
  const id = Number(document["id"]);
  for (const rows of ROWS_OF_DOCUMENT) database.run(`DELETE FROM ${rows}`, [id]);
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

/**
 * Embeds all pending passages, each batch in its own transaction; all passages if another version
 * of the model made the vectors. Other processes may embed or remove documents at the same time.
 * @throws KnowledgeBaseError when the model fails or its vectors do not fit; the signal's reason
 */
export async function embedPending(
  database: Database,
  meta: Meta,
  embedder: Embedder,
  options: EmbedPendingOptions,
): Promise<void> {
  if (isOutdated(meta.embedding, embedder)) dropVectors(database);
  await embedInBatches({
    ...options,
    embedder,
    total: pendingCount(database),
    async next() {
      const rows = database.all(
        `SELECT ${PASSAGE_COLUMNS} FROM ${PASSAGES} WHERE p.id IN
         (SELECT passage FROM pending_vectors ORDER BY passage LIMIT ${EMBED_BATCH}) ORDER BY p.id`,
      );
      return rows.map((row) => ({ row: Number(row["row"]), passage: passageOf(row) }));
    },
    async store(items, vectors) {
      database.transaction(() => {
        const index = meta.embedding ?? meta.setEmbedding(embedder.model, vectors[0]?.length ?? 0);
        checkSizes(index, embedder.model, vectors);
        items.forEach(({ row }, at) => {
          const sql = "DELETE FROM pending_vectors WHERE passage = ? RETURNING passage";
          const isStillThere = database.all(sql, [row]).length > 0;
          const vector = vectors[at];
          if (isStillThere && vector !== undefined) insertVector(database, row, vector);
        });
        meta.revise();
      });
    },
  });
}

function dropVectors(database: Database): void {
  database.transaction(() => {
    database.exec("DELETE FROM vectors");
    database.exec("INSERT OR IGNORE INTO pending_vectors SELECT id FROM passages");
    database.exec("DELETE FROM meta WHERE key LIKE 'embedding_%'");
  });
}
