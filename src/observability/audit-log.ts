/**
 * The audit log: one JSON line per event, appended to a file that several processes may share. Each
 * line is one write, so that those of several processes never mix. A file over its limit becomes
 * `<path>.old`. A log that cannot be written causes one warning and nothing else.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
  type Stats,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, reasonOf } from "../support/errors.js";
import { isRecord, parsedJson } from "../support/json.js";
import { makeFolder } from "../support/plain-file.js";
import type { RecordedEvent } from "./events.js";
import { redactedJson, secretsOf } from "./redact.js";

interface AuditLogOptions {
  path: string;
  /** The size at which a new file begins. 32 MB by default. */
  maxBytes?: number;
  /** Called once if the log cannot be written. Prints a line on stderr by default. */
  onWarning?: (message: string) => void;
}

/** Questions and answers are private. */
const FILE_MODE = 0o600;
/** In UTF-16 code units, so that one event cannot fill the disk. */
const MAX_LINE_LENGTH = 1024 * 1024;
const STALE_LOCK_IN_MS = 10_000;

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
  onWarning = (message) => process.stderr.write(`warning: ${message}\n`),
}: AuditLogOptions) {
  const secrets = secretsOf(process.env);
  let hasWarned = false;
  return {
    /** Never throws. */
    log_audit(event: RecordedEvent): void {
      // The tokens of a draft; the answer itself is logged at the end.
      if (event.type === "answer_delta") return;
      try {
        const { size, ino } = append(path, `${auditLine(event, secrets)}\n`);
        if (size > maxBytes) rotate(path, ino);
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

/** Returns the state of the file, which is opened each time since it may have been moved away. */
function append(path: string, line: string): Stats {
  makeFolder(dirname(path));
  const file = openSync(path, APPEND, FILE_MODE);
  try {
    writeSync(file, line);
    return fstatSync(file);
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

/**
 * Moves the file that is too large over the last one, unless another process does so or has done
 * so: its lock is taken over if it ended in between.
 */
function rotate(path: string, ino: number): void {
  const lock = `${path}.lock`;
  try {
    closeSync(openSync(lock, "wx"));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - since > STALE_LOCK_IN_MS) rmSync(lock, { force: true });
    return;
  }
  try {
    if (statSync(path, { throwIfNoEntry: false })?.ino === ino) renameSync(path, oldFile(path));
  } finally {
    rmSync(lock, { force: true });
  }
}

function oldFile(path: string): string {
  return `${path}.old`;
}

/** The events of one run in the order they were written. */
export interface AuditedRun {
  runId: string;
  events: RecordedEvent[];
}

/**
 * Returns the runs in the log, oldest first; none if there is no log. Lines that are no events (cut
 * by a full disk, for instance) are counted and left out.
 */
export async function readRuns(
  path: string,
): Promise<{ runs: AuditedRun[]; unreadableLines: number }> {
  const runs = new Map<string, AuditedRun>();
  let unreadableLines = 0;
  for (const file of [oldFile(path), path]) {
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
    const text = await readFile(file, "utf8");
    for (const line of text.split("\n").filter((each) => each.trim() !== "")) {
      const event = parsedJson(line);
      if (!isRecordedEvent(event)) unreadableLines += 1;
      else if (!("truncated" in event)) {
        const run = runs.get(event.run_id) ?? { runId: event.run_id, events: [] };
        run.events.push(event);
        runs.set(event.run_id, run);
      }
    }
  }
  return { runs: [...runs.values()], unreadableLines };
}

/** Checks the fields that every event has, and trusts those of its type. */
function isRecordedEvent(value: unknown): value is RecordedEvent {
  const keys = ["type", "at", "run_id", "node"];
  return isRecord(value) && keys.every((key) => typeof value[key] === "string");
}
