/** Opens what the commands work with; nothing below this file reads the environment or `.env`. */
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { relative } from "node:path";
import { folderOf, holdsKnowledgeBase, isOnServer } from "../assembly/knowledge-base.js";
import type { CorrectiveRag, CorrectiveRagOptions } from "../corrective-rag.js";
import { isSecretVariable, redactText } from "../observability/redact.js";
import type { Reader } from "../reader/reader.js";
import type { DocumentRecord } from "../retrieval/knowledge-base.js";
import { readEnvironment } from "../settings/environment.js";
import { completeSettings } from "../settings/run-settings.js";
import type { Settings } from "../settings/table.js";
import { codeOf, reasonOf, UserError } from "../support/errors.js";
import { isLoopback } from "../support/web-address.js";
import { FAILED } from "./report-error.js";
import { printable, say, styleFor } from "./terminal.js";

/**
 * Adds the variables of `./.env`, if there is one, to the environment, which wins.
 * @throws UserError for a file that cannot be read, because without its keys a server would be open
 *   to everyone, for one that is not UTF-8 (PowerShell's `>` writes UTF-16), and for one that does
 *   what only its owner may do
 */
export async function loadDotEnv(
  environment: Record<string, string | undefined> = process.env,
  path = ".env",
): Promise<void> {
  const unreadable = (why: string): UserError =>
    new UserError(`.env cannot be read: ${why}`, "check its permissions", FAILED);
  // Nobody may ever write into it.
  if ((await stat(path).catch(() => undefined))?.isFIFO()) throw unreadable("it is a pipe");
  const bytes = await readFile(path).catch((error: unknown) => {
    const code = codeOf(error);
    // Docker makes a folder where it is to mount a file that is missing.
    if (code === "ENOENT" || code === "EISDIR") return Buffer.of();
    throw unreadable(reasonOf(error));
  });
  if (bytes.includes(0))
    throw new UserError(".env is not UTF-8 text and cannot be read", "save it as UTF-8");
  const { parse, populate } = await import("dotenv");
  const values = parse(bytes);
  for (const [name, value] of Object.entries(values)) {
    if (value === "" || environment[name] !== undefined) continue;
    const harm = harmOf(name, value, values, environment);
    if (harm !== undefined)
      throw new UserError(
        `.env ${harm}`,
        `if the folder is yours, set ${name} in your environment instead`,
      );
  }
  populate(environment, values);
}

const STARTS_PROGRAMS = /^(?:NODE_(?!ENV$).*|LD_.*|DYLD_.*|PATH|CRAG_MCP_CONFIG)$/;
const AUDIT_LOG = ["CRAG_AUDIT_LOG", "KB_AGENT_AUDIT_LOG_PATH"];
/** Services whose keys have other names than their address. */
const KEYS_OF: Readonly<Record<string, readonly string[]>> = {
  RERANK: ["VOYAGE", "COHERE", "JINA"],
  LANGCHAIN: ["LANGCHAIN", "LANGSMITH"],
  LANGSMITH: ["LANGCHAIN", "LANGSMITH"],
  DATABASE: ["PG"],
};

const withoutPrefix = (name: string): string =>
  name.startsWith("CRAG_") ? name.slice("CRAG_".length) : name;

/**
 * Returns what a variable of a folder's `.env` would do that only the user may: the folder may be
 * somebody else's. It could start a program, send a key of the user's to another address, or write
 * text of documents into a file that a shell reads.
 */
function harmOf(
  variable: string,
  value: string,
  values: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  // Windows knows no case in names.
  const name = variable.toUpperCase();
  if (STARTS_PROGRAMS.test(name)) return `sets ${variable}, which no file of a folder may set`;
  if (AUDIT_LOG.includes(name) && !/(?:\.jsonl|\.log|^off)$/i.test(value))
    return `would write the audit log into ${value}, which may be another program's file`;
  const place = URL.canParse(value) ? new URL(value).hostname : "";
  if (place === "" || isLoopback(place)) return undefined;
  const [service = ""] = withoutPrefix(name).split("_");
  const moved = Object.keys(environment).find((key) => {
    const owner = withoutPrefix(key.toUpperCase());
    const isIts = (KEYS_OF[service] ?? [service]).some((each) => owner.startsWith(each));
    return isIts && isSecretVariable(key) && environment[key] && environment[key] !== values[key];
  });
  return moved && `would send the ${moved} of your environment to ${place} (${variable})`;
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
  // Its threads load while this one does: half a second of five.
  const reader = needsBase ? await preparedReader() : undefined;
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
    await reader?.close?.();
    agent.notices.forEach(sayNotice);
  }
  return agent;
}

/** The agent, which shares its threads, says so if it cannot be used. */
async function preparedReader(): Promise<Reader | undefined> {
  const { createReader } = await import("../reader/create-reader.js");
  try {
    const reader = createReader({ model: readEnvironment(process.env).settings.reader });
    reader.prepare?.();
    return reader;
  } catch {
    return undefined;
  }
}

/** True if the user has a knowledge base that can be brought up to date. */
export async function hasKnowledgeBase({ kb }: { kb?: string }): Promise<boolean> {
  const settings = await readSettings();
  return (kb === undefined && isOnServer(settings)) || holdsKnowledgeBase(kb ?? folderOf(settings));
}

/** Returns a path that opens from here: documents are listed under the folder that was ingested. */
export function openablePath({
  path,
  absolutePath,
}: Pick<DocumentRecord, "path" | "absolutePath">): string {
  if (absolutePath === undefined || existsSync(path)) return path;
  const near = relative("", absolutePath);
  return near.length < absolutePath.length ? near : absolutePath;
}

const said = new Set<string>();

/** Prints a notice, once per process. */
export function sayNotice(notice: string): void {
  if (said.has(notice)) return;
  said.add(notice);
  say(styleFor(process.stderr).dim(`· ${printable(redactText(notice))}`));
}
