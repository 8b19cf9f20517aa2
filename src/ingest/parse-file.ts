/**
 * Parses files in a worker thread with limits of time and memory: the worst that a file can do is
 * to be reported as failed.
 */
import { once } from "node:events";
import { totalmem } from "node:os";
import type { Worker } from "node:worker_threads";
import type { Passage } from "../retrieval/knowledge-base.js";
import type { DocumentKind } from "../formats/document-formats.js";
import { startWorker } from "../support/packages.js";
import { abortable } from "../support/waiting.js";
import { LoadError, type LoadedFile } from "../formats/document.js";

export interface ParseRequest {
  /** Path or name; its extension decides the format. */
  file: string;
  bytes: Uint8Array;
  /** Path to store its passages under. */
  path: string;
  modifiedAt?: string;
}

export interface ParsedFile extends Pick<LoadedFile, "metadata" | "note"> {
  kind: DocumentKind;
  title: string;
  passages: Passage[];
}

/** An error crosses threads as data. */
export type ParseReply = ParsedFile | Pick<LoadError, "message" | "kind">;

interface ParseOptions {
  signal?: AbortSignal | undefined;
  seconds?: number;
  megabytes?: number;
}

const MEGABYTE = 1_000_000;
const MAX_MEGABYTES = Math.round(Math.min(1_000, totalmem() / MEGABYTE / 2));
const SECONDS = 20;
const SECONDS_PER_MEGABYTE = 5;
/** Starting a thread takes some tenths of a second, so it waits a while for another file. */
const IDLE_MS = 5_000;
const MEMORY_CHECK_MS = 100;

/** A worker, and the files that wait for it. */
interface Lane {
  waiting: Promise<unknown>;
  files: number;
  worker?: Worker | undefined;
  idle?: NodeJS.Timeout;
}

/** Several, so that a file that takes long does not hold up those of other people. */
const lanes = Array.from({ length: 3 }, (): Lane => ({ waiting: Promise.resolve(), files: 0 }));

/**
 * Parses and splits one file, in the lane with the fewest files.
 * @throws LoadError that says why it cannot be read, or the signal's reason
 */
export function parseFile(request: ParseRequest, options: ParseOptions = {}): Promise<ParsedFile> {
  const lane = lanes.reduce((best, each) => (each.files < best.files ? each : best));
  lane.files += 1;
  const parsed = lane.waiting.then(() => parseNow(lane, request, options));
  lane.waiting = parsed.catch(() => undefined).then(() => (lane.files -= 1));
  return parsed;
}

async function parseNow(
  lane: Lane,
  request: ParseRequest,
  options: ParseOptions,
): Promise<ParsedFile> {
  options.signal?.throwIfAborted();
  clearTimeout(lane.idle);
  lane.worker ??= await started(lane);
  const thread = lane.worker;
  thread.ref();
  const reply = await replyOf(thread, request, options).catch(async (error: unknown) => {
    await end(lane);
    throw error;
  });
  thread.unref();
  lane.idle = setTimeout(() => void end(lane), IDLE_MS).unref();
  if ("passages" in reply) return reply;
  throw new LoadError(reply.message, reply.kind);
}

async function started(lane: Lane): Promise<Worker> {
  const thread = startWorker("./parse-worker", import.meta.url, {
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
    stdout: true,
    stderr: true,
  });
  // It may end between two files, too: the next one then has a thread of its own.
  thread
    .on("error", () => undefined)
    .on("exit", () => {
      if (lane.worker === thread) lane.worker = undefined;
    });
  await once(thread, "message");
  return thread;
}

async function end(lane: Lane): Promise<void> {
  const thread = lane.worker;
  lane.worker = undefined;
  await thread?.terminate();
}

/** Waits for the first of: an answer, an error, the end of the thread, a limit. */
async function replyOf(
  thread: Worker,
  request: ParseRequest,
  {
    signal,
    seconds = SECONDS + (SECONDS_PER_MEGABYTE * request.bytes.byteLength) / MEGABYTE,
    megabytes = MAX_MEGABYTES,
  }: ParseOptions,
): Promise<ParseReply> {
  let end = (): void => undefined;
  const reply = new Promise<ParseReply>((resolve, reject) => {
    const fail = (reason: string): void => reject(new LoadError(`reading it ${reason}`));
    const tooMuch = `takes more than ${megabytes} MB of memory`;
    const timer = setTimeout(fail, seconds * 1_000, `takes longer than ${Math.round(seconds)} s`);
    // The thread's memory limit does not count buffers, so the whole process is watched.
    const before = process.memoryUsage.rss();
    const watch = setInterval(() => {
      if (process.memoryUsage.rss() - before > megabytes * MEGABYTE) fail(tooMuch);
    }, MEMORY_CHECK_MS);
    const onMessage = (message: ParseReply | "page"): void => {
      // A scanned page was read; the next one has its time too.
      if (message === "page") timer.refresh();
      else resolve(message);
    };
    const onExit = (): void => fail("ended its thread");
    const onError = (error: Error): void =>
      fail(error.message.includes("memory") ? tooMuch : `failed: ${String(error)}`);
    thread.on("message", onMessage).on("exit", onExit).on("error", onError);
    end = () => {
      clearTimeout(timer);
      clearInterval(watch);
      thread.off("message", onMessage).off("exit", onExit).off("error", onError);
    };
  });
  // A copy: transferring a view would detach the whole buffer below it.
  const bytes = new Uint8Array(request.bytes);
  thread.postMessage({ ...request, bytes }, [bytes.buffer]);
  return abortable(reply, signal).finally(end);
}
