/**
 * Opens the knowledge base of a run: one that was passed in, Qdrant, the user's SQLite file, or the
 * demo made of the docs; and opens and fills one from code, as the command line does.
 */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { IngestOptions } from "../ingest/ingest.js";
import type { IngestReport } from "../ingest/report.js";
import type { Reader } from "../reader/reader.js";
import { fromEmbeddings, type Embedder } from "../reader/embedder.js";
import type { KnowledgeBase, WritableKnowledgeBase } from "../retrieval/knowledge-base.js";
import type { SqliteKnowledgeBaseOptions } from "../retrieval/sqlite/open-sqlite-knowledge-base.js";
import { DATABASE_FILE } from "../retrieval/sqlite/database.js";
import { completeSettings } from "../settings/run-settings.js";
import type { Settings } from "../settings/table.js";
import { once } from "../support/cache.js";
import { UserError } from "../support/errors.js";
import { requirePackages } from "../support/packages.js";
import { embedderFrom, fetchPageFrom } from "./adapters.js";
import { DEMO_DIRECTORY, openDemo } from "./demo.js";
import type { AssembleOptions } from "./options.js";

const DEFAULT_DIRECTORY = join(".corrective-rag", "kb");

/** Returns the folder of the user's knowledge base, which may not exist yet. */
export function folderOf({ kbDir }: Pick<Settings, "kbDir">): string {
  return kbDir ?? DEFAULT_DIRECTORY;
}

export function holdsKnowledgeBase(directory: string): boolean {
  return existsSync(join(directory, DATABASE_FILE));
}

/** Returns the store on a server that the settings name, which takes the place of the file. */
function serverStore(settings: Settings) {
  const { qdrantUrl: url, qdrantApiKey: apiKey, qdrantCollection: collection } = settings;
  if (url === undefined) return undefined;
  const place = { url, apiKey, collection, timeoutInMs: settings.qdrantTimeoutSeconds * 1000 };
  const load = async () => {
    requirePackages("Qdrant", ["@qdrant/js-client-rest"]);
    return import("../retrieval/qdrant/open-qdrant-knowledge-base.js");
  };
  return {
    async forWriting(embedder: Embedder | undefined): Promise<WritableKnowledgeBase> {
      return (await load()).openQdrantKnowledgeBase({ ...place, embedder, mayBeMissing: true });
    },
    /** Opens our own collection, or one that LangChain made. */
    async forReading(embedder: Embedder | undefined): Promise<KnowledgeBase> {
      const { openLangChainCollection, openQdrantKnowledgeBase } = await load();
      return (
        (await openLangChainCollection({ ...place, embedder })) ??
        openQdrantKnowledgeBase({ ...place, embedder })
      );
    },
  };
}

export function isOnServer(settings: Settings): boolean {
  return serverStore(settings) !== undefined;
}

/** Identifies the file, if there is one: its number is not used again while the file is open. */
function inodeIn(directory: string): number | undefined {
  // The check also answers where a part of the path is a file, for which `statSync` throws.
  if (!holdsKnowledgeBase(directory)) return undefined;
  return statSync(join(directory, DATABASE_FILE), { throwIfNoEntry: false })?.ino;
}

interface OpenOptions {
  settings: Settings;
  /** The caller's folder, which must hold a knowledge base. */
  directory?: string;
  /** Replaces the settings' embedding model. */
  embeddings?: AssembleOptions["embeddings"];
  /** Makes the vectors if there is no embedding model; by default the settings' reader. */
  reader?: () => Promise<Reader>;
  /** Receives messages for the user. */
  notice: (message: string) => void;
}

/**
 * Opens an agent's knowledge base, and again when its file was replaced. The demo gives way to the
 * user's.
 */
export function knowledgeBaseSource({
  options: { knowledgeBase: given, retriever, vectorStore, embeddings },
  ...choice
}: Omit<OpenOptions, "directory" | "embeddings"> & { options: AssembleOptions }): {
  get(): Promise<KnowledgeBase>;
  close(): Promise<void>;
} {
  const directory = typeof given === "string" ? given : undefined;
  let current: (() => Promise<KnowledgeBase>) | undefined;
  let opened: number | undefined;
  const open = async (): Promise<KnowledgeBase> => {
    if (typeof given === "object") return given;
    if (retriever !== undefined)
      return (await import("../retrieval/langchain/from-langchain.js")).fromRetriever(retriever);
    if (vectorStore !== undefined) {
      const { fromVectorStore } = await import("../retrieval/langchain/from-langchain.js");
      return fromVectorStore(vectorStore);
    }
    return openForReading({ ...choice, directory, embeddings });
  };
  return {
    get() {
      const inode = inodeIn(directory ?? folderOf(choice.settings));
      if (current === undefined || inode !== opened) current = once(open);
      opened = inode;
      return current();
    },
    async close() {
      const knowledgeBase = await current?.().catch(() => undefined);
      current = undefined;
      if (knowledgeBase !== given) await knowledgeBase?.close();
    },
  };
}

/** Opens the user's knowledge base for writing, and creates it if there is none. */
export async function openForWriting({
  settings,
  directory,
}: Pick<OpenOptions, "settings" | "directory">): Promise<WritableKnowledgeBase> {
  const embedder = (await embedderFrom(settings)) ?? (await shippedEmbedder(settings));
  const server = directory === undefined ? serverStore(settings) : undefined;
  if (server !== undefined) return server.forWriting(embedder);
  return openSqliteBase({ directory: directory ?? folderOf(settings), embedder });
}

export async function openForReading({
  settings,
  directory,
  embeddings,
  reader,
  notice,
}: OpenOptions): Promise<KnowledgeBase> {
  const embedder =
    (embeddings ? fromEmbeddings(embeddings) : await embedderFrom(settings)) ??
    (await shippedEmbedder(settings, reader));
  if (settings.knowledgeBases !== undefined && directory === undefined)
    return openNamed(settings.knowledgeBases, embedder);
  const server = directory === undefined ? serverStore(settings) : undefined;
  if (server !== undefined) return server.forReading(embedder);
  const named = directory ?? settings.kbDir;
  const users = named ?? DEFAULT_DIRECTORY;
  if (named === undefined && !holdsKnowledgeBase(users)) {
    const does = holdsKnowledgeBase(DEMO_DIRECTORY) ? "using" : "making";
    notice(
      `no knowledge base yet: ${does} a demo from the agent's own docs (${DEMO_DIRECTORY}); ` +
        "create yours with: corrective-rag ingest PATH",
    );
    return openDemo({ directory: DEMO_DIRECTORY, embedder });
  }
  const knowledgeBase = await openSqliteBase({ directory: users, embedder, readOnly: true });
  const { documents, embedding } = await knowledgeBase.stats().catch(async (error: unknown) => {
    await knowledgeBase.close();
    throw error;
  });
  if (documents === 0)
    notice(
      `the knowledge base ${users} holds no documents; ` +
        `add some with: corrective-rag ingest PATH --kb ${users}`,
    );
  else if (embedder && (!embedding || embedding.pending || embedding.model !== embedder.model))
    notice(
      `some passages of ${users} are found by their words only; ` +
        `finish with: corrective-rag ingest PATH --kb ${users}`,
    );
  return knowledgeBase;
}

/**
 * Returns the folders of several knowledge bases by their names.
 * @param named each as `name=folder`
 * @throws UserError
 */
export function namedFolders(named: readonly string[]): ReadonlyMap<string, string> {
  const folders = new Map(
    named.map((entry) => {
      const [name = "", ...rest] = entry.split("=");
      const folder = rest.join("=").trim();
      if (name.trim() === "" || folder === "")
        throw new UserError(
          `"${entry}" names no knowledge base`,
          "write name=folder, like hr=kb/hr",
        );
      return [name.trim(), folder] as const;
    }),
  );
  if (folders.size < named.length)
    throw new UserError("two knowledge bases have the same name", "rename one of them");
  return folders;
}

/** Opens several knowledge bases as one. */
async function openNamed(
  named: readonly string[],
  embedder: Embedder | undefined,
): Promise<KnowledgeBase> {
  const bases = new Map<string, KnowledgeBase>();
  try {
    for (const [name, directory] of namedFolders(named))
      bases.set(name, await openSqliteBase({ directory, embedder, readOnly: true }));
  } catch (error) {
    for (const base of bases.values()) await base.close();
    throw error;
  }
  const { joinKnowledgeBases } = await import("../retrieval/joined.js");
  return joinKnowledgeBases(bases, [...bases.keys()].join(" + "));
}

/**
 * Makes vectors with a reader.
 * @param given by default the reader of the settings, closed together with the knowledge base
 */
async function shippedEmbedder(
  { reader: model }: Settings,
  given?: () => Promise<Reader>,
): Promise<Embedder | undefined> {
  const { readerEmbedder } = await import("../retrieval/embedders.js");
  if (given !== undefined) return readerEmbedder(await given());
  const { createReader } = await import("../reader/create-reader.js");
  return readerEmbedder(createReader({ model }), { owned: true });
}

async function openSqliteBase(options: SqliteKnowledgeBaseOptions): Promise<WritableKnowledgeBase> {
  const sqlite = await import("../retrieval/sqlite/open-sqlite-knowledge-base.js");
  return sqlite.openSqliteKnowledgeBase(options);
}

export interface OpenKnowledgeBaseOptions extends SqliteKnowledgeBaseOptions {
  /** Any LangChain embeddings; by default the encoder that ships with the package. */
  embeddings?: EmbeddingsInterface;
}

/**
 * Opens a knowledge base: one SQLite file with passages, full text and vectors, for `ingest` and
 * for `createCorrectiveRag`, which also takes the name of its folder.
 * @throws KnowledgeBaseError when it is missing (read-only), damaged, of another format,
 *   impossible to make, or made with another embedding model
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
