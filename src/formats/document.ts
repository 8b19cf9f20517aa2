/** Loaders and their failures. */
import type { Metadata } from "../state/metadata.js";
import { codeOf, CorrectiveRagError } from "../support/errors.js";
import { oneLine } from "../text/words.js";
import type { Block } from "../text/block.js";

export interface LoadedFile {
  title?: string | undefined;
  blocks: Block[];
  metadata?: Metadata | undefined;
  /** What of the file was not read, and why. */
  note?: string | undefined;
}

/**
 * @param ending with its dot, in lower case
 * @param loadFile reads a file that is attached to this one
 */
export type Loader = (
  bytes: Uint8Array,
  ending: string,
  loadFile: (name: string, bytes: Uint8Array) => Promise<LoadedFile>,
) => Promise<LoadedFile>;

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

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "it may not be read (permission denied)",
  EPERM: "it may not be read (permission denied)",
  ENOENT: "it vanished while ingesting",
  EMFILE: "too many files are open: raise the limit with `ulimit -n`",
};

export function whyUnread(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return REASONS[codeOf(error)] ?? (oneLine(message, 200) || "it could not be read");
}

/** A larger file is reported as failed. */
export const MAX_FILE_BYTES = 200_000_000;

/** Characters that one file may unpack to: a few bytes can repeat a text endlessly. */
const MAX_TEXT = 50_000_000;

/** @throws LoadError for more text than any book has */
export function requireSaneLength(characters: number): void {
  if (characters > MAX_TEXT) throw new LoadError("it unpacks to too much text");
}
