/**
 * When a log has grown over its limit it is renamed to `<path>.<time>-<pid>` and a new one begins; the newest of the old ones are kept. The
 * name is unique, so that two processes that rotate at once lose nothing.
 */
import { readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Puts the file at a path aside.
 * @param ino of the file that has grown over its limit: another one at the path stays
 * @param keep old files that are kept, the newest
 */
export async function rotate({
  path,
  ino,
  keep,
}: {
  path: string;
  ino: number;
  keep: number;
}): Promise<void> {
  const time = new Date().toISOString().replace(/[:.]/g, "-");
  try {
    // Another process may have rotated while we wrote: then the path names a new, small file, which stays, or nothing yet.
    if ((await stat(path)).ino !== ino) return;
    await rename(path, `${path}.${time}-${process.pid}`);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw error;
  }
  const old = await rotatedFiles(path);
  await Promise.all(
    old.slice(0, Math.max(0, old.length - keep)).map((file) => unlink(file).catch(() => undefined)),
  );
}

/** The rotated files of a log, oldest first. */
export async function rotatedFiles(path: string): Promise<string[]> {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  const names = await readdir(folder).catch(() => []);
  return names
    .filter(
      (name) => name.startsWith(prefix) && /^\d{4}-\d{2}-\d{2}T/.test(name.slice(prefix.length)),
    )
    .sort()
    .map((name) => join(folder, name));
}
