/**
 * The text of an indexed document by lines, of the file itself where that is text, else of its
 * passages; and pieces of it as evidence.
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
import type { Evidence } from "../state/evidence.js";
import { isRecord } from "../support/is-record.js";
import { isSecretName, PlainFileError, readPlainFile } from "../support/plain-file.js";
import { decodeText, NotTextError } from "../text/decode-text.js";
import {
  evidenceId,
  makeEvidence,
  MAX_EVIDENCE_CHARACTERS,
  nearestFirst,
  sourceOf,
  type FoundBy,
} from "./make-evidence.js";

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
  const named = requested.trim().normalize("NFC");
  const path = named.startsWith("./") ? named.slice(2) : named;
  // Some systems write "ü" in a file's name as two characters.
  const pathOf = (document: DocumentRecord): string => document.path.normalize("NFC");
  const exact = documents.find((document) => pathOf(document) === path);
  if (exact !== undefined) return exact;
  const ending = path === "" ? [] : documents.filter((it) => pathOf(it).endsWith(`/${path}`));
  const [only, second] = ending;
  if (only !== undefined && second === undefined) return only;
  const near = nearestFirst(documents, (each) => `${each.path} ${each.title}`, path);
  const meant =
    only === undefined ? near.flatMap(({ item, score }) => (score > 0 ? [item] : [])) : ending;
  const names = meant
    .slice(0, 5)
    .map((document) => document.path)
    .join(", ");
  if (only !== undefined) throw new PathRefusedError(path, `is not unique: ${names}`);
  const hint = names === "" ? "" : `; like it: ${names}`;
  throw new PathRefusedError(path, `is not in the knowledge base${hint}`);
}

/** @throws PathRefusedError when the file must not or cannot be read */
export async function documentLines(
  document: DocumentRecord,
  { knowledgeBase, signal }: { knowledgeBase: KnowledgeBase; signal?: AbortSignal },
): Promise<DocumentLine[]> {
  const { path, absolutePath, kind } = document;
  const text =
    absolutePath === undefined || !PLAIN.has(kind)
      ? undefined
      : await readText(path, absolutePath, signal);
  if (text === undefined) return linesOfPassages(await knowledgeBase.passagesOf(path));
  return text.split("\n").map((line, index) => ({ text: line, line: index + 1 }));
}

/** Undefined where what was ingested is all that may be shown. */
async function readText(
  path: string,
  absolutePath: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (isSecretName(absolutePath)) throw new PathRefusedError(path, "may hold secrets");
  try {
    const file = await readPlainFile(absolutePath, { maxBytes: MAX_FILE_BYTES, signal });
    // Another name of the file may be a secret's.
    return file.names === 1 ? decodeText(file.bytes) : undefined;
  } catch (error) {
    if (error instanceof PlainFileError || error instanceof NotTextError)
      throw new PathRefusedError(path, `cannot be read: ${error.message}`);
    signal?.throwIfAborted();
    const isGone = isRecord(error) && error["code"] === "ENOENT";
    const reason = isGone ? "is no longer there" : "cannot be opened";
    throw new PathRefusedError(path, `${reason}: run ingest again`);
  }
}

/** Passages may overlap by some lines: a line that was there already is left out. */
function linesOfPassages(passages: readonly Passage[]): DocumentLine[] {
  let last = 0;
  return passages.flatMap(({ text, startLine, page }) =>
    text.split("\n").flatMap((text, index): DocumentLine[] => {
      if (startLine === undefined) return [{ text, page }];
      const line = startLine + index;
      if (line <= last) return [];
      last = line;
      return [{ text, page, line }];
    }),
  );
}

/** Positions in a list of lines, the last one included. */
export interface Window {
  from: number;
  to: number;
}

/** Splits a window at line ends into pieces of evidence; a line that is too long is one. */
export function piecesOf(lines: readonly DocumentLine[], { from, to }: Window): Window[] {
  const pieces: Window[] = [];
  let length = 0;
  for (let at = from; at <= to; at += 1) {
    const added = (lines[at]?.text.length ?? 0) + 1;
    const last = pieces.at(-1);
    if (last === undefined || length + added > MAX_EVIDENCE_CHARACTERS) {
      pieces.push({ from: at, to: at });
      length = added;
    } else {
      last.to = at;
      length += added;
    }
  }
  return pieces;
}

/** Its id is of place and text, so that the same lines found twice are one piece of evidence. */
export function evidenceFromLines(
  { path, kind, title, modifiedAt }: DocumentRecord,
  lines: readonly DocumentLine[],
  { from, to }: Window,
  by: FoundBy,
): Evidence {
  const text = lines
    .slice(from, to + 1)
    .map((line) => line.text)
    .join("\n");
  const { line: startLine, page } = lines[from] ?? {};
  const source = sourceOf({ path, kind, modifiedAt, startLine, endLine: lines[to]?.line, page });
  const id = evidenceId("lines", path, `${from}-${to}`, text);
  return makeEvidence({ id, text, title, source }, by);
}
