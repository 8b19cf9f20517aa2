/**
 * The audit log: one JSON line per event, appended to a file that several processes may share.
 *
 * Lines are gathered for a moment and appended in one write, so that those of several processes
 * never mix. A file over its limit is renamed to `<path>.<time>-<pid>`. A log that cannot be written
 * causes one warning and nothing else.
 */
import {
  closeSync,
  constants,
  openSync,
  writeFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { once } from "../support/cache.js";
import { reasonOf } from "../support/errors.js";
import { isRecord } from "../support/is-record.js";
import { makeFolder } from "../support/make-folder.js";
import type { RecordedEvent } from "./events.js";
import { redactedJson, secretsOf } from "./redact.js";

interface AuditLogOptions {
  path: string;
  /** The size at which a new file begins. 32 MB by default. */
  maxBytes?: number;
  /** How many old files are kept. */
  keep?: number;
  /** Called once if the log cannot be written. Prints a line on stderr by default. */
  onWarning?: (message: string) => void;
}

const GATHERED_FOR_MS = 100;
/** Questions and answers are private. */
const FILE_MODE = 0o600;
/** In UTF-16 code units. One event cannot fill the disk, yet a replay gets whole passages. */
const MAX_LINE_LENGTH = 1024 * 1024;
/** Length of the texts of an event that is too long. */
const SHORTENED_TO = 1000;
/** The tokens of a draft; the answer itself is logged at the end. */
const NOT_LOGGED = new Set<RecordedEvent["type"]>(["answer_delta"]);

/** Through no link that somebody may have put there, and without waiting for a pipe's reader. */
const APPEND =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** Nothing is opened before the first event. */
export function createAuditLog({
  path,
  maxBytes = 32 * 1024 * 1024,
  keep = 4,
  onWarning = (message) => process.stderr.write(`warning: ${message}\n`),
}: AuditLogOptions) {
  const secrets = secretsOf(process.env);
  let lines: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let tornLine = false;
  let hasWarned = false;

  /** Writes what was gathered, in a moment and also while the process exits. Never throws. */
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    unwritten.delete(flush);
    if (lines.length === 0) return;
    const text = `${tornLine ? "\n" : ""}${lines.join("\n")}\n`;
    lines = [];
    try {
      makeFolder(dirname(path));
      tornLine = true;
      const file = openSync(path, APPEND, FILE_MODE);
      try {
        writeFileSync(file, text);
      } finally {
        closeSync(file);
      }
      tornLine = false;
      rotate(path, maxBytes, keep);
    } catch (error) {
      if (hasWarned) return;
      hasWarned = true;
      const message = `the audit log ${path} cannot be written (${reasonOf(error)}); runs go on without it`;
      try {
        onWarning(message);
      } catch {
        // A listener must not break a run.
      }
    }
  };

  return {
    /** Returns at once and never throws. */
    log_audit(event: RecordedEvent): void {
      if (NOT_LOGGED.has(event.type)) return;
      lines.push(auditLine(event, secrets));
      if (timer !== undefined) return;
      timer = setTimeout(flush, GATHERED_FOR_MS);
      timer.unref();
      unwritten.add(flush);
      writeAtExit();
    },
    flush,
  };
}

/**
 * Returns an event as JSON without secrets. One that is too long gets its texts cut and is marked as
 * `shortened`. If that is not enough, or JSON cannot hold it, nothing but its type is kept.
 */
function auditLine(event: RecordedEvent, secrets: readonly string[]): string {
  try {
    const whole = redactedJson(event, secrets);
    if (whole.length < MAX_LINE_LENGTH) return whole;
    const shorter = redactedJson({ ...event, shortened: true }, secrets, SHORTENED_TO);
    if (shorter.length < MAX_LINE_LENGTH) return shorter;
  } catch {
    // The arguments of a user's tool may hold a cycle.
  }
  const { type, at, run_id, node } = event;
  return JSON.stringify({ type, at, run_id, node, truncated: true });
}

/** Renames a file that is too large. The name is unique, so two processes at once lose nothing. */
function rotate(path: string, maxBytes: number, keep: number): void {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size <= maxBytes) return;
  const time = new Date().toISOString().replaceAll(":", "-").replace(".", "-");
  try {
    renameSync(path, `${path}.${time}-${process.pid}`);
  } catch (error) {
    // Another process may have just renamed it.
    if (!isRecord(error) || error["code"] !== "ENOENT") throw error;
  }
  const old = rotatedFiles(path);
  for (const file of old.slice(0, Math.max(0, old.length - keep))) rmSync(file, { force: true });
}

/** Returns the old files of a log, oldest first. */
export function rotatedFiles(path: string): string[] {
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const prefix = `${basename(path)}.`;
  return readdirSync(folder)
    .filter(
      (name) => name.startsWith(prefix) && name.at(prefix.length + "2026-01-31".length) === "T",
    )
    .sort()
    .map((name) => join(folder, name));
}

/** The logs of this process that have lines to write. One listener serves them all. */
const unwritten = new Set<() => void>();
const writeAtExit = once(() =>
  process.once("exit", () => {
    for (const flush of unwritten) flush();
  }),
);
