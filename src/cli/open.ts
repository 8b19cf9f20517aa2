/** Opens what the commands work with; nothing below this file reads the environment or `.env`. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { fetchPageFrom } from "../assembly/adapters.js";
import {
  folderOf,
  holdsKnowledgeBase,
  isOnServer,
  openForReading,
  openForWriting,
} from "../assembly/knowledge-base.js";
import type { CorrectiveRag, CorrectiveRagOptions } from "../corrective-rag.js";
import { redactText } from "../observability/redact.js";
import type { KnowledgeBase, WritableKnowledgeBase } from "../retrieval/knowledge-base.js";
import { readEnvironment } from "../settings/environment.js";
import { completeSettings } from "../settings/run-settings.js";
import type { Settings } from "../settings/table.js";
import { reasonOf, UserError } from "../support/errors.js";
import { isRecord } from "../support/is-record.js";
import type { FetchPage } from "../web/search-provider.js";
import { FAILED } from "./report-error.js";
import { printable, say, styleFor } from "./terminal.js";

/**
 * Adds the variables of `./.env`, if there is one, to the environment, which wins.
 * @throws UserError for a file that cannot be read, because without its keys a server would be open
 *   to everyone, and for one that is not UTF-8: PowerShell's `>` writes UTF-16
 */
export async function loadDotEnv(
  environment: Record<string, string | undefined> = process.env,
): Promise<void> {
  const bytes = await readEnvFile().catch((error: unknown) => {
    const code = isRecord(error) ? error["code"] : undefined;
    // Docker makes a folder where it is to mount a file that is missing.
    if (code === "ENOENT" || code === "EISDIR") return Buffer.of();
    throw new UserError(`.env cannot be read: ${reasonOf(error)}`, "check its permissions", FAILED);
  });
  if (bytes.includes(0))
    throw new UserError(".env is not UTF-8 text and cannot be read", "save it as UTF-8");
  const { parse, populate } = await import("dotenv");
  const values = parse(bytes);
  refuseMovedKeys(values, environment);
  if (values["CRAG_MCP_CONFIG"] && environment["CRAG_MCP_CONFIG"] === undefined)
    throw new UserError(
      ".env sets CRAG_MCP_CONFIG, whose servers are programs that would be started",
      "if the folder is yours, set CRAG_MCP_CONFIG in your environment instead",
    );
  populate(environment, values);
}

/** Never waits: where a named pipe stands it fails. */
async function readEnvFile(): Promise<Buffer> {
  const file = await open(".env", constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (stats.isFIFO()) throw new Error("it is a pipe");
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * Refuses an address in a folder's `.env` that would get a key from elsewhere: the folder may be
 * somebody else's.
 */
function refuseMovedKeys(
  values: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  for (const [name, value] of Object.entries(values)) {
    const service = /^(.+?)(?:_BASE|_API)?_(?:URL|ENDPOINT)$/.exec(name)?.[1];
    const place = URL.canParse(value) ? new URL(value).hostname : "";
    const isHere = place === "" || /^(?:localhost|127\..*|\[::1\])$/.test(place);
    if (service === undefined || isHere || environment[name] !== undefined) continue;
    const moved = [`${service}_API_KEY`, `${service}_TOKEN`, `${service}_ACCESS_TOKEN`].find(
      (key) => environment[key] !== undefined && values[key] === undefined,
    );
    if (moved !== undefined)
      throw new UserError(
        `.env would send the ${moved} of your environment to ${place} (${name})`,
        `write ${moved} into .env, too, or set ${name} in your environment`,
      );
  }
}

/** Returns the environment's settings, and warns about misspelled ones. */
export async function readSettings(): Promise<Settings> {
  await loadDotEnv();
  const { settings, warnings } = readEnvironment(process.env);
  for (const warning of warnings) sayNotice(warning);
  return completeSettings(settings);
}

/**
 * Opens the agent and its knowledge base, so that a wrong folder is reported before any question.
 * @param needsBase false for a caller that reports a base that cannot be opened itself
 * @throws UserError for malformed settings, KnowledgeBaseError for a base that cannot be opened
 */
export async function openAgent({
  kb,
  needsBase = true,
  ...options
}: { kb?: string; needsBase?: boolean } & CorrectiveRagOptions): Promise<CorrectiveRag> {
  await loadDotEnv();
  const { createCorrectiveRag } = await import("../corrective-rag.js");
  const { MemorySaver } = await import("@langchain/langgraph");
  const agent = createCorrectiveRag({
    environment: process.env,
    knowledgeBase: kb,
    // A run that waits for permission resumes from its checkpoint.
    checkpointer: new MemorySaver(),
    ...options,
  });
  try {
    await agent.knowledgeBase();
  } catch (error) {
    if (!needsBase) return agent;
    await agent.close();
    throw error;
  } finally {
    agent.notices.forEach(sayNotice);
  }
  return agent;
}

/** Opens the knowledge base that `ask` would search. */
export async function openForLooking({ kb }: { kb?: string }): Promise<KnowledgeBase> {
  const settings = await readSettings();
  return openForReading({ settings, directory: kb, notice: sayNotice });
}

/**
 * Opens the knowledge base for writing, and creates it if there is none.
 * @param urls pages that the user named: only their hosts and ports may be on this machine or
 *   network, and no redirect may lead there
 */
export async function openForChanging({
  kb,
  urls = [],
}: {
  kb?: string;
  urls?: readonly string[];
}): Promise<{ knowledgeBase: WritableKnowledgeBase; fetchPage: FetchPage }> {
  const settings = await readSettings();
  const fetchPage = fetchPageFrom(settings, urls.flatMap(hostAndPort));
  const knowledgeBase = await openForWriting({ settings, directory: kb });
  return { knowledgeBase, fetchPage };
}

function hostAndPort(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { hostname, port, protocol } = new URL(address);
  return [`${hostname}:${port || (protocol === "https:" ? "443" : "80")}`];
}

/** True if the user has a knowledge base that can be brought up to date. */
export async function hasKnowledgeBase({ kb }: { kb?: string }): Promise<boolean> {
  const settings = await readSettings();
  return (kb === undefined && isOnServer(settings)) || holdsKnowledgeBase(kb ?? folderOf(settings));
}

const said = new Set<string>();

/** Prints a notice, once per process. */
export function sayNotice(notice: string): void {
  if (said.has(notice)) return;
  said.add(notice);
  say(styleFor(process.stderr).dim(`· ${printable(redactText(notice))}`));
}
