/** The text of an indexed document by lines: of the file itself where that is text, else of its passages. */
import type {
  DocumentKind,
  DocumentRecord,
  KnowledgeBase,
  Passage,
} from "../retrieval/knowledge-base.js";
import { readIndexedFile } from "./path-guard.js";

/** One line with its place. */
export interface DocumentLine {
  text: string;
  /** From 1; absent where the document has pages or no lines of its own. */
  line?: number;
  page?: number;
}

export const MAX_FILE_BYTES = 5_000_000;

/** Kinds whose files are read as they are, so that line numbers are those of an editor. A line of CSV says nothing without the header. */
const PLAIN: ReadonlySet<DocumentKind> = new Set(["markdown", "text", "json"]);

/** @throws PathRefusedError when the file must not or cannot be read */
export async function documentLines(
  document: DocumentRecord,
  {
    knowledgeBase,
    maxBytes = MAX_FILE_BYTES,
    signal,
  }: { knowledgeBase: KnowledgeBase; maxBytes?: number; signal?: AbortSignal },
): Promise<DocumentLine[]> {
  if (
    document.absolutePath !== undefined &&
    PLAIN.has(document.kind) &&
    !isCorpusRecord(document)
  ) {
    const text = await readIndexedFile(document, { maxBytes, ...(signal && { signal }) });
    return text
      .replace(/^\uFEFF/, "")
      .split(/\r\n|\n|\r/)
      .map((line, index) => ({ text: line, line: index + 1 }));
  }
  return linesOfPassages(await knowledgeBase.passagesOf(document.path));
}

/** A record of a corpus is one line of a file that holds all of them: the file is not its text. */
function isCorpusRecord({ path, absolutePath = "" }: DocumentRecord): boolean {
  const corpus = /\.(?:jsonl|ndjson)$/iu;
  return corpus.test(absolutePath) && !corpus.test(path);
}

/** Passages may overlap by some lines: a line that was there already is left out. */
function linesOfPassages(passages: readonly Passage[]): DocumentLine[] {
  const lines: DocumentLine[] = [];
  let last = 0;
  for (const { text, startLine, page } of passages) {
    text.split("\n").forEach((line, index) => {
      const number = startLine === undefined ? undefined : startLine + index;
      if (number !== undefined && number <= last) return;
      if (number !== undefined) last = number;
      lines.push({
        text: line,
        ...(number === undefined ? {} : { line: number }),
        ...(page === undefined ? {} : { page }),
      });
    });
  }
  return lines;
}
