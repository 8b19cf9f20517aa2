/** What a loader makes of a file, before it is split into passages. */
import { isRecord } from "../support/is-record.js";
import { oneLine } from "../text/one-line.js";
import type { Block } from "../text/block.js";

/** Reads a file's title, where it has one, and its text. */
export type Loader = (bytes: Uint8Array) => Promise<{ title?: string; blocks: Block[] }>;

/** Why one file could not be read: it is reported, and the others go on. */
export class LoadError extends Error {
  override readonly name = "LoadError";
  constructor(
    message: string,
    /**
     * `empty`: without text, or of pictures alone. `unknown`: a kind that is not read, which in a
     * folder is left out, and an error by name.
     */
    readonly kind: "empty" | "unknown" | "unreadable" = "unreadable",
  ) {
    super(message);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "it may not be read (permission denied)",
  EPERM: "it may not be read (permission denied)",
  ENOENT: "it vanished while ingesting",
  EMFILE: "too many files are open: raise the limit with `ulimit -n`",
};

/** One line for people. */
export function whyUnread(error: unknown): string {
  const code = isRecord(error) ? String(error["code"]) : "";
  const message = error instanceof Error ? error.message : String(error);
  return REASONS[code] ?? (oneLine(message, 200) || "it could not be read");
}

/** Characters of text that one file may give: a few bytes can repeat a text without end. */
const MAX_TEXT = 50_000_000;

/** @throws LoadError for a document that unpacks to more text than any book has */
export function requireSaneLength(characters: number): void {
  if (characters > MAX_TEXT) throw new LoadError("it unpacks to too much text");
}
