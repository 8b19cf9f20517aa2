/**
 * Files that arrive over the network: each is stored in a folder of the knowledge base, so that it
 * can be read again and removed, and ingested from there.
 */
import { randomUUID } from "node:crypto";
import { chmod, open, realpath, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { requireInside } from "../ingest/targets.js";
import type { WritableKnowledgeBase } from "../retrieval/knowledge-base.js";
import { reasonOf, UserError } from "../support/errors.js";
import { whyLeftOut } from "../support/plain-file.js";
import { makeFolder } from "../support/make-folder.js";

/** The outcome for one file. */
interface UploadResult {
  /** As the knowledge base lists it; as it was sent, if it was not ingested. */
  path: string;
  state: "added" | "updated" | "unchanged" | "failed" | "left_out";
  reason?: string;
}

interface Upload {
  /** Path below the folder of uploads, with `/`. */
  name: string;
  body: AsyncIterable<Uint8Array>;
}

export interface UploadPlace {
  /** The folder of the knowledge base. */
  folder: string;
  maxBytes: number;
  /** Opens the knowledge base for writing, and creates it if there is none. */
  readonly change: () => Promise<WritableKnowledgeBase>;
}

/** Code of the error for a file with too many bytes. */
export const TOO_LARGE = "too_large";
const MAX_PATH = 1_000;
const MAX_NAME_BYTES = 255;

/** Returns the folder of a knowledge base's uploads. */
export function uploadsOf(folder: string): string {
  return path.resolve(folder, "uploads");
}

/**
 * Stores and ingests one file. If it cannot be read, an older version stays as it was.
 * @throws UserError for a name that leads elsewhere, and for a file that is too large
 */
export async function takeUpload(
  { name, body }: Upload,
  place: UploadPlace,
): Promise<UploadResult> {
  requirePlainName(name);
  const leftOut = whyLeftOut(name);
  if (leftOut !== undefined) return { path: name, state: "left_out", reason: leftOut };
  const uploads = uploadsOf(place.folder);
  makeFolder(uploads);
  await chmod(uploads, 0o700);
  const received = path.join(uploads, `.${randomUUID()}`);
  try {
    await receive(received, body, place.maxBytes);
    return await inTurn(() => replaceAndIngest(received, name, place));
  } catch (error) {
    if (error instanceof UserError) throw error;
    // Clients are not told where the folder is.
    return { path: name, state: "failed", reason: reasonOf(error).replaceAll(uploads, "uploads") };
  } finally {
    await rm(received, { force: true });
  }
}

/** Refuses names that lead out of the folder or that a disk cannot store. */
function requirePlainName(name: string): void {
  const isPlain = (part: string): boolean =>
    part.trim() !== "" &&
    part !== "." &&
    part !== ".." &&
    !/[\\\p{Cc}\ufffd]/u.test(part) &&
    Buffer.byteLength(part) <= MAX_NAME_BYTES;
  if (name.length > MAX_PATH || !name.split("/").every(isPlain))
    throw new UserError("the name is not a path below the folder of uploads");
}

async function receive(
  file: string,
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes)
        throw new UserError(
          `the file is larger than ${maxBytes} bytes`,
          "set CRAG_MAX_UPLOAD_BYTES",
          1,
          TOO_LARGE,
        );
      await handle.writeFile(chunk);
    }
  } finally {
    await handle.close();
  }
}

async function replaceAndIngest(
  received: string,
  name: string,
  { folder, change }: UploadPlace,
): Promise<UploadResult> {
  const uploads = uploadsOf(folder);
  const file = path.join(uploads, name);
  makeFolder(path.dirname(file));
  requireInside(await realpath(path.dirname(file)), [await realpath(uploads)], name);
  if ((await stat(file).catch(() => undefined))?.isDirectory())
    throw new UserError(`${name} is a folder among the uploads`, "choose another file name");
  const before = path.join(uploads, `.${randomUUID()}`);
  const hadBefore = await rename(file, before).then(
    () => true,
    () => false,
  );
  let isTaken = false;
  try {
    await rename(received, file);
    const result = await ingested(file, name, folder, await change());
    isTaken = result.state !== "failed";
    return result;
  } finally {
    if (!isTaken) await rm(file, { force: true });
    if (hadBefore && !isTaken) await rename(before, file);
    await rm(before, { force: true });
  }
}

async function ingested(
  file: string,
  name: string,
  folder: string,
  knowledgeBase: WritableKnowledgeBase,
): Promise<UploadResult> {
  const uploads = uploadsOf(folder);
  try {
    const { ingest } = await import("../ingest/ingest.js");
    const { added, updated, failed, skipped } = await ingest({
      targets: [file],
      knowledgeBase,
      cwd: uploads,
      roots: [uploads],
      // Searchable by words at once; vectors are made while the server is idle.
      vectors: false,
    });
    const problem = failed[0] ?? skipped[0];
    if (problem !== undefined) return { path: name, state: "failed", reason: problem.reason };
    const real = await realpath(file);
    const stored = (await knowledgeBase.documents()).find((each) => each.absolutePath === real);
    const state = added > 0 ? "added" : updated > 0 ? "updated" : "unchanged";
    return { path: stored?.path ?? name, state };
  } finally {
    await knowledgeBase.close();
  }
}

let last: Promise<unknown> = Promise.resolve();

/** Runs one change after the other, because a store has one writer. */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = last.then(work);
  last = result.catch(() => undefined);
  return result;
}
