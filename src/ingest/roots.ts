/** Confines targets that come over the network to named folders. */
import path from "node:path";
import { UserError } from "../support/errors.js";
import { whyLeftOut } from "../support/left-out.js";

/**
 * Refuses a path that lies in none of the roots, and one that is hidden, installed or secret.
 * Compares paths and nothing else, so that it tells nobody what exists outside: a path is checked
 * as it was named before the disk is touched, and once more with its links resolved.
 * @param roots absolute; none means that every path is allowed
 * @throws UserError
 */
export function requireInside(
  absolutePath: string,
  roots: readonly string[],
  shown: string = absolutePath,
): void {
  if (roots.length === 0) return;
  const root = roots.find((each) => each === absolutePath || isBelow(absolutePath, each));
  if (root === undefined)
    throw new UserError(
      `${shown} lies outside of the folders that may be ingested`,
      "Name a folder in CRAG_INDEX_ROOTS, or run ingest on the command line.",
    );
  const reason = whyLeftOut(path.relative(root, absolutePath));
  if (reason !== undefined) throw new UserError(`${shown} is not ingested: ${reason}`);
}

/** True for a path below a folder; both absolute, links resolved. */
export function isBelow(file: string, folder: string): boolean {
  return file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}
