/** What a knowledge base holds, for the command `documents`, the API and the next ingestion. */
import { stat } from "node:fs/promises";
import path from "node:path";
import type {
  DocumentRecord,
  KnowledgeBase,
  Passage,
  WritableKnowledgeBase,
} from "../retrieval/knowledge-base.js";
import type { Filter } from "../settings/filter.js";
import { isGlob, pathMatcher } from "../retrieval/search-filter.js";
import { whyLeftOut } from "../support/plain-file.js";
import { oneLine } from "../text/words.js";
import { isBelow, type ResolvedTargets } from "./targets.js";

export interface DocumentSummary extends Omit<DocumentRecord, "hash"> {
  passages: number;
  /** `changed`, `missing`: the file on disk, since it was ingested. `remote`: a web page. */
  state: "current" | "changed" | "missing" | "remote";
}

/**
 * Lists one page of the matching documents by path, and the total of matches.
 * @param options.words a path, a folder that ends in `/`, a glob, or words of path or title
 */
export async function listDocuments(
  knowledgeBase: KnowledgeBase,
  {
    words = "",
    offset = 0,
    limit = 50,
    filter,
  }: { words?: string; offset?: number; limit?: number; filter?: Filter | undefined } = {},
): Promise<{ total: number; documents: DocumentSummary[] }> {
  const isPath = isGlob(words) || words.endsWith("/") ? pathMatcher(words) : () => false;
  const parts = oneLine(words.normalize("NFC").toLowerCase()).split(" ");
  const found = (await knowledgeBase.documents(filter))
    .filter(({ path: name, title }) => {
      const text = `${name} ${title}`.normalize("NFC").toLowerCase();
      return isPath(name) || parts.every((part) => text.includes(part));
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const page = found.slice(offset, offset + limit);
  const documents = await Promise.all(
    page.map(async (each) => summaryOf(each, await knowledgeBase.passagesOf(each.path))),
  );
  return { total: found.length, documents };
}

async function summaryOf({ hash: _, ...document }: DocumentRecord, passages: readonly Passage[]) {
  return { ...document, passages: passages.length, state: await stateOf(document) };
}

async function stateOf(document: Partial<DocumentRecord>): Promise<DocumentSummary["state"]> {
  if (document.absolutePath === undefined) return "remote";
  const found = await stat(document.absolutePath).catch(() => undefined);
  if (found === undefined) return "missing";
  return found.mtime.toISOString() === document.modifiedAt ? "current" : "changed";
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
  return { document: await summaryOf(document, passages), passages };
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
  const matching = documents.filter((document) => matches(document.path));
  if (matching.length > 0) return matching;
  const absolute = path.resolve(cwd, name);
  return documents.filter(
    ({ absolutePath = "" }) =>
      absolutePath === absolute || absolutePath.startsWith(absolute + path.sep),
  );
}

/** Documents stored before this run, to tell new from changed from gone. */
export class KnownDocuments {
  /** Paths of documents that are still there. */
  readonly seen = new Set<string>();
  private readonly hashes: ReadonlyMap<string, string>;
  private readonly pathByFile = new Map<string, string>();
  private readonly taken = new Set<string>();

  constructor(private readonly documents: readonly DocumentRecord[]) {
    this.hashes = new Map(documents.map((document) => [document.path, document.hash]));
    for (const { path: displayPath, absolutePath } of documents)
      if (absolutePath !== undefined) this.name(absolutePath, displayPath);
  }

  private name(absolutePath: string, displayPath: string): void {
    this.pathByFile.set(absolutePath, displayPath);
    this.taken.add(displayPath);
  }

  /**
   * Returns the path to store a file under: the one it had before, wherever this run was started;
   * else the one given, with as many parent folders as distinguish it from another file's.
   */
  pathFor(absolutePath: string, displayPath: string): string {
    const before = this.pathByFile.get(absolutePath);
    if (before !== undefined) return before;
    const parts = absolutePath.split(path.sep).filter(Boolean);
    let free = displayPath;
    for (let count = displayPath.split("/").length; count < parts.length && this.taken.has(free);)
      free = parts.slice(-(count += 1)).join("/");
    this.name(absolutePath, free);
    return free;
  }

  /** Compares a document with what is stored. */
  state(documentPath: string, hash: string): "new" | "changed" | "unchanged" {
    const before = this.hashes.get(documentPath);
    if (before === undefined) return "new";
    return before === hash ? "unchanged" : "changed";
  }

  /** Keeps what is stored of a file that could not be read. */
  keep(absolutePath: string): void {
    const displayPath = this.pathByFile.get(absolutePath);
    if (displayPath !== undefined) this.seen.add(displayPath);
  }

  /**
   * Returns stored documents of these files, folders and loaders that were not seen again. What a
   * walk of the folder leaves out, such as installed packages, was named by the user and stays.
   */
  gone({
    files,
    loaders,
    folders,
    unread,
  }: Pick<ResolvedTargets, "folders" | "unread"> & {
    files: ReadonlySet<string>;
    loaders: readonly string[];
  }): string[] {
    const isGone = ({ path: shown, absolutePath: file, metadata }: DocumentRecord): boolean => {
      if (this.seen.has(shown)) return false;
      if (file === undefined) return loaders.includes(String(metadata?.["loader"]));
      const isWalked = (folder: string): boolean =>
        isBelow(file, folder) && whyLeftOut(path.relative(folder, file)) === undefined;
      const isMeant = files.has(file) || folders.some(isWalked);
      return isMeant && !unread.some((folder) => isBelow(file, folder));
    };
    return this.documents.filter(isGone).map((document) => document.path);
  }

  /** True if anything is stored from below these folders. */
  anyBelow(folders: readonly string[]): boolean {
    return this.documents.some(({ absolutePath = "" }) =>
      folders.some((folder) => isBelow(absolutePath, folder)),
    );
  }
}
