/**
 * What may be read from disk: files that were indexed, as they were indexed, and nothing else.
 *
 * A planner may be a model that was talked into asking for `../../etc/passwd`. So a requested path is never resolved against a folder: it is
 * compared with the list of indexed documents, and the path that is opened is the one that ingestion stored, with links resolved. Between
 * ingestion and now the file may have become a link, a device or something huge; that is looked at on the opened file itself.
 */
import { constants } from "node:fs";
import { open, realpath, stat, type FileHandle } from "node:fs/promises";
import type { DocumentRecord } from "../retrieval/knowledge-base.js";
import { decodeText, NotTextError } from "../text/decode-text.js";

/** Why a path is not read. The message is for people and models alike. */
export class PathRefusedError extends Error {
  override readonly name = "PathRefusedError";
}

const MAX_PATH_CHARACTERS = 1_000;

/**
 * The indexed document that a requested path means: the path as it is shown, or a file name or end of a path that only one document has.
 * @throws PathRefusedError when the path points elsewhere, is not indexed, or is not unique
 */
export function resolveIndexed(
  requested: string,
  documents: readonly DocumentRecord[],
): DocumentRecord {
  const path = checkedPath(requested);
  const exact = documents.find((document) => document.path === path);
  if (exact) return exact;
  const ending = documents.filter((document) => document.path.endsWith(`/${path}`));
  const [only] = ending;
  if (only && ending.length === 1) return only;
  if (only)
    throw new PathRefusedError(
      `${shown(path)} is not unique: ${ending
        .slice(0, 5)
        .map((document) => document.path)
        .join(", ")}`,
    );
  throw new PathRefusedError(`${shown(path)} is not in the knowledge base`);
}

/** Refuses what could lead out of the knowledge base in any reading, encoded or not, with a message that names the reason. */
function checkedPath(requested: string): string {
  if (requested.trim() === "") throw new PathRefusedError("a path is needed");
  if (requested.length > MAX_PATH_CHARACTERS) throw new PathRefusedError("the path is too long");
  let path = requested.trim().replace(/^\.\//, "");
  for (const reading of readings(path)) {
    if (/\p{Cc}/u.test(reading)) throw new PathRefusedError("the path holds a control character");
    if (reading.split(/[/\\]/).includes(".."))
      throw new PathRefusedError(`${shown(path)} leads out of the knowledge base`);
    if (/^(?:[/\\~]|[a-z]:[/\\]|file:)/i.test(reading))
      throw new PathRefusedError(
        `${shown(path)} is absolute: only paths within the knowledge base are read`,
      );
  }
  path = path.normalize("NFC");
  return path;
}

/** The path as it stands, decoded once and twice, and with look-alikes of dots and slashes made plain. */
function readings(path: string): string[] {
  const once = decoded(path);
  const all = [path, once, decoded(once)];
  return [...all, ...all.map((reading) => reading.normalize("NFKC"))];
}

function decoded(path: string): string {
  // %c0%af and %u2215 are no valid encodings, which is what makes them useful for hiding.
  const plain = path.replace(/%c0%af|%c1%9c|%u2215|%u2216/gi, "/").replace(/%c0%ae|%u002e/gi, ".");
  return plain.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function shown(path: string): string {
  return `"${path.slice(0, 100)}"`;
}

/**
 * Reads an indexed file. Nothing is read unless it is still the very file that was indexed: no link, no device, not larger than `maxBytes`.
 * @throws PathRefusedError with the reason
 */
export async function readIndexedFile(
  document: DocumentRecord,
  { maxBytes, signal }: { maxBytes: number; signal?: AbortSignal },
): Promise<string> {
  const { absolutePath, path } = document;
  if (absolutePath === undefined)
    throw new PathRefusedError(`${shown(path)} is not a file on this machine`);
  let real: string;
  try {
    real = await realpath(absolutePath);
  } catch {
    throw new PathRefusedError(`${shown(path)} is no longer there: run ingest again`);
  }
  if (real !== absolutePath)
    throw new PathRefusedError(
      `${shown(path)} has become a link that leads elsewhere since it was indexed`,
    );
  // A named pipe would wait for a writer without O_NONBLOCK; O_NOFOLLOW closes the gap between looking and opening.
  const file = await openPlain(absolutePath, path);
  try {
    const opened = await file.stat();
    const there = await stat(absolutePath);
    if (!opened.isFile()) throw new PathRefusedError(`${shown(path)} is not a regular file`);
    if (opened.ino !== there.ino || opened.dev !== there.dev)
      throw new PathRefusedError(`${shown(path)} was replaced while it was opened`);
    if (opened.size > maxBytes)
      throw new PathRefusedError(
        `${shown(path)} is too large: ${opened.size} bytes, at most ${maxBytes} are read`,
      );
    signal?.throwIfAborted();
    return textOf(await upTo(file, { size: opened.size, maxBytes }), path);
  } finally {
    await file.close();
  }
}

async function openPlain(absolutePath: string, path: string): Promise<FileHandle> {
  try {
    return await open(
      absolutePath,
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
  } catch (error) {
    throw new PathRefusedError(
      `${shown(path)} cannot be opened (${error instanceof Error && "code" in error ? String(error.code) : "failed"})`,
    );
  }
}

/** In the encoding in which it was indexed. */
function textOf(bytes: Uint8Array, path: string): string {
  try {
    return decodeText(bytes);
  } catch (error) {
    if (error instanceof NotTextError)
      throw new PathRefusedError(`${shown(path)} cannot be read: ${error.message}`);
    throw error;
  }
}

/**
 * A file that grows while it is read ends at the limit.
 * @param size as it was when the file was opened: one byte more is asked for, so that the first reading tells the end
 */
async function upTo(
  file: FileHandle,
  { size, maxBytes }: { size: number; maxBytes: number },
): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < maxBytes) {
    const asked = Math.min(total > size ? MORE : size + 1 - total, maxBytes - total);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(asked), 0);
    chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
    if (bytesRead === 0 || total === size) break;
  }
  return Buffer.concat(chunks);
}

/** Bytes that are asked for at a time of what a file has grown by. */
const MORE = 65_536;
