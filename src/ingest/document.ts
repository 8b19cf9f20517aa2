/** What a loader makes of a file, before it is split into passages. */
import type { DocumentKind } from "../retrieval/knowledge-base.js";

/** A piece of a document that belongs together: a paragraph, a list item, a table, a code block, a row. */
export interface Block {
  text: string;
  /** Headings above it, outermost first. Passages never cross from one heading to another. */
  headings: readonly string[];
  /** First line of the block in the source, from 1. The text must then hold the same line breaks as the source. */
  startLine?: number;
  endLine?: number;
  page?: number;
  /** `code` and `table` are kept whole where they fit; `item` and `row` are joined by one line break; everything else by an empty line. */
  form: "paragraph" | "item" | "code" | "table" | "row";
}

export interface LoadedDocument {
  kind: DocumentKind;
  title: string;
  blocks: Block[];
}

/** Why one file could not be read: it is reported, and the others go on. */
export class LoadError extends Error {
  override readonly name = "LoadError";
}

/** A file without text: an empty one, or one of pictures. */
export class EmptyDocumentError extends LoadError {}

export interface LoaderInput {
  bytes: Uint8Array;
  /** Name of the file with its extension, for a title where the document has none. */
  name: string;
}

export type Loader = (input: LoaderInput) => Promise<LoadedDocument>;

/** A title made of a file's name: `getting-started.md` → `getting started`. */
export function titleFromName(name: string): string {
  const stem = name.replace(/\.[a-z0-9]{1,8}$/i, "");
  return stem.replace(/[-_]+/g, " ").trim() || name;
}
