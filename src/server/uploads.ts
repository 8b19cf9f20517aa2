/**
 * Files that arrive over the network: each is stored in a folder of the knowledge base, so that it
 * can be read again and removed, and ingested from there.
 */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import {
  chmod,
  copyFile,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { FOLDER_METADATA } from "../formats/metadata.js";
import { requireInside } from "../ingest/targets.js";
import type { KnowledgeBase, WritableKnowledgeBase } from "../retrieval/knowledge-base.js";
import type { Filter } from "../settings/filter.js";
import { reasonOf, UserError } from "../support/errors.js";
import { bounded, BodyTooLargeError } from "../support/json-client.js";
import { makeFolder, whyLeftOut } from "../support/plain-file.js";
import { HttpProblem } from "./http-problem.js";
import type { Peers } from "./store/sql.js";

/** The outcome for one file. */
interface UploadResult {
  /** As the knowledge base lists it; as it was sent, if it was not ingested. */
  path: string;
  state: "added" | "updated" | "unchanged" | "failed" | "left_out";
  reason?: string;
}

export interface UploadPlace {
  /** The folder of the knowledge base. */
  folder: string;
  maxBytes: number;
  /** Opens what this client sees of the knowledge base; it may be the demo. */
  readonly look: (filter?: Filter) => Promise<KnowledgeBase>;
  /** Opens the knowledge base for writing, and creates it if there is none. */
  readonly change: () => Promise<WritableKnowledgeBase>;
}

/** Another server may still receive a younger one. */
const LEFT_AFTER_MS = 3_600_000;
/** Bytes that conversations, and the removal of documents, need on a disk. */
const KEPT_FREE = 33_554_432;
const MAX_PATH = 1_000;
const MAX_NAME_BYTES = 255;

export function uploadsOf(folder: string): string {
  return path.resolve(folder, "uploads");
}

/**
 * Stores and ingests one file. If it cannot be read, an older version stays as it was.
 * @param upload.name path below the folder of uploads, with `/`
 * @param upload.client whose upload it is: each client's are read one by one
 * @throws UserError for a name that leads elsewhere, HttpProblem for a file that is too large
 */
export async function takeUpload(
  { name, body, client }: { name: string; body: ReadableStream<Uint8Array>; client: string },
  place: UploadPlace,
  changes: Changes,
): Promise<UploadResult> {
  requirePlainName(name);
  // A description of a folder would count for what others have put there, permissions included.
  const isOfFolder = FOLDER_METADATA.includes(path.basename(name).toLowerCase());
  const leftOut = isOfFolder ? "it would describe other files than itself" : whyLeftOut(name);
  if (leftOut !== undefined) return { path: name, state: "left_out", reason: leftOut };
  const uploads = uploadsOf(place.folder);
  const received = path.join(uploads, `.${randomUUID()}`);
  try {
    makeFolder(uploads);
    await chmod(uploads, 0o700);
    // Some mounts of remote folders report no blocks at all.
    const { blocks, bavail, bsize } = await statfs(uploads);
    if (blocks > 0 && bavail * bsize < KEPT_FREE)
      throw new HttpProblem(507, "the disk is nearly full, so no more files are taken", {
        hint: "remove documents, or make room on the server",
      });
    await receive(received, body, place.maxBytes);
    return await changes.inTurn({ client, name }, () => replaceAndIngest(received, name, place));
  } catch (error) {
    if (error instanceof UserError || error instanceof HttpProblem) throw error;
    // The path of the folder is not for clients.
    const reason = reasonOf(error).replaceAll(path.dirname(uploads) + path.sep, "");
    return { path: name, state: "failed", reason };
  } finally {
    // What stays is a leftover.
    await rm(received, { force: true }).catch(() => undefined);
  }
}

/** Removes what was half received when a server was killed. */
export async function removeLeftovers(folder: string, now = Date.now()): Promise<void> {
  const uploads = uploadsOf(folder);
  for (const name of await readdir(uploads).catch(() => [])) {
    if (!/^\.[0-9a-f-]{36}$/.test(name)) continue;
    const file = path.join(uploads, name);
    const changedAt = (await stat(file).catch(() => undefined))?.ctimeMs ?? now;
    if (now - changedAt > LEFT_AFTER_MS) await rm(file, { force: true });
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
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<void> {
  const sent = bounded(body, maxBytes);
  await writeFile(file, sent, { flag: "wx", mode: 0o600 }).catch((error: unknown) => {
    if (!(error instanceof BodyTooLargeError)) throw error;
    throw new HttpProblem(413, `the file is larger than ${maxBytes} bytes`, {
      hint: "set CRAG_MAX_UPLOAD_BYTES",
    });
  });
}

async function replaceAndIngest(
  received: string,
  name: string,
  place: UploadPlace,
): Promise<UploadResult> {
  const uploads = uploadsOf(place.folder);
  const file = path.join(uploads, name);
  makeFolder(path.dirname(file));
  requireInside(await realpath(path.dirname(file)), [await realpath(uploads)], name);
  if ((await stat(file).catch(() => undefined))?.isDirectory())
    throw new UserError(`${name} is a folder among the uploads`, "choose another file name");
  const before = path.join(uploads, `.${randomUUID()}`);
  const isNew = !existsSync(file);
  let [isCopied, isTaken] = [false, false];
  try {
    // The file itself stays, so that it is there at every moment, also when the server is killed.
    if (!isNew) await copyFile(file, before);
    isCopied = !isNew;
    await rename(received, file);
    const result = await ingested(file, name, place);
    isTaken = result.state !== "failed";
    return result;
  } finally {
    if (!isTaken && isCopied) await rename(before, file);
    if (!isTaken && isNew) await rm(file, { force: true });
    await rm(before, { force: true });
  }
}

async function ingested(
  file: string,
  name: string,
  { folder, look, change }: UploadPlace,
): Promise<UploadResult> {
  const uploads = uploadsOf(folder);
  const knowledgeBase = await change();
  try {
    const real = await realpath(file);
    const isIn = async (base: KnowledgeBase): Promise<boolean> =>
      (await base.documents()).some(({ absolutePath }) => absolutePath === real);
    // Who may not see a document may not replace it.
    if ((await isIn(knowledgeBase)) && !(await isIn(await look())))
      throw new UserError(`the name ${name} is taken`, "choose another file name");
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
    const stored = (await knowledgeBase.documents()).find((each) => each.absolutePath === real);
    const state = added > 0 ? "added" : updated > 0 ? "updated" : "unchanged";
    return { path: stored?.path ?? name, state };
  } finally {
    await knowledgeBase.close();
  }
}

/**
 * Orders changes: those of one client, and those of one file, one after the other; others side by
 * side, so that nobody waits for a file that takes another client's parser long.
 */
export class Changes {
  private readonly last = new Map<string, Promise<unknown>>();

  constructor(private readonly peers?: Peers) {}

  inTurn<T>({ client, name }: { client: string; name: string }, work: () => Promise<T>) {
    const file = `file ${name}`;
    return this.after([`client ${client}`, file], ["all"], () => this.leased(file, work));
  }

  /** Waits for all changes under way; those that come wait for it. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.after(["all"], [...this.last.keys()], () => this.leased("all", work));
  }

  private leased<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.peers === undefined ? work() : this.peers.alone(key, work);
  }

  private after<T>(
    keys: readonly string[],
    others: readonly string[],
    work: () => Promise<T>,
  ): Promise<T> {
    const before = [...keys, ...others].flatMap((each) => this.last.get(each) ?? []);
    const result = Promise.all(before).then(work);
    const settled = result
      .catch(() => undefined)
      .then(() => {
        for (const key of keys) if (this.last.get(key) === settled) this.last.delete(key);
      });
    for (const key of keys) this.last.set(key, settled);
    return result;
  }
}
