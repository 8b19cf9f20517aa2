/** What the knowledge base held before this run: to tell new from changed from gone. */
import path from "node:path";
import type { DocumentRecord } from "../retrieval/knowledge-base.js";
import { isBelow } from "./targets.js";

export class KnownDocuments {
  private readonly byPath: ReadonlyMap<string, DocumentRecord>;
  private readonly shownByFile = new Map<string, string>();
  private readonly taken = new Set<string>();
  /** Which folder on disk is meant by the first part of shown paths. */
  private readonly bases = new Map<string, string>();
  private readonly seen = new Set<string>();

  constructor(documents: readonly DocumentRecord[]) {
    this.byPath = new Map(documents.map((document) => [document.path, document]));
    for (const { path: shown, absolutePath } of documents)
      if (absolutePath !== undefined) this.name(absolutePath, withoutRecord(shown, absolutePath));
  }

  private name(absolutePath: string, shown: string): void {
    this.shownByFile.set(absolutePath, shown);
    this.taken.add(shown);
    const first = firstPart(shown);
    if (!this.bases.has(first)) this.bases.set(first, baseOf(absolutePath, shown));
  }

  /**
   * Returns the path under which a file is stored: the one it had before, wherever this run was
   * started from; else the one given, made longer by folders above it until it means no other file
   * and its first part no other folder.
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

  /** How a document stands; one that is unchanged counts as seen. */
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

  /** A file that could not be read keeps what is stored of it. */
  keep(absolutePath: string): void {
    for (const document of this.byPath.values())
      if (document.absolutePath === absolutePath) this.seen.add(document.path);
  }

  /** Documents of these files, or below these folders, that were not seen and would have been. */
  gone(
    files: ReadonlySet<string>,
    folders: readonly string[],
    unread: readonly string[] = [],
  ): string[] {
    return [...this.byPath.values()]
      .filter(
        ({ path: shown, absolutePath = "" }) =>
          !this.seen.has(shown) &&
          !isBelowAny(absolutePath, unread) &&
          (files.has(absolutePath) || isBelowAny(absolutePath, folders)),
      )
      .map((document) => document.path);
  }

  /** True when anything is stored from below these folders. */
  anyBelow(folders: readonly string[]): boolean {
    return [...this.byPath.values()].some(({ absolutePath = "" }) =>
      isBelowAny(absolutePath, folders),
    );
  }
}

function isBelowAny(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isBelow(file, folder));
}

function firstPart(shown: string): string {
  return shown.slice(0, shown.indexOf("/") + 1 || undefined);
}

/** Everything above the shown path, and its first part. */
function baseOf(absolutePath: string, shown: string): string {
  return absolutePath.slice(0, absolutePath.length - shown.length) + firstPart(shown);
}

/** The file's part of `corpus.jsonl#17`. */
function withoutRecord(shown: string, absolutePath: string): string {
  const name = path.basename(absolutePath);
  const at = shown.lastIndexOf(`${name}#`);
  return at === -1 ? shown : shown.slice(0, at + name.length);
}
