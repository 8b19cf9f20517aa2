/** Resolves what the user named (files, folders, globs, URLs) to the files to read. */
import { readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { DATABASE_FILE } from "../retrieval/sqlite/database.js";
import { globMatcher, isGlob } from "../retrieval/search-filter.js";
import { kindOfFile } from "../formats/document-formats.js";
import { UserError } from "../support/errors.js";
import { isSecretName, whyLeftOut } from "../support/plain-file.js";
import { isWebAddress } from "../support/web-address.js";
import { whyUnread } from "../formats/document.js";
import { FOLDER_METADATA } from "../formats/metadata.js";
import type { NotTaken } from "./report.js";

export interface SourceFile {
  /** With links resolved. */
  absolutePath: string;
  /** As shown to people, with `/`. */
  displayPath: string;
  /** The user named this very file. */
  named: boolean;
}

export interface ResolvedTargets {
  files: SourceFile[];
  /** Folders that were walked: documents stored from below them and not seen again are gone. */
  folders: string[];
  /** Folders that were not read, or not completely: documents stored from below them are kept. */
  unread: string[];
  urls: string[];
  /** Left out on purpose. */
  skipped: NotTaken[];
}

type LeftOut = Pick<ResolvedTargets, "unread" | "skipped">;

/** Extensions of files without text. */
const MEDIA = new Set(
  [
    "png jpg jpeg gif webp avif bmp ico icns heic svg svgz woff woff2 ttf otf eot",
    "mp3 mp4 m4a m4v mov avi mkv webm wav flac ogg opus",
    "zip gz bz2 xz zst 7z rar tar tgz jar war iso dmg img",
    "exe dll so dylib a o obj class pyc wasm bin lock map",
    "sqlite sqlite3 sqlite-wal sqlite-shm sqlite-journal sqlite3-wal sqlite3-shm sqlite3-journal",
    "db parquet arrow onnx safetensors pt npy npz pkl",
  ].flatMap((line) => line.split(" ").map((extension) => `.${extension}`)),
);

/** Recognizes images, sound, archives, programs and databases by their endings. */
export function whyNoText(file: string): string | undefined {
  if (!MEDIA.has(path.extname(file).toLowerCase())) return undefined;
  return kindOfFile(file) === "image"
    ? "an image is read only if you name it"
    : "it holds no text (image, sound, archive or program)";
}

/**
 * Finds the files. Folders are walked in a fixed order, and no file comes twice.
 * @param roots absolute folders that no target may leave; none for a user at the terminal
 * @throws UserError for a path that does not exist or is not allowed, and for a glob without a
 * match
 */
export async function resolveTargets(
  targets: readonly string[],
  cwd: string,
  roots: readonly string[] = [],
): Promise<ResolvedTargets> {
  const leftOut: LeftOut = { unread: [], skipped: [] };
  const namedRoots = roots.map((root) => path.resolve(cwd, root));
  const realRoots = await Promise.all(namedRoots.map((root) => realpath(root)));
  const found = new Map<string, SourceFile>();
  const folders: string[] = [];
  const urls = new Set<string>();
  const add = ({ path: file, absolutePath }: FoundFile, start: string, named: boolean): void => {
    const displayPath = displayPathOf(file, start, cwd);
    if (!found.has(absolutePath)) found.set(absolutePath, { absolutePath, displayPath, named });
  };
  for (const target of targets) {
    if (isAddress(target)) {
      urls.add(target);
      continue;
    }
    if (target.trim() === "")
      throw new UserError("one of the paths is empty", "name files, folders, globs or URLs");
    if (target.includes("\0")) throw new UserError("a path holds a NUL character");
    const named = path.resolve(cwd, target);
    const lookAt = (file: string) => stat(file).catch(() => undefined);
    const isPattern = isGlob(target) && (await lookAt(named)) === undefined;
    const { start, pattern } = isPattern ? partsOfGlob(target, cwd) : { start: named };
    // A root may itself be reached by a link, so both ways of writing it count.
    requireInside(start, [...realRoots, ...namedRoots], target);
    const seen = await lookAt(start);
    const isReadable = seen?.isFile() === true || seen?.isDirectory() === true;
    if (!isReadable && (seen !== undefined || pattern === undefined))
      throw new UserError(
        `there is no file or folder ${target} that can be read`,
        "check the path and its permissions; relative paths start at the working directory",
      );
    const real = seen === undefined ? start : await realpath(start);
    requireInside(real, realRoots, target);
    if (seen?.isFile()) {
      add({ path: start, absolutePath: real }, start, true);
      continue;
    }
    if (pattern === undefined) folders.push(real);
    const matches = pattern === undefined ? () => true : globMatcher(pattern);
    let matched = 0;
    if (seen !== undefined)
      for await (const file of walk(start, real, leftOut)) {
        if (!matches(withSlashes(path.relative(start, file.path)))) continue;
        matched++;
        const name = path.basename(file.path);
        if (FOLDER_METADATA.includes(name)) continue;
        const isMeant = FOLDER_METADATA.includes(name.toLowerCase());
        const reason = isMeant ? "only small letters describe a folder" : whyNoText(file.path);
        if (reason !== undefined) leftOut.skipped.push({ path: file.path, reason });
        else add(file, start, false);
      }
    if (pattern !== undefined && matched === 0)
      throw new UserError(
        `nothing matches ${target}`,
        "quote the glob, and check the folder that it starts in",
      );
  }
  const skipped = [...new Map(leftOut.skipped.map((each) => [each.path, each])).values()];
  return { files: [...found.values()], folders, urls: [...urls], unread: leftOut.unread, skipped };
}

/** Returns the files and folders in which these targets may change; addresses have none. */
export function watchedPaths(targets: readonly string[], cwd: string): string[] {
  return targets
    .filter((target) => !isAddress(target))
    .map((target) => (isGlob(target) ? partsOfGlob(target, cwd).start : path.resolve(cwd, target)));
}

const SITEMAP = "sitemap:";

export function isSitemap(target: string): boolean {
  return target.startsWith(SITEMAP);
}

/** Returns the address that a target names, itself or as that of a sitemap. */
export function addressIn(target: string): string {
  return isSitemap(target) ? target.slice(SITEMAP.length) : target;
}

function isAddress(target: string): boolean {
  return isWebAddress(addressIn(target));
}

/**
 * Refuses a path outside of all roots, and one that is hidden, installed or secret. Compares paths
 * only, so that it reveals nothing about what exists outside: a path is checked as it was named
 * before the disk is touched, and again with its links resolved.
 * @param roots absolute; none means that every path is allowed
 * @throws UserError
 */
export function requireInside(file: string, roots: readonly string[], displayPath = file): void {
  if (roots.length === 0) return;
  const root = roots.find((each) => each === file || isBelow(file, each));
  if (root === undefined)
    throw new UserError(
      `${displayPath} lies outside of the folders that may be ingested`,
      "name a folder in CRAG_INDEX_ROOTS, or run ingest on the command line",
    );
  const reason = whyLeftOut(path.relative(root, file));
  if (reason !== undefined) throw new UserError(`${displayPath} is not ingested: ${reason}`);
}

/** True for a path below a folder; both absolute, with links resolved. */
export function isBelow(file: string, folder: string): boolean {
  return file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

/** Splits a glob into the folder that it starts in and the pattern below that folder. */
function partsOfGlob(target: string, cwd: string): { start: string; pattern: string } {
  const parts = path.normalize(target).split(path.sep);
  const first = parts.findIndex(isGlob);
  const start = parts.slice(0, first).map((part) => part + path.sep);
  return { start: path.resolve(cwd, start.join("")), pattern: parts.slice(first).join("/") };
}

interface FoundFile {
  path: string;
  /** With links resolved. */
  absolutePath: string;
}

/**
 * Walks depth first, names in order. Links are not followed: one that stays inside the folder
 * leads to what is found where it lies, and the others lead out.
 * @param real the folder with links resolved
 */
async function* walk(folder: string, real: string, leftOut: LeftOut): AsyncGenerator<FoundFile> {
  const { skipped, unread } = leftOut;
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    unread.push(real);
    skipped.push({ path: folder, reason: `the folder cannot be read: ${whyUnread(error)}` });
    return [];
  });
  const isBase = entries.some(({ name }) => name === DATABASE_FILE);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const { name } = entry;
    const [file, absolutePath] = [path.join(folder, name), path.join(real, name)];
    const hidden = whyLeftOut(name);
    // Uploads are documents that this walk does not see, not ones that are gone.
    if (isBase && STORE_FILES.includes(name)) unread.push(absolutePath);
    else if (hidden !== undefined) {
      if (!name.startsWith(".") && isSecretName(name)) skipped.push({ path: file, reason: hidden });
    } else if (name.includes("\ufffd"))
      skipped.push({ path: file, reason: "its name is not valid UTF-8" });
    else if (entry.isSymbolicLink()) skipped.push({ path: file, reason: "a link is not followed" });
    else if (entry.isDirectory()) yield* walk(file, absolutePath, leftOut);
    else if (entry.isFile()) yield { path: file, absolutePath };
  }
}

/** Files of a knowledge base: `--kb` may put its folder among the documents. */
const DATABASE_FILES = ["", "-shm", "-wal"].map((ending) => DATABASE_FILE + ending);
const STORE_FILES = [...DATABASE_FILES, "made-of.json", "uploads"];

/** Relative to the working directory if it lies below, else to the folder above the target. */
function displayPathOf(file: string, target: string, cwd: string): string {
  const fromCwd = path.relative(cwd, file);
  const isOutside = fromCwd.startsWith("..") || path.isAbsolute(fromCwd);
  return withSlashes(isOutside ? path.relative(path.dirname(target), file) : fromCwd);
}

function withSlashes(file: string): string {
  return file.split(path.sep).join("/");
}
