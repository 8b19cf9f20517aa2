/** Vectors that passages still lack: made in batches, each stored in a transaction of its own. */
import { passageText } from "../../reader/reader.js";
import { readablePassage } from "../indexed-text.js";
import { KnowledgeBaseError, type EmbedPendingOptions, type Embedder } from "../knowledge-base.js";
import type { Database } from "./database.js";
import { passageOf, PASSAGE_COLUMNS } from "./rows.js";
import type { Meta } from "./schema.js";
import {
  checkDimensions,
  createVectorTable,
  dropVectors,
  isOtherVersion,
  openVectorTable,
  storedEmbedding,
  type VectorExtension,
} from "./vectors.js";

/** Passages at a time: a second or two of work on a slow machine. */
const BATCH = 32;

/** Counts the passages without a vector. */
export function pendingCount(database: Database): number {
  return Number(database.all("SELECT count(*) AS n FROM pending_vectors")[0]?.["n"]);
}

/**
 * Embeds all pending passages. Another process may remove documents meanwhile, or embed as well.
 * @throws KnowledgeBaseError when the model fails or its vectors do not fit; the signal's reason
 */
export async function embedPending(
  {
    database,
    meta,
    embedder,
    extension,
  }: { database: Database; meta: Meta; embedder: Embedder; extension: VectorExtension },
  { onProgress, signal }: EmbedPendingOptions,
): Promise<void> {
  const stored = storedEmbedding(meta);
  if (stored !== undefined && isOtherVersion(embedder.model, stored.model))
    dropVectors(database, meta);
  const total = pendingCount(database);
  let done = 0;
  let table = await openVectorTable(database, meta, extension);
  for (;;) {
    signal?.throwIfAborted();
    const batch = database.all(
      `SELECT ${PASSAGE_COLUMNS} FROM pending_vectors v JOIN passages p ON p.id = v.passage JOIN documents d ON d.id = p.document_id ORDER BY p.id LIMIT ${BATCH}`,
    );
    if (batch.length === 0) break;
    const texts = batch.map((row) => passageText(readablePassage(passageOf(row))));
    const vectors = await embedder.embedDocuments(texts, signal);
    const dimensions = vectors[0]?.length;
    if (vectors.length !== texts.length || dimensions === undefined)
      throw new KnowledgeBaseError(
        `${embedder.model} gave ${vectors.length} vectors for ${texts.length} texts`,
      );
    const facts = { model: embedder.model, dimensions };
    const vectorTable = (table ??= await createVectorTable(database, meta, facts, extension));
    if (vectorTable === undefined)
      throw new KnowledgeBaseError(
        `The vectors of ${database.file} were stored with sqlite-vec, which does not load on this machine`,
        "Ingest into a new directory with --kb, or on the machine that made this one.",
      );
    const kept = storedEmbedding(meta) ?? facts;
    for (const vector of vectors) checkDimensions(kept, embedder.model, vector, database.file);
    database.transaction(() => {
      batch.forEach((row, index) => {
        const id = Number(row["row"]);
        const vector = vectors[index];
        const [still] = database.all(
          "DELETE FROM pending_vectors WHERE passage = ? RETURNING passage",
          [id],
        );
        if (still !== undefined && vector !== undefined) vectorTable.insert(id, vector);
      });
      meta.set("revision", String(Number(meta.get("revision") ?? "0") + 1));
    });
    done += batch.length;
    onProgress?.({ done, total: Math.max(total, done) });
  }
}
