/** From what the user named to the files that are meant: files, folders, globs. */
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { DATABASE_FILE } from "../retrieval/sqlite/database.js";
import { globMatcher, isGlob } from "../retrieval/search-filter.js";
import { UserError } from "../support/errors.js";
import { isSecretName, whyLeftOut } from "../support/plain-file.js";
import { isWebAddress } from "../support/web-address.js";
import { LOG_FILE, type NotTaken } from "./documents.js";

export interface SourceFile {
  /** Links resolved. */
  absolutePath: string;
  /** As shown to people, with `/`. */
  shownPath: string;
  /** The user named this very file. */
  named: boolean;
}

interface ResolvedTargets {
  files: SourceFile[];
  /** Folders that were walked: what is known below them and was not seen is gone. */
  folders: string[];
  /** Folders that could not be read: what lies below them may still be there. */
  unread: string[];
  urls: string[];
  /** Left out on purpose, with the reason. */
  skipped: NotTaken[];
}

type LeftOut = Pick<ResolvedTargets, "unread" | "skipped">;

/** Extensions of files that are known to hold no text. */
const MEDIA = new Set(
  [
    "png jpg jpeg gif webp avif bmp ico icns tif tiff heic svg svgz woff woff2 ttf otf eot",
    "mp3 mp4 m4a m4v mov avi mkv webm wav flac ogg opus",
    "zip gz bz2 xz zst 7z rar tar tgz jar war iso dmg img",
    "exe dll so dylib a o obj class pyc wasm bin lock map",
    "sqlite sqlite3 sqlite-wal sqlite-shm sqlite-journal sqlite3-wal sqlite3-shm sqlite3-journal",
    "db parquet arrow onnx safetensors pt npy npz pkl",
  ].flatMap((line) => line.split(" ").map((extension) => `.${extension}`)),
);

/**
 * Finds the files. Folders are walked in a fixed order; links are followed inside the folder only,
 * and no file comes twice.
 * @param roots absolute folders out of which no target may lead; none for a user at the terminal
 * @throws UserError for a path that does not exist or is not allowed, and for a glob without match
 */
export async function resolveTargets(
  targets: readonly string[],
  cwd: string,
  roots: readonly string[] = [],
): Promise<ResolvedTargets> {
  const leftOut: LeftOut = { unread: [], skipped: [] };
  const namedRoots = roots.map((root) => path.resolve(cwd, root));
  const realRoots = await Promise.all(namedRoots.map((root) => realpath(root)));
  const found = new Map<string, FoundFile & SourceFile>();
  const folders: string[] = [];
  const urls = new Set<string>();
  const add = (file: FoundFile, from: string, named: boolean): void => {
    const shown = shownPath(file.path, from, cwd);
    if (!found.has(file.real))
      found.set(file.real, { ...file, absolutePath: file.real, shownPath: shown, named });
  };
  for (const target of targets) {
    if (isWebAddress(target)) {
      urls.add(target);
      continue;
    }
    if (target.trim() === "")
      throw new UserError("one of the paths is empty", "Name files, folders, globs or URLs.");
    if (target.includes("\0")) throw new UserError("A path holds a NUL character");
    const named = path.resolve(cwd, target);
    const isPattern = isGlob(target) && (await lookAt(named)) === undefined;
    const start = isPattern ? startOf(named) : named;
    // Both ways of writing a root, since the root itself may be reached by a link.
    requireInside(start, [...realRoots, ...namedRoots], target);
    const seen = await lookAt(start);
    if (seen === undefined && !isPattern)
      throw new UserError(
        `There is no file or folder ${target}`,
        "Check the path; relative paths start at the working directory.",
      );
    if (seen?.kind === "other")
      throw new UserError(
        `${target} is neither a file nor a folder`,
        "Name files, folders, globs or URLs.",
      );
    const real = seen === undefined ? start : await realpath(start);
    requireInside(real, realRoots, target);
    if (seen?.kind === "file") {
      add({ ...seen, path: start, real }, start, true);
      continue;
    }
    if (!isPattern) folders.push(real);
    const matches = isPattern ? globMatcher(withSlashes(named)) : () => true;
    let matched = 0;
    if (seen?.kind === "folder")
      for await (const file of walk(start, real, leftOut)) {
        if (!matches(withSlashes(file.path))) continue;
        matched++;
        add(file, start, false);
      }
    if (isPattern && matched === 0)
      throw new UserError(
        `Nothing matches ${target}`,
        "Quote the glob, and check the folder that it starts in.",
      );
  }
  const files = withoutForeignNames([...found.values()], leftOut, roots.length > 0);
  return { files, folders, urls: [...urls], ...leftOut };
}

/**
 * Refuses a path that lies in none of the roots, and one that is hidden, installed or secret.
 * Compares paths and nothing else, so that it tells nobody what exists outside: a path is checked
 * as it was named before the disk is touched, and once more with its links resolved.
 * @param roots absolute; none means that every path is allowed
 * @throws UserError
 */
export function requireInside(file: string, roots: readonly string[], shown = file): void {
  if (roots.length === 0) return;
  const root = roots.find((each) => each === file || isBelow(file, each));
  if (root === undefined)
    throw new UserError(
      `${shown} lies outside of the folders that may be ingested`,
      "Name a folder in CRAG_INDEX_ROOTS, or run ingest on the command line.",
    );
  const reason = whyLeftOut(path.relative(root, file));
  if (reason !== undefined) throw new UserError(`${shown} is not ingested: ${reason}`);
}

/** True for a path below a folder; both absolute, links resolved. */
export function isBelow(file: string, folder: string): boolean {
  return file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

/** The folder that a glob starts in. */
function startOf(pattern: string): string {
  const parts = pattern.split(path.sep);
  return parts.slice(0, parts.findIndex(isGlob)).join(path.sep) || path.sep;
}

interface FoundFile extends Seen {
  path: string;
  real: string;
}

/** Depth first, names in order. `root` is the real path out of which no link may lead. */
async function* walk(
  folder: string,
  root: string,
  leftOut: LeftOut,
  above: readonly string[] = [],
): AsyncGenerator<FoundFile> {
  const { skipped, unread } = leftOut;
  const real = await realpath(folder);
  if (above.includes(real)) return;
  const names = await readdir(folder).catch((error: unknown): string[] => {
    unread.push(real);
    const why = error instanceof Error ? error.message.slice(0, 100) : "unknown";
    skipped.push({ path: folder, reason: `the folder cannot be read (${why})` });
    return [];
  });
  // The agent's own folder, where it lies among the documents, holds none.
  const own: readonly string[] = names.includes(DATABASE_FILE) ? OWN_FILES : [];
  for (const name of names.sort()) {
    if (own.includes(name)) continue;
    const hidden = whyLeftOut(name);
    const file = path.join(folder, name);
    if (hidden !== undefined) {
      if (!name.startsWith(".") && isSecretName(name)) skipped.push({ path: file, reason: hidden });
      continue;
    }
    const target = await realpath(file).catch(() => undefined);
    const reason = target === undefined ? await whyNotThere(file) : whyNotFollowed(target, root);
    if (target === undefined || reason !== undefined) {
      skipped.push({ path: file, reason: reason ?? VANISHED });
      continue;
    }
    const seen = await lookAt(target);
    if (seen?.kind === "folder") yield* walk(file, root, leftOut, [...above, real]);
    else if (seen?.kind === "file" && MEDIA.has(path.extname(name).toLowerCase()))
      skipped.push({ path: file, reason: "it holds no text (image, sound, archive or program)" });
    else if (seen?.kind === "file") yield { ...seen, path: file, real: target };
  }
}

/** What the folder of a knowledge base holds: `--kb` may put it among the documents. */
const OWN_FILES = [
  DATABASE_FILE,
  `${DATABASE_FILE}-shm`,
  `${DATABASE_FILE}-wal`,
  LOG_FILE,
  "made-of.json",
  "uploads",
];

const VANISHED = "it vanished while ingesting";

async function whyNotThere(file: string): Promise<string> {
  const found = await lstat(file).catch(() => undefined);
  if (found?.isSymbolicLink() === true) return "the link leads nowhere";
  return file.includes("\ufffd") ? "its name is not valid UTF-8" : VANISHED;
}

function whyNotFollowed(target: string, root: string): string | undefined {
  if (target !== root && !isBelow(target, root)) return "the link leads out of the folder";
  const reason = whyLeftOut(path.relative(root, target));
  return reason === undefined ? undefined : `the link leads to what is left out: ${reason}`;
}

/**
 * A hard link may be the second name of a file that is left out. So a file with several names is
 * taken only where all of them were found, or where the user named it.
 */
function withoutForeignNames(
  files: readonly (FoundFile & SourceFile)[],
  { skipped }: LeftOut,
  isConfined: boolean,
): SourceFile[] {
  const found = new Map<string, number>();
  for (const { inode } of files) found.set(inode, (found.get(inode) ?? 0) + 1);
  return files.filter(({ absolutePath, named, inode, names }) => {
    if (names <= (found.get(inode) ?? 0) || (named && !isConfined)) return true;
    const reason = "it has another name elsewhere (a hard link), which may be one that is left out";
    skipped.push({ path: absolutePath, reason });
    return false;
  });
}

/**
 * Relative to the working directory where it lies below that, else to the folder above the target.
 */
function shownPath(file: string, target: string, cwd: string): string {
  const fromCwd = path.relative(cwd, file);
  const isOutside = fromCwd.startsWith("..") || path.isAbsolute(fromCwd);
  return withSlashes(isOutside ? path.relative(path.dirname(target), file) : fromCwd);
}

function withSlashes(file: string): string {
  return file.split(path.sep).join("/");
}

interface Seen {
  kind: "file" | "folder" | "other";
  /** Which file on which disk, and how many names it has. */
  inode: string;
  names: number;
}

/** Undefined where there is nothing. */
async function lookAt(file: string): Promise<Seen | undefined> {
  try {
    const found = await stat(file);
    const kind = found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
    return { kind, inode: `${found.dev}:${found.ino}`, names: found.nlink };
  } catch (error) {
    const isForbidden = error instanceof Error && "code" in error && error.code === "EACCES";
    // A link to itself exists, but cannot be followed.
    const isThere = (await lstat(file).catch(() => undefined)) !== undefined;
    return isThere || isForbidden ? { kind: "other", inode: file, names: 1 } : undefined;
  }
}
