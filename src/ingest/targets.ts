/** From what the user named to the files that are meant: files, folders, globs. */
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { UserError } from "../settings/user-error.js";
import { globToRegExp, isGlob } from "../retrieval/glob.js";

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
  /** Folders, links resolved, that could not be read: what is known below them is not gone because it was not seen. */
  unread: string[];
  urls: string[];
  /** Left out on purpose, with the reason, e.g. links out of the folder. */
  skipped: { path: string; reason: string }[];
}

/** Folders that hold no documents of the user's. Whatever begins with a dot is left out as well. */
const SKIPPED_FOLDERS = new Set(["node_modules", "__pycache__", "bower_components"]);

/** Files that are known to hold no text; in a folder they are passed over in silence, by name they are an error. */
const MEDIA =
  /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|icns|tiff?|heic|svgz?|mp[34]|m4[av]|mov|avi|mkv|webm|wav|flac|ogg|opus|woff2?|ttf|otf|eot|zip|gz|bz2|xz|zst|7z|rar|tar|tgz|jar|war|exe|dll|so|dylib|a|o|obj|class|pyc|wasm|bin|iso|dmg|img|sqlite3?(?:-(?:wal|shm|journal))?|db|parquet|arrow|onnx|safetensors|pt|npy|npz|pkl|lock|map)$/i;

/**
 * Finds the files. Folders are walked in a fixed order; links are followed inside the folder only, and no file comes twice.
 * @throws UserError for a path that does not exist and for a glob that matches nothing
 */
export async function resolveTargets(
  targets: readonly string[],
  cwd: string,
): Promise<ResolvedTargets> {
  const found: ResolvedTargets = { files: [], folders: [], unread: [], urls: [], skipped: [] };
  const seen = new Set<string>();
  const add = (file: SourceFile): void => {
    if (seen.has(file.absolutePath)) return;
    seen.add(file.absolutePath);
    found.files.push(file);
  };
  for (const target of targets) {
    if (/^https?:\/\//i.test(target)) {
      if (!found.urls.includes(target)) found.urls.push(target);
      continue;
    }
    if (target.includes("\0")) throw new UserError("A path holds a NUL character");
    const absolute = path.resolve(cwd, target);
    const kind = await kindOf(absolute);
    if (kind === "file")
      add({
        absolutePath: await realpath(absolute),
        shownPath: shownPath(absolute, absolute, cwd),
        named: true,
      });
    else if (kind === "folder") {
      const root = await realpath(absolute);
      found.folders.push(root);
      for await (const file of walk(absolute, root, found)) {
        add({
          absolutePath: file.real,
          shownPath: shownPath(file.path, absolute, cwd),
          named: false,
        });
      }
    } else if (kind === "other") {
      throw new UserError(
        `${target} is neither a file nor a folder`,
        "Name files, folders, globs or URLs.",
      );
    } else if (isGlob(target)) {
      for (const file of await globFiles(target, cwd, found)) add(file);
    } else {
      throw new UserError(
        `There is no file or folder ${target}`,
        "Check the path; relative paths start at the working directory.",
      );
    }
  }
  return found;
}

type LeftOut = Pick<ResolvedTargets, "skipped" | "unread">;

async function globFiles(pattern: string, cwd: string, leftOut: LeftOut): Promise<SourceFile[]> {
  const parts = path.resolve(cwd, pattern).split(path.sep);
  const base = parts.slice(0, parts.findIndex(isGlob)).join(path.sep) || path.sep;
  const expression = globToRegExp(parts.join("/"));
  const files: SourceFile[] = [];
  if ((await kindOf(base)) === "folder") {
    for await (const file of walk(base, await realpath(base), leftOut)) {
      if (!expression.test(withSlashes(file.path))) continue;
      files.push({
        absolutePath: file.real,
        shownPath: shownPath(file.path, base, cwd),
        named: false,
      });
    }
  }
  if (files.length === 0)
    throw new UserError(
      `Nothing matches ${pattern}`,
      "Quote the glob, and check the folder that it starts in.",
    );
  return files;
}

/** Depth first, names in order. `root` is the real path out of which no link may lead. */
async function* walk(
  folder: string,
  root: string,
  leftOut: LeftOut,
  above: readonly string[] = [],
): AsyncGenerator<{ path: string; real: string }> {
  const { skipped, unread } = leftOut;
  const real = await realpath(folder);
  if (above.includes(real)) return;
  const names = await readdir(folder).catch((error: unknown) => {
    unread.push(real);
    skipped.push({
      path: folder,
      reason: `the folder cannot be read (${error instanceof Error ? error.message.slice(0, 100) : "unknown"})`,
    });
    return [];
  });
  for (const name of names.sort()) {
    if (name.startsWith(".") || SKIPPED_FOLDERS.has(name)) continue;
    const file = path.join(folder, name);
    const target = await realpath(file).catch(() => undefined);
    if (target === undefined) {
      skipped.push({ path: file, reason: await whyNotThere(file) });
      continue;
    }
    if (target !== root && !isBelow(target, root)) {
      skipped.push({ path: file, reason: "the link leads out of the folder" });
      continue;
    }
    const kind = await kindOf(target);
    if (kind === "folder") yield* walk(file, root, leftOut, [...above, real]);
    else if (kind === "file" && !MEDIA.test(name)) yield { path: file, real: target };
  }
}

async function whyNotThere(file: string): Promise<string> {
  const found = await lstat(file).catch(() => undefined);
  if (found?.isSymbolicLink() === true) return "the link leads nowhere";
  return file.includes("\ufffd") ? "its name is not valid UTF-8" : "it vanished while ingesting";
}

/** Whether a path lies below a folder; both absolute, links resolved. */
export function isBelow(file: string, folder: string): boolean {
  return file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
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
    // A link to itself exists, but cannot be followed.
    if (
      await lstat(file).then(
        () => true,
        () => false,
      )
    )
      return "other";
    if (error instanceof Error && "code" in error && error.code === "EACCES") return "other";
    return undefined;
  }
}
