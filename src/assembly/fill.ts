/** Opens and fills a knowledge base from code, with the vectors and the fetcher of the command line. */
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { IngestOptions, IngestReport } from "../ingest/ingest.js";
import { fromEmbeddings } from "../reader/embedder.js";
import type { WritableKnowledgeBase } from "../retrieval/knowledge-base.js";
import type { SqliteKnowledgeBaseOptions } from "../retrieval/sqlite/open-sqlite-knowledge-base.js";
import { completeSettings } from "../settings/run-settings.js";
import { fetchPageFrom } from "./adapters.js";
import { openSqliteBase, shippedEmbedder } from "./knowledge-base.js";

export interface OpenKnowledgeBaseOptions extends SqliteKnowledgeBaseOptions {
  /** Any LangChain embeddings; by default the encoder that ships with the package. */
  embeddings?: EmbeddingsInterface;
}

/**
 * Opens a knowledge base: one SQLite file with passages, full text and vectors. Give it to `ingest`,
 * and to `createCorrectiveRag` as `knowledgeBase`, or name its folder there.
 * @throws KnowledgeBaseError when it is missing (read-only), damaged, of another format, not
 *   writable, or made with another embedding model
 * @example
 * const knowledgeBase = await openSqliteKnowledgeBase({ directory: ".corrective-rag/kb" });
 */
export async function openSqliteKnowledgeBase({
  embeddings,
  embedder = embeddings && fromEmbeddings(embeddings),
  ...options
}: OpenKnowledgeBaseOptions): Promise<WritableKnowledgeBase> {
  return openSqliteBase({
    ...options,
    embedder: embedder ?? (await shippedEmbedder(completeSettings())),
  });
}

/**
 * Brings a knowledge base in step with files, folders, globs and public web pages: stores what is
 * new or changed, and removes what is gone. May be killed at any moment: each document is stored
 * whole or not at all, and the next run completes the work.
 * @throws UserError when a target does not exist, or when the targets hold no documents at all
 * @throws KnowledgeBaseError when the store fails
 * @example
 * const report = await ingest({ targets: ["docs", "https://example.org/manual"], knowledgeBase });
 */
export async function ingest(options: IngestOptions): Promise<IngestReport> {
  const { ingest: bringInStep } = await import("../ingest/ingest.js");
  return bringInStep({ fetchPage: fetchPageFrom(completeSettings()), ...options });
}
