/**
 * What is in a knowledge base, and why something is not: behind the CLI's and the API's
 * `documents`.
 */
import { mkdir, readFile, realpath, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type {
  DocumentRecord,
  KnowledgeBase,
  Passage,
  WritableKnowledgeBase,
} from "../retrieval/knowledge-base.js";
import { isGlob, pathMatcher } from "../retrieval/search-filter.js";
import { whyLeftOut } from "../support/plain-file.js";
import { oneLine } from "../text/one-line.js";

/**
 * `current`: as it was ingested. `changed`: the file was changed since. `missing`: the file is
 * gone. `remote`: a web page, which is looked at when it is ingested again.
 */
type DocumentState = "current" | "changed" | "missing" | "remote";

export interface DocumentSummary extends Omit<DocumentRecord, "hash"> {
  passages: number;
  state: DocumentState;
}

interface DocumentList {
  /** Documents that match, of which `documents` is one page. */
  total: number;
  documents: DocumentSummary[];
}

/**
 * Lists documents by path.
 * @param filter a path, a folder that ends in `/`, a glob, or words of path or title
 */
export async function listDocuments(
  knowledgeBase: KnowledgeBase,
  { filter = "", offset = 0, limit = 50 } = {},
): Promise<DocumentList> {
  const isPath = isGlob(filter) || filter.endsWith("/") ? pathMatcher(filter) : () => false;
  const words = oneLine(filter.toLowerCase()).split(" ");
  const found = (await knowledgeBase.documents())
    .filter(({ path: shown, title }) => {
      const text = `${shown} ${title}`.toLowerCase();
      return isPath(shown) || words.every((word) => text.includes(word));
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const page = found.slice(offset, offset + limit);
  const documents = await Promise.all(page.map((document) => summaryOf(knowledgeBase, document)));
  return { total: found.length, documents };
}

async function summaryOf(
  knowledgeBase: KnowledgeBase,
  { hash: _hash, ...document }: DocumentRecord,
): Promise<DocumentSummary> {
  const passages = (await knowledgeBase.passagesOf(document.path)).length;
  return { ...document, passages, state: await stateOf(document) };
}

async function stateOf({
  absolutePath,
  modifiedAt,
}: Pick<DocumentRecord, "absolutePath" | "modifiedAt">): Promise<DocumentState> {
  if (absolutePath === undefined) return "remote";
  const found = await stat(absolutePath).catch(() => undefined);
  if (found === undefined) return "missing";
  return found.mtime.toISOString() === modifiedAt ? "current" : "changed";
}

/** Returns a document with its passages; undefined for one that is not there. */
export async function showDocument(
  knowledgeBase: KnowledgeBase,
  file: string,
  { cwd = process.cwd() } = {},
): Promise<{ document: DocumentSummary; passages: Passage[] } | undefined> {
  const [document] = documentsNamed(file, await knowledgeBase.documents(), cwd);
  if (document === undefined) return undefined;
  const passages = await knowledgeBase.passagesOf(document.path);
  return { document: await summaryOf(knowledgeBase, document), passages };
}

/** Removes documents by path, folder or glob; tells which targets meant none. */
export async function removeDocuments(
  knowledgeBase: WritableKnowledgeBase,
  targets: readonly string[],
  { cwd = process.cwd() } = {},
): Promise<{ removed: string[]; unknown: string[] }> {
  const documents = await knowledgeBase.documents();
  const meant = targets.map((target) => documentsNamed(target, documents, cwd));
  const removed = [...new Set(meant.flat().map((document) => document.path))];
  if (removed.length > 0) await knowledgeBase.remove(removed);
  return { removed, unknown: targets.filter((_, index) => meant[index]?.length === 0) };
}

/** By the path as it is shown, a folder or a glob of such paths, or a file's place on disk. */
function documentsNamed(
  name: string,
  documents: readonly DocumentRecord[],
  cwd: string,
): DocumentRecord[] {
  // A variable of the shell that is not set would mean the working directory with all below it.
  if (name.trim() === "") return [];
  const matches = pathMatcher(name);
  const shown = documents.filter((document) => matches(document.path));
  if (shown.length > 0) return shown;
  const absolute = path.resolve(cwd, name);
  return documents.filter(
    ({ absolutePath = "" }) =>
      absolutePath === absolute || absolutePath.startsWith(absolute + path.sep),
  );
}

export interface WhyNot {
  status: "stored" | "changed" | "failed" | "left_out" | "not_ingested" | "missing";
  /** One sentence for people. */
  reason: string;
  document?: DocumentSummary;
}

/** Tells why a file is, or is not, in the knowledge base. */
export async function whyNot(
  knowledgeBase: KnowledgeBase,
  file: string,
  { log = {}, cwd = process.cwd() }: { log?: IngestLog; cwd?: string } = {},
): Promise<WhyNot> {
  const named = path.resolve(cwd, file);
  const real = await realpath(named).catch(() => undefined);
  const places = [named, real ?? named];
  const record = (await knowledgeBase.documents()).find(
    ({ path: shown, absolutePath = "" }) => shown === file || places.includes(absolutePath),
  );
  const noted = places.map((place) => log[place]).find((entry) => entry !== undefined);
  if (record !== undefined) {
    const document = await summaryOf(knowledgeBase, record);
    if (noted?.state === "failed") {
      const when = noted.at.slice(0, 10);
      const reason = `An older version is stored; reading it failed on ${when}: ${noted.reason}.`;
      return { status: "failed", reason, document };
    }
    if (document.state === "changed")
      return { status: "changed", reason: "It was changed since: run ingest again.", document };
    if (document.state === "missing")
      return { status: "missing", reason: "It is stored, but the file is gone.", document };
    return { status: "stored", reason: `It is stored as ${document.path}.`, document };
  }
  if (noted?.state === "failed")
    return { status: "failed", reason: `It could not be read: ${noted.reason}.` };
  if (noted !== undefined)
    return { status: "left_out", reason: `It was left out: ${noted.reason}.` };
  if (real === undefined) return { status: "missing", reason: "There is no such file." };
  const rule = whyLeftOut(path.relative(cwd, real)) ?? whyLeftOut(path.basename(real));
  if (rule !== undefined)
    return { status: "left_out", reason: `It is left out of folders: ${rule}.` };
  return { status: "not_ingested", reason: `It was never ingested: run ingest ${file}.` };
}

/** Something that did not become a document, and why. */
export interface NotTaken {
  /** As it was named or found. */
  path: string;
  reason: string;
}

/** Counts what was not taken by its reason, the most frequent first. */
export function countByReason(items: readonly NotTaken[]): { reason: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { reason } of items) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => ({ reason, count }))
    .toSorted((a, b) => b.count - a.count);
}

const logSchema = z.record(
  z.string(),
  z.object({ state: z.enum(["failed", "left_out"]), reason: z.string(), at: z.iso.datetime() }),
);

/** Beside a knowledge base: which files were not taken, and why, by absolute path. */
export type IngestLog = z.infer<typeof logSchema>;

export const LOG_FILE = "not-ingested.json";
/** The newest are kept. */
const MAX_ENTRIES = 5_000;

/** Returns nothing where there is no log, or one that cannot be read. */
export async function readIngestLog(directory: string): Promise<IngestLog> {
  try {
    return logSchema.parse(JSON.parse(await readFile(path.join(directory, LOG_FILE), "utf8")));
  } catch {
    return {};
  }
}

/** Notes what a run left, and forgets the files that it took. A failure to write is passed over. */
export async function noteIngestion(
  directory: string,
  run: {
    seen: readonly { absolutePath: string }[];
    failed: readonly NotTaken[];
    skipped: readonly NotTaken[];
  },
): Promise<void> {
  const at = new Date().toISOString();
  const log = new Map(Object.entries(await readIngestLog(directory)));
  const before = log.size;
  for (const { absolutePath } of run.seen) log.delete(absolutePath);
  for (const { path: file, reason } of run.skipped)
    log.set(path.resolve(file), { state: "left_out", reason, at });
  for (const { path: file, reason } of run.failed)
    log.set(path.resolve(file), { state: "failed", reason, at });
  if (log.size === 0 && before === 0) return;
  const draft = path.join(directory, `${LOG_FILE}.${process.pid}.tmp`);
  const kept = JSON.stringify(Object.fromEntries([...log].slice(-MAX_ENTRIES)), undefined, 1);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(draft, kept, { mode: 0o600 });
    await rename(draft, path.join(directory, LOG_FILE));
  } catch {
    return;
  }
}
