/** From what the user named to the files that are meant: files, folders, globs. */
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { globMatcher, isGlob } from "../retrieval/search-filter.js";
import { UserError } from "../support/errors.js";
import { isSecretName, whyLeftOut } from "../support/left-out.js";
import { isBelow, requireInside } from "./roots.js";

export interface SourceFile {
  /** Links resolved. */
  absolutePath: string;
  /** As shown to people, with `/`. */
  shownPath: string;
  /** The user named this very file. */
  named: boolean;
}

export interface ResolvedTargets {
  files: SourceFile[];
  /** Folders, links resolved, that were walked: what is known below them and was not seen is gone. */
  folders: string[];
  /** Folders, links resolved, that could not be read: what lies below them may still be there. */
  unread: string[];
  urls: string[];
  /** Left out on purpose, with the reason. */
  skipped: { path: string; reason: string }[];
}

/** Files that are known to hold no text. */
const MEDIA =
  /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|icns|tiff?|heic|svgz?|mp[34]|m4[av]|mov|avi|mkv|webm|wav|flac|ogg|opus|woff2?|ttf|otf|eot|zip|gz|bz2|xz|zst|7z|rar|tar|tgz|jar|war|exe|dll|so|dylib|a|o|obj|class|pyc|wasm|bin|iso|dmg|img|sqlite3?(?:-(?:wal|shm|journal))?|db|parquet|arrow|onnx|safetensors|pt|npy|npz|pkl|lock|map)$/i;

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
  const realRoots = await Promise.all(roots.map((root) => realpath(path.resolve(cwd, root))));
  const found = new Map<string, FoundFile & SourceFile>();
  const folders: string[] = [];
  const urls = new Set<string>();
  const add = (file: FoundFile, from: string, named: boolean): void => {
    if (!found.has(file.real))
      found.set(file.real, {
        ...file,
        absolutePath: file.real,
        shownPath: shownPath(file.path, from, cwd),
        named,
      });
  };
  for (const target of targets) {
    if (/^https?:\/\//i.test(target)) {
      urls.add(target);
      continue;
    }
    if (target.includes("\0")) throw new UserError("A path holds a NUL character");
    const isPattern = isGlob(target) && (await kindOf(path.resolve(cwd, target))) === undefined;
    const absolute = isPattern ? folderOf(target, cwd) : path.resolve(cwd, target);
    // Both ways of writing a root, since the root itself may be reached by a link.
    if (roots.length > 0)
      requireInside(
        absolute,
        [...realRoots, ...roots.map((root) => path.resolve(cwd, root))],
        target,
      );
    const kind = await kindOf(absolute);
    if (kind === undefined && !isPattern)
      throw new UserError(
        `There is no file or folder ${target}`,
        "Check the path; relative paths start at the working directory.",
      );
    if (kind === "other")
      throw new UserError(
        `${target} is neither a file nor a folder`,
        "Name files, folders, globs or URLs.",
      );
    const real = kind === undefined ? absolute : await realpath(absolute);
    requireInside(real, realRoots, target);
    if (kind === "file") {
      add({ path: absolute, real, ...(await namesOf(real)) }, absolute, true);
      continue;
    }
    const matches = isPattern ? globMatcher(withSlashes(path.resolve(cwd, target))) : () => true;
    let matched = 0;
    if (!isPattern) folders.push(real);
    if (kind === "folder")
      for await (const file of walk(absolute, real, leftOut)) {
        if (!matches(withSlashes(file.path))) continue;
        matched++;
        add(file, absolute, false);
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

/** The folder that a glob starts in. */
function folderOf(pattern: string, cwd: string): string {
  const parts = path.resolve(cwd, pattern).split(path.sep);
  return parts.slice(0, parts.findIndex(isGlob)).join(path.sep) || path.sep;
}

type LeftOut = Pick<ResolvedTargets, "skipped" | "unread">;

interface FoundFile {
  path: string;
  real: string;
  /** Which file on which disk, and how many names it has. */
  inode: string;
  names: number;
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
  const names = await readdir(folder).catch((error: unknown) => {
    unread.push(real);
    const why = error instanceof Error ? error.message.slice(0, 100) : "unknown";
    skipped.push({ path: folder, reason: `the folder cannot be read (${why})` });
    return [];
  });
  for (const name of names.sort()) {
    const reason = whyLeftOut(name);
    const file = path.join(folder, name);
    if (reason !== undefined) {
      if (!name.startsWith(".") && isSecretName(name)) skipped.push({ path: file, reason });
      continue;
    }
    const target = await realpath(file).catch(() => undefined);
    const why = target === undefined ? await whyNotThere(file) : whyNotFollowed(target, root);
    if (target === undefined || why !== undefined) {
      skipped.push({ path: file, reason: why ?? "it vanished while ingesting" });
      continue;
    }
    const kind = await kindOf(target);
    if (kind === "folder") yield* walk(file, root, leftOut, [...above, real]);
    else if (kind === "file" && MEDIA.test(name))
      skipped.push({ path: file, reason: "it holds no text (image, sound, archive or program)" });
    else if (kind === "file") yield { path: file, real: target, ...(await namesOf(target)) };
  }
}

async function whyNotThere(file: string): Promise<string> {
  const found = await lstat(file).catch(() => undefined);
  if (found?.isSymbolicLink() === true) return "the link leads nowhere";
  return file.includes("\ufffd") ? "its name is not valid UTF-8" : "it vanished while ingesting";
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
  leftOut: LeftOut,
  isConfined: boolean,
): SourceFile[] {
  const found = new Map<string, number>();
  for (const { inode } of files) found.set(inode, (found.get(inode) ?? 0) + 1);
  return files.flatMap(({ absolutePath, shownPath: shown, named, inode, names }) => {
    if (names <= (found.get(inode) ?? 0) || (named && !isConfined))
      return [{ absolutePath, shownPath: shown, named }];
    leftOut.skipped.push({
      path: absolutePath,
      reason: "it has another name elsewhere (a hard link), which may be one that is left out",
    });
    return [];
  });
}

async function namesOf(file: string): Promise<Pick<FoundFile, "inode" | "names">> {
  const { dev, ino, nlink } = await stat(file);
  return { inode: `${dev}:${ino}`, names: nlink };
}

/** Relative to the working directory where it lies below that, else to the folder above the target. */
function shownPath(file: string, target: string, cwd: string): string {
  const fromCwd = path.relative(cwd, file);
  if (!fromCwd.startsWith("..") && !path.isAbsolute(fromCwd)) return withSlashes(fromCwd);
  return withSlashes(path.relative(path.dirname(target), file));
}

function withSlashes(file: string): string {
  return path.sep === "/" ? file : file.split(path.sep).join("/");
}

async function kindOf(file: string): Promise<"file" | "folder" | "other" | undefined> {
  try {
    const found = await stat(file);
    return found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
  } catch (error) {
    const isForbidden = error instanceof Error && "code" in error && error.code === "EACCES";
    // A link to itself exists, but cannot be followed.
    const exists = await lstat(file).then(
      () => true,
      () => false,
    );
    return exists || isForbidden ? "other" : undefined;
  }
}
