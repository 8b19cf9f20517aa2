/**
 * The audit log: one JSON line per event, appended to a file that several processes may share.
 *
 * Lines are gathered for a moment and appended in one write, so that those of several processes
 * never mix. A file over its limit is renamed to `<path>.<time>-<pid>`. A log that cannot be written
 * causes one warning and nothing else.
 */
import { appendFileSync } from "node:fs";
import { appendFile, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isRecord } from "../support/is-record.js";
import { makeFolder } from "../support/make-folder.js";
import { cutText } from "../text/one-line.js";
import type { RecordedEvent } from "./events.js";
import { redact, secretsOf } from "./redact.js";

interface AuditLogOptions {
  path: string;
  /** The size at which a new file begins. 32 MB by default. */
  maxBytes?: number;
  /** How many old files are kept. */
  keep?: number;
  /** Called once if the log cannot be written. Prints a line on stderr by default. */
  onWarning?: (message: string) => void;
}

/** Held at most while the disk hangs. */
const MAX_PENDING = 10_000;
const GATHERED_FOR_MS = 100;
/** Questions and answers are private. */
const FILE_MODE = 0o600;
/** In UTF-16 code units. One event cannot fill the disk, yet a replay gets whole passages. */
const MAX_LINE_LENGTH = 1024 * 1024;
/** Length of the texts of an event that is too long. */
const SHORTENED_TO = 1000;
/** The tokens of a draft; the answer itself is logged at the end. */
const NOT_LOGGED = new Set<RecordedEvent["type"]>(["answer_delta"]);

/** Nothing is opened before the first event. */
export function createAuditLog({
  path,
  maxBytes = 32 * 1024 * 1024,
  keep = 4,
  onWarning = warnOnStderr,
}: AuditLogOptions) {
  const secrets = secretsOf(process.env);
  let pending: RecordedEvent[] = [];
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let tornLine = false;
  let hasWarned = false;

  const giveUp = (error: unknown): void => {
    if (hasWarned) return;
    hasWarned = true;
    const reason = error instanceof Error ? error.message : String(error);
    try {
      onWarning(`the audit log ${path} cannot be written (${reason}); runs go on without it`);
    } catch {
      // A listener must not break a run.
    }
  };
  const take = (): string => {
    const lines = pending.map((event) => auditLine(event, secrets)).join("");
    pending = [];
    return tornLine ? `\n${lines}` : lines;
  };
  const append = async (): Promise<void> => {
    if (pending.length === 0) return;
    const lines = take();
    try {
      makeFolder(dirname(path));
      await appendFile(path, lines, { mode: FILE_MODE });
      tornLine = false;
      await rotate({ path, maxBytes, keep });
    } catch (error) {
      tornLine = true;
      giveUp(error);
    }
  };
  /** Resolves when every event so far was written or given up. Never rejects. */
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(append);
    return writing;
  };
  /** When the process exits, promises no longer run. */
  const flushNow = (): void => {
    if (pending.length === 0) return;
    try {
      makeFolder(dirname(path));
      appendFileSync(path, take(), { mode: FILE_MODE });
    } catch (error) {
      giveUp(error);
    }
  };

  return {
    /** Returns at once and never throws. The event must not be changed afterwards. */
    write(event: RecordedEvent): void {
      if (NOT_LOGGED.has(event.type) || pending.length >= MAX_PENDING) return;
      pending.push(event);
      beforeExit(flushNow);
      if (timer !== undefined) return;
      timer = setTimeout(() => void flush(), GATHERED_FOR_MS);
      timer.unref();
    },
    flush,
  };
}

/**
 * Returns an event as a line of JSON without secrets. One that is too long gets its texts cut and is
 * marked as `shortened`, or keeps nothing but its type. Never throws.
 */
function auditLine(event: RecordedEvent, secrets: readonly string[]): string {
  const whole = JSON.stringify(redact(event, secrets));
  if (whole.length < MAX_LINE_LENGTH) return `${whole}\n`;
  const marked = redact({ ...event, shortened: true }, secrets);
  const shorter = JSON.stringify(marked, (_key, value: unknown) =>
    typeof value === "string" ? cutText(value, SHORTENED_TO) : value,
  );
  if (shorter.length < MAX_LINE_LENGTH) return `${shorter}\n`;
  const { type, at, run_id, node } = event;
  return `${JSON.stringify({ type, at, run_id, node, truncated: true })}\n`;
}

/** Renames a file that is too large. The name is unique, so two processes at once lose nothing. */
async function rotate({
  path,
  maxBytes,
  keep,
}: Required<Omit<AuditLogOptions, "onWarning">>): Promise<void> {
  try {
    if ((await stat(path)).size <= maxBytes) return;
    const time = new Date().toISOString().replaceAll(":", "-").replace(".", "-");
    await rename(path, `${path}.${time}-${process.pid}`);
  } catch (error) {
    // Another process has just renamed it.
    if (!isRecord(error) || error["code"] !== "ENOENT") throw error;
  }
  const old = await rotatedFiles(path);
  const surplus = old.slice(0, Math.max(0, old.length - keep));
  await Promise.all(surplus.map((file) => unlink(file).catch(() => undefined)));
}

/** Returns the old files of a log, oldest first. */
export async function rotatedFiles(path: string): Promise<string[]> {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  const names = await readdir(folder).catch(() => []);
  return names
    .filter(
      (name) => name.startsWith(prefix) && name.at(prefix.length + "2026-01-31".length) === "T",
    )
    .sort()
    .map((name) => join(folder, name));
}

const unwritten = new Set<() => void>();

function beforeExit(flushNow: () => void): void {
  if (unwritten.size === 0)
    process.once("exit", () => {
      for (const flush of unwritten) flush();
    });
  unwritten.add(flushNow);
}

function warnOnStderr(message: string): void {
  process.stderr.write(`warning: ${message}\n`);
}
