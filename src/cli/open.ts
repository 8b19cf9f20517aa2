/**
 * Opens what the commands work with. The environment and `.env` are read here, and nowhere below.
 */
import { readFile } from "node:fs/promises";
import { fetchPageFrom } from "../assembly/adapters.js";
import {
  folderOf,
  holdsKnowledgeBase,
  openForReading,
  openForWriting,
} from "../assembly/knowledge-base.js";
import type { CorrectiveRag, CorrectiveRagOptions } from "../corrective-rag.js";
import type { Reader } from "../reader/reader.js";
import type { KnowledgeBase, WritableKnowledgeBase } from "../retrieval/knowledge-base.js";
import { readEnvironment } from "../settings/environment.js";
import { completeSettings } from "../settings/run-settings.js";
import type { Settings } from "../settings/table.js";
import { UserError } from "../support/errors.js";
import type { FetchPage } from "../web/search-provider.js";
import { say, styleFor } from "./terminal.js";

/**
 * Puts the variables of `.env` in the working directory beside those of the environment, which win;
 * a missing file is no mistake.
 * @throws UserError for a file in another encoding than UTF-8: PowerShell's `>` writes UTF-16
 */
export async function loadDotEnv(
  environment: Record<string, string | undefined> = process.env,
): Promise<void> {
  const bytes = await readFile(".env").catch(() => undefined);
  if (bytes?.includes(0) === true)
    throw new UserError(
      ".env is not UTF-8 text, so that nothing of it would be read",
      "save it as UTF-8",
    );
  const { config } = await import("dotenv");
  config({ quiet: true, processEnv: environment });
}

/** The settings of the environment; what looks like one of ours and is none is said. */
export async function readSettings(): Promise<Settings> {
  await loadDotEnv();
  const { settings, warnings } = readEnvironment(process.env);
  for (const warning of warnings) sayNotice(warning);
  return completeSettings(settings);
}

/**
 * The agent, its knowledge base already open: a wrong folder is said before a question is asked.
 * @param needsBase false for whoever reports a base that cannot be opened as one finding of many
 * @throws UserError for malformed settings, KnowledgeBaseError for a base that cannot be opened
 */
export async function openAgent({
  kb,
  needsBase = true,
  ...options
}: { kb?: string; needsBase?: boolean } & CorrectiveRagOptions): Promise<CorrectiveRag> {
  await loadDotEnv();
  const encoder = await startEncoder();
  try {
    const [{ createCorrectiveRag }, { MemorySaver }] = await Promise.all([
      import("../corrective-rag.js"),
      import("@langchain/langgraph"),
    ]);
    const agent = createCorrectiveRag({
      environment: process.env,
      knowledgeBase: kb,
      // A run that waits for a person's permission goes on from there.
      checkpointer: new MemorySaver(),
      ...options,
    });
    const close = async (): Promise<void> => {
      await agent.close();
      await encoder?.close();
    };
    agent.notices.forEach(sayNotice);
    await agent.knowledgeBase().catch(async (error: unknown) => {
      if (!needsBase) return;
      await agent.close();
      throw error;
    });
    agent.notices.forEach(sayNotice);
    return { ...agent, close };
  } catch (error) {
    await encoder?.close();
    throw error;
  }
}

/**
 * Starts the reader's encoder, which takes a second to load, in its thread: the graph's code and
 * the knowledge base are loaded beside it. The agent's own reader finds it running, and says what
 * is wrong with it.
 */
async function startEncoder(): Promise<Reader | undefined> {
  try {
    const { createReader } = await import("../reader/create-reader.js");
    const reader = createReader({
      model: completeSettings(readEnvironment(process.env).settings).reader,
    });
    reader.embed?.([""]).catch(() => undefined);
    return reader;
  } catch {
    return undefined;
  }
}

/**
 * The knowledge base for looking at it, as `ask` would open it; its folder holds the ingest log.
 */
export async function openForLooking({
  kb,
}: {
  kb?: string;
}): Promise<{ knowledgeBase: KnowledgeBase; folder: string }> {
  const settings = await readSettings();
  const knowledgeBase = await openForReading({
    settings,
    directory: kb,
    reader: async () => {
      const { createReader } = await import("../reader/create-reader.js");
      return createReader({ model: settings.reader });
    },
    notice: sayNotice,
  });
  return { knowledgeBase, folder: kb ?? folderOf(settings) };
}

/**
 * The knowledge base for changing it; made where there is none.
 * @param urls pages that the user named: exactly their hosts and ports may be on this machine or
 *   network, where a redirect may not lead
 */
export async function openForChanging({
  kb,
  urls = [],
}: {
  kb?: string;
  urls?: readonly string[];
}): Promise<{ knowledgeBase: WritableKnowledgeBase; fetchPage: FetchPage; folder: string }> {
  const settings = await readSettings();
  const fetchPage = fetchPageFrom(settings, urls.flatMap(hostAndPort));
  const knowledgeBase = await openForWriting({ settings, directory: kb });
  return { knowledgeBase, fetchPage, folder: kb ?? folderOf(settings) };
}

function hostAndPort(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { hostname, port, protocol } = new URL(address);
  return [`${hostname}:${port || (protocol === "https:" ? "443" : "80")}`];
}

/** True where a knowledge base is to be kept in step, even with targets that have become empty. */
export async function hasKnowledgeBase({ kb }: { kb?: string }): Promise<boolean> {
  const settings = await readSettings();
  return (
    (settings.qdrantUrl !== undefined && kb === undefined) ||
    holdsKnowledgeBase(kb ?? folderOf(settings))
  );
}

const said = new Set<string>();

/** Each notice once. */
export function sayNotice(notice: string): void {
  if (said.has(notice)) return;
  said.add(notice);
  say(styleFor(process.stderr).dim(`· ${notice}`));
}
