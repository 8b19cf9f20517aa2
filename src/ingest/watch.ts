/** Keeps a knowledge base in step: runs again when files change, or at intervals. */
import { realpathSync, statSync, watch } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
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
  const watchers = paths.map((each) => {
    const { folder, recursive, isMeant } = placeOf(each);
    return watch(folder, { recursive }, (_, name) => {
      if (name === null || isMeant(name)) change();
    }).on("error", change);
  });
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
      if (!signal.aborted) await run();
    }
  } finally {
    clearInterval(timer);
    for (const each of watchers) each.close();
  }
}

/**
 * A file is watched in its folder: editors put another file in its place, and a watcher of the old
 * one hears no more.
 */
function placeOf(named: string) {
  if (!statSync(named).isFile()) return { folder: named, recursive: true, isMeant: isDocument };
  const file = realpathSync(named);
  const isMeant = (name: string): boolean => name === path.basename(file);
  return { folder: path.dirname(file), recursive: false, isMeant };
}

/** Leaves out the knowledge base itself, which changes with every run. */
function isDocument(name: string): boolean {
  return whyLeftOut(name) === undefined && whyNoText(name) === undefined;
}
