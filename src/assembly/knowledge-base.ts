/** Which knowledge base a run searches: one that was passed in, Qdrant, the user's SQLite file, or the demo made of the docs. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Settings } from "../settings/table.js";
import {
  KnowledgeBaseError,
  type KnowledgeBase,
  type KnowledgeBaseStats,
  type WritableKnowledgeBase,
} from "../retrieval/knowledge-base.js";
import { embedderFrom } from "./embedder.js";

export const DEFAULT_DIRECTORY = join(".corrective-rag", "kb");
export const DEMO_DIRECTORY = join(".corrective-rag", "demo");
const DATABASE_FILE = "kb.sqlite";

export interface KnowledgeBaseChoice {
  settings: Settings;
  /** A folder named by the caller; it must hold a knowledge base. */
  directory?: string;
  /** Told what the user should know. */
  notice: (message: string) => void;
}

/** Opens the knowledge base for writing: ingestion makes it when it is not there. Never the demo. */
export async function openForWriting({
  settings,
  directory,
}: Omit<KnowledgeBaseChoice, "notice">): Promise<WritableKnowledgeBase> {
  const embedder = await embedderFrom(settings);
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
  notice,
}: KnowledgeBaseChoice): Promise<KnowledgeBase> {
  const embedder = await embedderFrom(settings);
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
  if (!holdsKnowledgeBase(users)) return openDocs(notice);
  const knowledgeBase = await openSqliteKnowledgeBase({
    directory: users,
    embedder,
    readOnly: true,
  });
  try {
    const advice = adviceOn(await knowledgeBase.stats(), settings.embeddingModel, users);
    if (advice !== undefined) notice(advice);
  } catch (error) {
    await knowledgeBase.close();
    throw error;
  }
  return knowledgeBase;
}

/** What stands between this knowledge base and good answers, and how to mend it. */
function adviceOn(
  { documents, embedding }: KnowledgeBaseStats,
  model: string | undefined,
  directory: string,
): string | undefined {
  const again = `corrective-rag ingest PATH --kb ${directory}`;
  if (documents === 0)
    return `the knowledge base ${directory} holds no documents: fill it with: ${again}`;
  if (model !== undefined && embedding === undefined)
    return `EMBEDDING_MODEL=${model} is not used: the knowledge base ${directory} was made without vectors; ingest the same documents again: ${again}`;
  if (model === undefined && embedding !== undefined)
    return `the vectors in ${directory} are not used: set EMBEDDING_MODEL=${embedding.model}, which made them`;
  return undefined;
}

/** Whether documents were ever ingested into a folder. */
export function holdsKnowledgeBase(directory: string): boolean {
  return existsSync(join(directory, DATABASE_FILE));
}

async function openDocs(notice: (message: string) => void): Promise<KnowledgeBase> {
  const isNew = !holdsKnowledgeBase(DEMO_DIRECTORY);
  notice(
    `no knowledge base yet: ${isNew ? "making a demo one from" : "using the demo one made of"} the agent's own docs (${DEMO_DIRECTORY}); ` +
      "make yours with: corrective-rag ingest PATH",
  );
  const { openDemo } = await import("./demo.js");
  return openDemo({ directory: DEMO_DIRECTORY, root: packageRoot() });
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
