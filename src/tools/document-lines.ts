/**
 * The text of an indexed document by lines: of the file itself where that is text, else of its
 * passages.
 *
 * A planner may be a model that was talked into asking for `../../etc/passwd`. So a path is never
 * resolved against a folder: it is looked up among the indexed documents, and what is opened is
 * the path that ingestion stored, with links resolved. Meanwhile the file may have become a link,
 * a device, another name of a secret, or huge; that is looked at on the opened file itself.
 */
import type {
  DocumentKind,
  DocumentRecord,
  KnowledgeBase,
  Passage,
} from "../retrieval/knowledge-base.js";
import { isSecretName } from "../support/left-out.js";
import { PlainFileError, readPlainFile, type PlainFile } from "../support/read-plain-file.js";
import { decodeText, NotTextError } from "../text/decode-text.js";

/** Why a path is not read. The message is for people and models alike. */
export class PathRefusedError extends Error {
  override readonly name = "PathRefusedError";
  constructor(path: string, reason: string) {
    super(`"${path.slice(0, 100)}" ${reason}`);
  }
}

/** One line with its place. */
export interface DocumentLine {
  text: string;
  /** From 1; absent where the document has pages or no lines of its own. */
  line?: number;
  page?: number;
}

const MAX_FILE_BYTES = 5_000_000;

/** Read as they are, so that line numbers are an editor's. A CSV line needs its header. */
const PLAIN: ReadonlySet<DocumentKind> = new Set(["markdown", "text", "json"]);

/**
 * Returns the indexed document that a requested path means: the path as it is shown, or a file
 * name or end of a path that only one document has.
 * @throws PathRefusedError when it is not indexed or not unique
 */
export function resolveIndexed(
  requested: string,
  documents: readonly DocumentRecord[],
): DocumentRecord {
  const path = requested.trim().replace(/^\.\//, "").normalize("NFC");
  const exact = documents.find((document) => document.path === path);
  if (exact !== undefined) return exact;
  const ending =
    path === "" ? [] : documents.filter((document) => document.path.endsWith(`/${path}`));
  const [only, second] = ending;
  if (only === undefined) throw new PathRefusedError(path, "is not in the knowledge base");
  if (second === undefined) return only;
  const all = ending.slice(0, 5).map((document) => document.path);
  throw new PathRefusedError(path, `is not unique: ${all.join(", ")}`);
}

/** @throws PathRefusedError when the file must not or cannot be read */
export async function documentLines(
  document: DocumentRecord,
  {
    knowledgeBase,
    maxBytes = MAX_FILE_BYTES,
    signal,
  }: { knowledgeBase: KnowledgeBase; maxBytes?: number; signal?: AbortSignal },
): Promise<DocumentLine[]> {
  const { path, absolutePath, kind } = document;
  if (absolutePath !== undefined && PLAIN.has(kind) && !isCorpusRecord(document)) {
    const file = await readIndexed(path, absolutePath, { maxBytes, signal });
    // Another name of the file may be a secret's: then what was ingested is all that is shown.
    if (file.names === 1) {
      const lines = decoded(path, file.bytes)
        .replace(/^\uFEFF/, "")
        .split("\n");
      return lines.map((text, index) => ({ text, line: index + 1 }));
    }
  }
  return linesOfPassages(await knowledgeBase.passagesOf(path));
}

/** A record of a corpus is one line of a file that holds all of them: the file is not its text. */
function isCorpusRecord({ path, absolutePath = "" }: DocumentRecord): boolean {
  const corpus = /\.(?:jsonl|ndjson)$/iu;
  return corpus.test(absolutePath) && !corpus.test(path);
}

async function readIndexed(
  path: string,
  absolutePath: string,
  options: { maxBytes: number; signal: AbortSignal | undefined },
): Promise<PlainFile> {
  if (isSecretName(absolutePath)) throw new PathRefusedError(path, "may hold secrets");
  try {
    return await readPlainFile(absolutePath, options);
  } catch (error) {
    if (error instanceof PlainFileError)
      throw new PathRefusedError(path, `cannot be read: ${error.message}`);
    options.signal?.throwIfAborted();
    const isGone =
      typeof error === "object" && error !== null && "code" in error && error.code === "ENOENT";
    const reason = isGone ? "is no longer there" : "cannot be opened";
    throw new PathRefusedError(path, `${reason}: run ingest again`);
  }
}

/** In the encoding in which it was indexed. */
function decoded(path: string, bytes: Uint8Array): string {
  try {
    return decodeText(bytes);
  } catch (error) {
    if (error instanceof NotTextError)
      throw new PathRefusedError(path, `cannot be read: ${error.message}`);
    throw error;
  }
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
