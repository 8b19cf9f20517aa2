import path from "node:path";
import type { DocumentRecord } from "../retrieval/knowledge-base.js";
import { whyLeftOut } from "../support/plain-file.js";
import { isBelow } from "./targets.js";

/** Documents stored before this run, to tell new from changed from gone. */
export class KnownDocuments {
  private readonly byPath: ReadonlyMap<string, DocumentRecord>;
  private readonly shownByFile = new Map<string, string>();
  private readonly taken = new Set<string>();
  /** The folder on disk behind each first part of shown paths. */
  private readonly bases = new Map<string, string>();
  private readonly seen = new Set<string>();

  constructor(documents: readonly DocumentRecord[]) {
    this.byPath = new Map(documents.map((document) => [document.path, document]));
    for (const { path: shown, absolutePath } of documents)
      if (absolutePath !== undefined) this.name(absolutePath, shown);
  }

  private name(absolutePath: string, shown: string): void {
    this.shownByFile.set(absolutePath, shown);
    this.taken.add(shown);
    const first = firstPart(shown);
    if (!this.bases.has(first)) this.bases.set(first, baseOf(absolutePath, shown));
  }

  /**
   * Returns the path to store a file under: the one it had before, wherever this run was started;
   * else the one given, prefixed with parent folders until neither it nor its first part means
   * something else.
   */
  pathFor(absolutePath: string, shown: string): string {
    const before = this.shownByFile.get(absolutePath);
    if (before !== undefined) return before;
    let candidate = shown;
    const above = absolutePath
      .slice(0, Math.max(0, absolutePath.length - shown.length))
      .split(path.sep)
      .filter(Boolean);
    for (let folder = above.pop(); folder !== undefined; folder = above.pop()) {
      const meant = this.bases.get(firstPart(candidate));
      const isOwn = meant === undefined || meant === baseOf(absolutePath, candidate);
      if (isOwn && !this.taken.has(candidate)) break;
      candidate = `${folder}/${candidate}`;
    }
    this.name(absolutePath, candidate);
    return candidate;
  }

  /** Compares a document with what is stored; an unchanged one counts as seen. */
  state(documentPath: string, hash: string): "new" | "changed" | "unchanged" {
    const before = this.byPath.get(documentPath);
    if (before === undefined) return "new";
    if (before.hash !== hash) return "changed";
    this.see(documentPath);
    return "unchanged";
  }

  /** Notes that a document is still there. */
  see(documentPath: string): void {
    this.seen.add(documentPath);
  }

  /** Keeps what is stored of a file that could not be read. */
  keep(absolutePath: string): void {
    for (const document of this.byPath.values())
      if (document.absolutePath === absolutePath) this.seen.add(document.path);
  }

  /**
   * Returns stored documents of these files and folders that were not seen again. What a walk of the
   * folder leaves out, such as installed packages, was named by the user and stays.
   */
  gone(
    files: ReadonlySet<string>,
    folders: readonly string[],
    unread: readonly string[] = [],
  ): string[] {
    const isGone = ({ path: shown, absolutePath = "" }: DocumentRecord): boolean =>
      !this.seen.has(shown) &&
      !isBelowAny(absolutePath, unread) &&
      (files.has(absolutePath) || folders.some((folder) => isWalked(absolutePath, folder)));
    return [...this.byPath.values()].filter(isGone).map((document) => document.path);
  }

  /** True if anything is stored from below these folders. */
  anyBelow(folders: readonly string[]): boolean {
    return [...this.byPath.values()].some(({ absolutePath = "" }) =>
      isBelowAny(absolutePath, folders),
    );
  }
}

function isBelowAny(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isBelow(file, folder));
}

function isWalked(file: string, folder: string): boolean {
  return isBelow(file, folder) && whyLeftOut(path.relative(folder, file)) === undefined;
}

function firstPart(shown: string): string {
  return shown.slice(0, shown.indexOf("/") + 1 || undefined);
}

/** Returns everything above the shown path, and its first part. */
function baseOf(absolutePath: string, shown: string): string {
  return absolutePath.slice(0, absolutePath.length - shown.length) + firstPart(shown);
}
