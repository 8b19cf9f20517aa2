/** Which knowledge base a run searches: one that was passed in, Qdrant, the user's SQLite file, or the demo made of the docs. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Reader } from "../reader/reader.js";
import type { Settings } from "../settings/table.js";
import {
  KnowledgeBaseError,
  type Embedder,
  type KnowledgeBase,
  type WritableKnowledgeBase,
} from "../retrieval/knowledge-base.js";
import { embedderFrom, embedderOf } from "./adapters.js";
import type { AssembleOptions } from "./options.js";

export const DEFAULT_DIRECTORY = join(".corrective-rag", "kb");
/** The folder in which the user's knowledge base is, or would be. */
export function folderOf({ kbDir }: Pick<Settings, "kbDir">): string {
  return kbDir ?? DEFAULT_DIRECTORY;
}

export const DEMO_DIRECTORY = join(".corrective-rag", "demo");
const DATABASE_FILE = "kb.sqlite";

export interface KnowledgeBaseChoice {
  settings: Settings;
  /** A folder named by the caller; it must hold a knowledge base. */
  directory?: string;
  /** In place of the settings' embedding model. */
  embeddings?: AssembleOptions["embeddings"];
  /** Makes the vectors where there is no other embedding model. */
  reader: () => Promise<Reader>;
  /** Told what the user should know. */
  notice: (message: string) => void;
}

/** The one knowledge base of an agent, opened once. The demo gives way as soon as there is one of the user's. */
export function knowledgeBaseSource({
  options,
  settings,
  reader,
  notice,
}: {
  options: AssembleOptions;
  settings: Settings;
  reader: () => Promise<Reader>;
  notice: (message: string) => void;
}): { get(): Promise<KnowledgeBase>; close(): Promise<void> } {
  const { knowledgeBase: given, retriever, vectorStore, embeddings } = options;
  const directory = typeof given === "string" ? given : undefined;
  let current: Promise<KnowledgeBase> | undefined;
  let wasThere = false;
  const open = async (): Promise<KnowledgeBase> => {
    if (typeof given === "object") return given;
    if (retriever !== undefined)
      return (await import("../retrieval/langchain/from-retriever.js")).fromRetriever(retriever);
    if (vectorStore !== undefined) {
      const { fromVectorStore } = await import("../retrieval/langchain/from-vector-store.js");
      return fromVectorStore(vectorStore);
    }
    return openForReading({ settings, directory, embeddings, reader, notice });
  };
  return {
    get() {
      const isThere =
        wasThere || holdsKnowledgeBase(directory ?? settings.kbDir ?? DEFAULT_DIRECTORY);
      if (current === undefined || isThere !== wasThere) {
        wasThere = isThere;
        const opening = open();
        current = opening;
        // A failure is not kept: what was missing may be there the next time.
        opening.catch(() => {
          if (current === opening) current = undefined;
        });
      }
      return current;
    },
    async close() {
      const knowledgeBase = await current?.catch(() => undefined);
      current = undefined;
      if (knowledgeBase !== given) await knowledgeBase?.close();
    },
  };
}

/** The caller's embeddings, else those that the settings name, else the reader's. */
async function embedderFor({
  settings,
  embeddings,
  reader,
  owned = false,
}: Pick<KnowledgeBaseChoice, "settings" | "embeddings" | "reader"> & {
  /** Whether closing the knowledge base closes the reader. */
  owned?: boolean;
}): Promise<Embedder | undefined> {
  const named = embeddings ? embedderOf(embeddings) : await embedderFrom(settings);
  if (named !== undefined) return named;
  const { readerEmbedder } = await import("../retrieval/embedders/reader-embedder.js");
  return readerEmbedder(await reader(), { owned });
}

/** Opens the knowledge base for writing: ingestion makes it when it is not there. Never the demo. */
export async function openForWriting({
  settings,
  directory,
  embeddings,
}: Omit<KnowledgeBaseChoice, "notice" | "reader">): Promise<WritableKnowledgeBase> {
  const own = async (): Promise<Reader> =>
    (await import("../reader/create-reader.js")).createReader({ model: settings.reader });
  const embedder = await embedderFor({ settings, embeddings, reader: own, owned: true });
  if (settings.qdrantUrl !== undefined && directory === undefined)
    return openQdrant(settings, settings.qdrantUrl, embedder, { mayBeMissing: true });
  const { openSqliteKnowledgeBase } =
    await import("../retrieval/sqlite/open-sqlite-knowledge-base.js");
  return openSqliteKnowledgeBase({
    directory: directory ?? settings.kbDir ?? DEFAULT_DIRECTORY,
    embedder,
  });
}

/** Opens the knowledge base for answering. */
export async function openForReading({
  settings,
  directory,
  embeddings,
  reader,
  notice,
}: KnowledgeBaseChoice): Promise<KnowledgeBase> {
  const embedder = await embedderFor({ settings, embeddings, reader });
  if (settings.qdrantUrl !== undefined && directory === undefined)
    return openQdrant(settings, settings.qdrantUrl, embedder);
  const { openSqliteKnowledgeBase } =
    await import("../retrieval/sqlite/open-sqlite-knowledge-base.js");
  const named = directory ?? settings.kbDir;
  if (named !== undefined && !holdsKnowledgeBase(named))
    throw new KnowledgeBaseError(
      `there is no knowledge base in ${named}`,
      `make one with: corrective-rag ingest PATH --kb ${named}`,
    );
  const users = named ?? DEFAULT_DIRECTORY;
  if (!holdsKnowledgeBase(users)) return openDocs(embedder, notice);
  const knowledgeBase = await openSqliteKnowledgeBase({
    directory: users,
    embedder,
    readOnly: true,
    embedWhenIdle: true,
  });
  const { documents } = await knowledgeBase.stats().catch(async (error: unknown) => {
    await knowledgeBase.close();
    throw error;
  });
  if (documents === 0)
    notice(
      `the knowledge base ${users} holds no documents: fill it with: corrective-rag ingest PATH --kb ${users}`,
    );
  return knowledgeBase;
}

/** Whether documents were ever ingested into a folder. */
export function holdsKnowledgeBase(directory: string): boolean {
  return existsSync(join(directory, DATABASE_FILE));
}

async function openDocs(
  embedder: Embedder | undefined,
  notice: (message: string) => void,
): Promise<KnowledgeBase> {
  const isNew = !holdsKnowledgeBase(DEMO_DIRECTORY);
  notice(
    `no knowledge base yet: ${isNew ? "making a demo one from" : "using the demo one made of"} the agent's own docs (${DEMO_DIRECTORY}); ` +
      "make yours with: corrective-rag ingest PATH",
  );
  const { openDemo } = await import("./demo.js");
  return openDemo({ directory: DEMO_DIRECTORY, root: packageRoot(), embedder });
}

/** The folder of the package, from `src/` as well as from `dist/`. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder)
    folder = dirname(folder);
  return folder;
}

async function openQdrant(
  settings: Settings,
  url: string,
  embedder: Awaited<ReturnType<typeof embedderFrom>>,
  use: { mayBeMissing?: boolean } = {},
): Promise<WritableKnowledgeBase> {
  const { openQdrantKnowledgeBase } =
    await import("../retrieval/qdrant/open-qdrant-knowledge-base.js");
  return openQdrantKnowledgeBase({
    url,
    apiKey: settings.qdrantApiKey,
    collection: settings.qdrantCollection,
    embedder,
    ...use,
    timeoutInMs: settings.qdrantTimeoutSeconds * 1000,
    settings: {
      shards: settings.qdrantShards,
      replication: settings.qdrantReplication,
      onDisk: settings.qdrantOnDisk,
      quantization: settings.qdrantQuantization,
    },
  });
}
