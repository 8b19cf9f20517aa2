/** Keeps a knowledge base in step: runs again when files change, or at intervals. */
import { existsSync, realpathSync, statSync, watch, type FSWatcher } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { FOLDER_METADATA } from "../formats/metadata.js";
import { codeOf } from "../support/errors.js";
import { whyLeftOut } from "../support/plain-file.js";
import { whyNoText } from "./targets.js";

/** Programs write a file in several steps. */
const SETTLE_IN_MS = 500;

interface WatchOptions {
  signal: AbortSignal;
  /** Runs at this interval too, for sources that do not report their changes. */
  everyMs?: number | undefined;
}

/**
 * Calls `run` after files at or below these paths were written, renamed or deleted, until the
 * signal ends it. Changes during a run lead to another one.
 */
export async function watchPaths(
  paths: readonly string[],
  run: () => Promise<void>,
  { signal, everyMs }: WatchOptions,
): Promise<void> {
  // What changed before the watch began.
  let hasChanged = paths.length > 0;
  let wake = (): void => undefined;
  const change = (): void => {
    hasChanged = true;
    wake();
  };
  let watchers = watchAll(paths, change);
  const timer = everyMs === undefined ? undefined : setInterval(change, everyMs);
  signal.addEventListener("abort", change, { once: true });
  try {
    while (!signal.aborted) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (hasChanged) resolve();
      });
      await wait(SETTLE_IN_MS, undefined, { signal }).catch(() => undefined);
      hasChanged = false;
      // A folder that was put in the place of another has to be watched anew.
      for (const each of watchers) each.close();
      watchers = watchAll(paths, change);
      if (!signal.aborted) await run();
    }
  } finally {
    clearInterval(timer);
    for (const each of watchers) each.close();
  }
}

function watchAll(paths: readonly string[], change: () => void): FSWatcher[] {
  const places = paths.flatMap(placesOf);
  return places.flatMap(({ folder, recursive, isMeant }) => {
    try {
      const watcher = watch(folder, { recursive }, (_, name) => {
        if (name === null || isMeant(name)) change();
      });
      return watcher.on("error", change);
    } catch (error) {
      // It is gone for a while, or one above that is not ours to watch.
      if (recursive && codeOf(error) !== "ENOENT") throw error;
      return [];
    }
  });
}

/**
 * Returns the folders in which something may change that counts. In those above it may be put in
 * the place of another, as editors do with files, and be described.
 */
function placesOf(named: string) {
  const isThere = existsSync(named);
  const real = isThere ? realpathSync(named) : named;
  const isFolder = isThere && statSync(real).isDirectory();
  const places = isFolder ? [{ folder: real, recursive: true, isMeant: isDocument }] : [];
  for (let below = real; path.dirname(below) !== below; below = path.dirname(below)) {
    const names = [path.basename(below), ...FOLDER_METADATA];
    const isMeant = (name: string): boolean => names.includes(name);
    places.push({ folder: path.dirname(below), recursive: false, isMeant });
  }
  return places;
}

/** Leaves out the knowledge base itself, which changes with every run. */
function isDocument(name: string): boolean {
  return whyLeftOut(name) === undefined && whyNoText(name) === undefined;
}
