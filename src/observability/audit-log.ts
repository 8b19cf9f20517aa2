/**
 * The audit log: one JSON line per event, appended to a file that several processes may share. Each
 * line is one write, so that those of several processes never mix. A file over its limit is renamed
 * to `<path>.<time>-<pid>`. A log that cannot be written causes one warning and nothing else.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
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

/** Questions and answers are private. */
const FILE_MODE = 0o600;
/** In UTF-16 code units, so that one event cannot fill the disk. */
const MAX_LINE_LENGTH = 1024 * 1024;
/** The tokens of a draft; the answer itself is logged at the end. */
const NOT_LOGGED = new Set<RecordedEvent["type"]>(["answer_delta"]);

/** Through no link that somebody may have put there, and without waiting for a pipe's reader. */
const APPEND =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

export function createAuditLog({
  path,
  maxBytes = 32 * 1024 * 1024,
  keep = 4,
  onWarning = (message) => process.stderr.write(`warning: ${message}\n`),
}: AuditLogOptions) {
  const secrets = secretsOf(process.env);
  let hasWarned = false;
  return {
    /** Never throws. */
    log_audit(event: RecordedEvent): void {
      if (NOT_LOGGED.has(event.type)) return;
      try {
        if (append(path, `${auditLine(event, secrets)}\n`) > maxBytes) rotate(path, maxBytes, keep);
      } catch (error) {
        if (hasWarned) return;
        hasWarned = true;
        onWarning(
          `the audit log ${path} cannot be written (${reasonOf(error)}); runs go on without it`,
        );
      }
    },
  };
}

/** Returns the size of the file, which is opened each time since it may have been moved away. */
function append(path: string, line: string): number {
  makeFolder(dirname(path));
  const file = openSync(path, APPEND, FILE_MODE);
  try {
    writeSync(file, line);
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

/** Returns an event as JSON without secrets; only its type if it is too long or holds a cycle. */
function auditLine(event: RecordedEvent, secrets: readonly string[]): string {
  try {
    const whole = redactedJson(event, secrets);
    if (whole.length < MAX_LINE_LENGTH) return whole;
  } catch {
    // The arguments of a user's tool may hold a cycle.
  }
  const { type, at, run_id, node } = event;
  return JSON.stringify({ type, at, run_id, node, truncated: true });
}

/** Renames a file that is too large. The name is unique, so two processes at once lose nothing. */
function rotate(path: string, maxBytes: number, keep: number): void {
  // Another process may have moved it already.
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= maxBytes) return;
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
