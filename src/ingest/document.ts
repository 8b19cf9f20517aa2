/** Loaders and their failures. */
import { KnowledgeBaseError } from "../retrieval/knowledge-base.js";
import type { Metadata } from "../state/metadata.js";
import { CorrectiveRagError } from "../support/errors.js";
import { isRecord } from "../support/is-record.js";
import { oneLine } from "../text/one-line.js";
import type { Block } from "../text/block.js";

/** What a loader reads of a file. */
export interface LoadedFile {
  title?: string | undefined;
  blocks: Block[];
  metadata?: Metadata | undefined;
  /** What of the file was not read, and why. */
  note?: string | undefined;
}

/** @param ending with its dot, in lower case */
export type Loader = (bytes: Uint8Array, ending: string) => Promise<LoadedFile>;

/** A file that cannot be read: it is reported, and the others go on. */
export class LoadError extends CorrectiveRagError {
  override readonly name = "LoadError";
  constructor(
    message: string,
    /**
     * Skipped in a folder, an error if named: `empty`, without text, and `unknown`, a format that
     * is not read.
     */
    readonly kind: "empty" | "unknown" | "unreadable" = "unreadable",
  ) {
    super(message, { code: "load" });
  }
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

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "it may not be read (permission denied)",
  EPERM: "it may not be read (permission denied)",
  ENOENT: "it vanished while ingesting",
  EMFILE: "too many files are open: raise the limit with `ulimit -n`",
};

/** Returns one line for people. */
export function whyUnread(error: unknown): string {
  const code = isRecord(error) ? String(error["code"]) : "";
  const message = error instanceof Error ? error.message : String(error);
  return REASONS[code] ?? (oneLine(message, 200) || "it could not be read");
}

/** Returns what names the failure of a store that threw an error of its own. */
export function failStoring(signal: AbortSignal | undefined): (cause: unknown) => never {
  return (cause) => {
    if (cause instanceof KnowledgeBaseError || signal?.aborted === true) throw cause;
    const hint = "What was stored before stays; run ingest again.";
    throw new KnowledgeBaseError(`Storing documents failed: ${whyUnread(cause)}`, hint, { cause });
  };
}

/** Characters that one file may unpack to: a few bytes can repeat a text endlessly. */
const MAX_TEXT = 50_000_000;

/** @throws LoadError for more text than any book has */
export function requireSaneLength(characters: number): void {
  if (characters > MAX_TEXT) throw new LoadError("it unpacks to too much text");
}
