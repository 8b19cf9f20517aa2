/** `documents` of the CLI and the API: what a knowledge base holds, and why something is missing. */
import { mkdir, readFile, realpath, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type {
  DocumentRecord,
  KnowledgeBase,
  Passage,
  WritableKnowledgeBase,
} from "../retrieval/knowledge-base.js";
import type { KnowledgeBaseView } from "../retrieval/view.js";
import type { Filter } from "../settings/filter.js";
import { isGlob, pathMatcher } from "../retrieval/search-filter.js";
import { whyLeftOut } from "../support/plain-file.js";
import { oneLine } from "../text/one-line.js";

export interface DocumentSummary extends Omit<DocumentRecord, "hash"> {
  passages: number;
  /** `changed`, `missing`: the file on disk, since it was ingested. `remote`: a web page. */
  state: "current" | "changed" | "missing" | "remote";
}

/**
 * Lists one page of the matching documents by path, and the total of matches.
 * @param options.filter a path, a folder that ends in `/`, a glob, or words of path or title
 * @param options.passing a filter in the language of filters
 */
export async function listDocuments(
  knowledgeBase: KnowledgeBase,
  {
    filter = "",
    offset = 0,
    limit = 50,
    passing,
  }: { filter?: string; offset?: number; limit?: number; passing?: Filter | undefined } = {},
): Promise<{ total: number; documents: DocumentSummary[] }> {
  const isPath = isGlob(filter) || filter.endsWith("/") ? pathMatcher(filter) : () => false;
  const words = oneLine(filter.normalize("NFC").toLowerCase()).split(" ");
  const found = (await knowledgeBase.documents(passing))
    .filter(({ path: shown, title }) => {
      const text = `${shown} ${title}`.normalize("NFC").toLowerCase();
      return isPath(shown) || words.every((word) => text.includes(word));
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
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
}: Omit<DocumentRecord, "hash">): Promise<DocumentSummary["state"]> {
  if (absolutePath === undefined) return "remote";
  const found = await stat(absolutePath).catch(() => undefined);
  if (found === undefined) return "missing";
  return found.mtime.toISOString() === modifiedAt ? "current" : "changed";
}

/** Returns a document with its passages; undefined for an unknown one. */
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

/** Removes documents by path, folder or glob; `unknown` are targets that match nothing. */
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

/** Matches shown paths, folders and globs of them; else paths on disk. */
function documentsNamed(
  name: string,
  documents: readonly DocumentRecord[],
  cwd: string,
): DocumentRecord[] {
  // An unset shell variable must not mean everything below the working directory.
  if (name.trim() === "") return [];
  // A document called "*.md" is meant alone.
  const exact = documents.find((document) => document.path === name);
  if (exact !== undefined) return [exact];
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

/** Explains why a file is, or is not, in the knowledge base. */
export async function whyNot(
  knowledgeBase: KnowledgeBase | KnowledgeBaseView,
  file: string,
  { log = {}, cwd = process.cwd() }: { log?: IngestLog; cwd?: string } = {},
): Promise<WhyNot> {
  const hides = "hasPermissions" in knowledgeBase && (await knowledgeBase.hasPermissions());
  const named = path.resolve(cwd, file);
  const real = await realpath(named).catch(() => undefined);
  const places = [named, real ?? named];
  const record = (await knowledgeBase.documents()).find(
    ({ path: shown, absolutePath = "" }) =>
      shown.normalize("NFC") === file.normalize("NFC") || places.includes(absolutePath),
  );
  const noted = places.map((place) => log[place]).find((entry) => entry !== undefined);
  const document = record && (await summaryOf(knowledgeBase, record));
  const answer = (status: WhyNot["status"], reason: string): WhyNot => ({
    status,
    reason: `${reason}.`,
    ...(document && { document }),
  });
  // The disk and the log would tell of a file that this caller may not see.
  if (document === undefined && hides)
    return answer("missing", "There is no such document among those that you may see");
  if (noted?.state === "failed") {
    const told = `on ${noted.at.slice(0, 10)}: ${noted.reason}`;
    if (document === undefined) return answer("failed", `It could not be read ${told}`);
    return answer("failed", `An older version is stored; reading the file failed ${told}`);
  }
  if (document?.state === "changed")
    return answer("changed", "It has changed since it was ingested: run ingest again");
  if (document?.state === "missing") return answer("missing", "It is stored, but the file is gone");
  if (document !== undefined) return answer("stored", `It is stored as ${document.path}`);
  if (noted !== undefined) return answer("left_out", `It was left out: ${noted.reason}`);
  if (real === undefined) return answer("missing", "There is no such file");
  const rule = whyLeftOut(path.relative(cwd, real)) ?? whyLeftOut(path.basename(real));
  if (rule !== undefined) return answer("left_out", `It is left out of folders: ${rule}`);
  return answer("not_ingested", `It was never ingested: run ingest ${file}`);
}

/** A file or page that did not become a document. */
export interface NotTaken {
  path: string;
  reason: string;
}

/** Counts items by reason, the most frequent first. */
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

/** Files that were not ingested, by absolute path; kept beside a knowledge base. */
export type IngestLog = z.infer<typeof logSchema>;

export const LOG_FILE = "not-ingested.json";
/** Older entries are dropped. */
const MAX_ENTRIES = 5_000;

/** Returns an empty log where there is none, or none that can be read. */
export async function readIngestLog(directory: string): Promise<IngestLog> {
  try {
    return logSchema.parse(JSON.parse(await readFile(path.join(directory, LOG_FILE), "utf8")));
  } catch {
    return {};
  }
}

/** Logs what a run left out, and forgets files that it read. A failure to write is ignored. */
export async function noteIngestion(
  directory: string,
  run: {
    seen: readonly { absolutePath: string }[];
    failed: readonly NotTaken[];
    left_out: readonly NotTaken[];
  },
): Promise<void> {
  const at = new Date().toISOString();
  const log = new Map(Object.entries(await readIngestLog(directory)));
  const before = log.size;
  for (const { absolutePath } of run.seen) log.delete(absolutePath);
  for (const state of ["left_out", "failed"] as const)
    for (const { path: file, reason } of run[state])
      log.set(path.resolve(file), { state, reason, at });
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
