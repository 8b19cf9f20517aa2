/**
 * Makes folders, recognizes files that are never documents (hidden, installed, secret), and reads
 * the others safely: no link, no pipe, no device, no more bytes than allowed.
 */
import { accessSync, constants, lstatSync, mkdirSync, statSync } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { CorrectiveRagError } from "./errors.js";

const FOLDERS = new Set(["node_modules", "__pycache__", "bower_components"]);

/** Usual names of files with keys and passwords. */
const SECRET =
  /^(?:\.env.*|.*\.env|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|gpg)|id_[^.]*(?:\.pub)?)$/i;

/**
 * Returns why a path is left out, if it is, judged by each of its parts.
 * @param relativePath below the folder that the user named, with `/` or `\`
 */
export function whyLeftOut(relativePath: string): string | undefined {
  const parts = relativePath.split(/[/\\]/);
  if (parts.some((part) => FOLDERS.has(part))) return "it lies in a folder of installed packages";
  if (isSecretName(relativePath)) return "it may hold secrets";
  if (parts.some((part) => part.startsWith(".") && part !== "." && part !== ".."))
    return "it is hidden";
  return undefined;
}

/** True for a file that holds keys or passwords by its name. */
export function isSecretName(file: string): boolean {
  return SECRET.test(file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1));
}

interface PlainFile {
  bytes: Uint8Array;
  modifiedAt: Date;
}

/** The reason why a file is not read, as a clause: `it is not a regular file`. */
class PlainFileError extends CorrectiveRagError {
  override readonly name = "PlainFileError";
  constructor(message: string) {
    super(message, { code: "unreadable_file" });
  }
}

/**
 * Reads a whole file.
 * @param file path with links resolved; a link in its place is refused
 * @throws PlainFileError for anything but a regular file of up to `maxBytes`
 */
export async function readPlainFile(
  file: string,
  { maxBytes, signal }: { maxBytes: number; signal?: AbortSignal | undefined },
): Promise<PlainFile> {
  await requireNoLink(file);
  // O_NONBLOCK: do not wait for the writer of a named pipe. O_NOFOLLOW: the file may have become a
  // link since it was checked.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const opened = await handle.stat();
    const there = await stat(file);
    await requireNoLink(file);
    if (!opened.isFile()) throw new PlainFileError("it is not a regular file");
    if (opened.ino !== there.ino || opened.dev !== there.dev)
      throw new PlainFileError("it was replaced while it was opened");
    if (opened.size > maxBytes) throw new PlainFileError(`it is larger than ${inUnits(maxBytes)}`);
    signal?.throwIfAborted();
    const chunks: Buffer[] = [];
    // The file may grow while it is read.
    const content: AsyncIterable<Buffer> = handle.createReadStream({
      end: maxBytes - 1,
      autoClose: false,
      signal,
    });
    for await (const chunk of content) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks), modifiedAt: opened.mtime };
  } finally {
    await handle.close();
  }
}

/** Refuses a link, be it the file itself or a folder above it; checked again once it is open. */
async function requireNoLink(file: string): Promise<void> {
  if ((await realpath(file)) !== file)
    throw new PlainFileError("it has become a link that leads elsewhere");
}

function inUnits(bytes: number): string {
  return bytes >= 1_000_000 ? `${Math.round(bytes / 1_000_000)} MB` : `${bytes} bytes`;
}

/**
 * Makes a folder and its parents. `mkdirSync(path, { recursive: true })` never returns if the file
 * system refuses new folders with ENOENT, as `/proc` does.
 * @throws the system's error
 */
export function makeFolder(path: string): void {
  const folder = resolve(path);
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

/**
 * Checks that a file can be written or made, without opening it; makes its folder.
 * @throws the system's error, or PlainFileError for anything but a file or a link to one
 */
export function requireWritableFile(path: string): void {
  makeFolder(dirname(path));
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isFile() === false) throw new PlainFileError("it is not a regular file");
  // Another process may have made the file meanwhile.
  if (!there && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new PlainFileError("it is a link that leads nowhere");
  accessSync(there === undefined ? dirname(path) : path, constants.W_OK);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
