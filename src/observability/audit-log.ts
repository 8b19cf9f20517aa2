/**
 * The audit log: one JSON line per event, appended to a file that several processes may share.
 *
 * Writing is buffered: `write` only takes the event, and the lines go out together once the current work has yielded. Each batch is one
 * write to a file opened for appending, so that lines of several processes never mix. A log that cannot be written costs one warning and
 * nothing else.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { makeFolder } from "../support/make-folder.js";
import { appendFile } from "./append-file.js";
import { auditLine } from "./audit-line.js";
import type { RecordedEvent } from "./events.js";
import { secretsOf } from "./redact.js";
import { rotate } from "./rotate-log.js";

export interface AuditLogOptions {
  path: string;
  /** The file is rotated before it grows beyond this, in bytes. 32 MB by default. */
  maxBytes?: number;
  /** Rotated files that are kept, the newest. */
  keep?: number;
  /** Told once, when the log cannot be written. By default one line on stderr. */
  onWarning?: (message: string) => void;
}

export interface AuditLog {
  readonly path: string;
  /** Takes an event; returns at once and never throws. The event must not be changed afterwards. */
  write(event: RecordedEvent): void;
  /** Resolves when everything taken so far is on its way to the disk, or was given up. Never rejects. */
  flush(): Promise<void>;
  /** Writes what is left and lets go of the file; a later `write` opens it again. Never rejects. */
  close(): Promise<void>;
  /** What went wrong, at most one line. */
  readonly warnings: readonly string[];
}

const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;
const DEFAULT_KEEP = 4;
/** While the disk hangs, no more than this many events are held. */
const MAX_PENDING = 10_000;
/** Opening the file costs more than writing to it. A run waits at its end until all is written. */
const GATHERED_FOR_MS = 20;
/** Questions and answers are nobody else's affair. */
const FILE_MODE = 0o600;

/** Tokens of a draft are for the screen: the answer itself is logged when it is done. */
const NOT_LOGGED = new Set<RecordedEvent["type"]>(["answer_delta"]);

/** A log at a path, with files and timers of its own; `sharedAuditLog` gives one per process. Nothing is opened before the first event. */
export function createAuditLog({
  path,
  maxBytes = DEFAULT_MAX_BYTES,
  keep = DEFAULT_KEEP,
  onWarning = warnOnStderr,
}: AuditLogOptions): AuditLog {
  const secrets = secretsOf(process.env);
  const warnings: string[] = [];
  let pending: RecordedEvent[] = [];
  let draining: Promise<void> | undefined;
  let hurry = (): void => undefined;
  const file = appendFile({ path, mode: FILE_MODE });

  const giveUp = (error: unknown): void => {
    if (warnings.length > 0) return;
    const message = `the audit log ${path} cannot be written (${reasonOf(error)}); runs go on without it`;
    warnings.push(message);
    try {
      onWarning(message);
    } catch {
      // Whoever listens must not be able to break a run.
    }
  };
  const take = (): string => {
    const lines = pending.map((event) => auditLine(event, { secrets })).join("");
    pending = [];
    return lines;
  };

  const append = async (): Promise<void> => {
    await file.prepare();
    const { size, ino } = await file.append(take());
    if (size <= maxBytes) return;
    await file.close();
    await rotate({ path, ino, keep }).catch(giveUp);
  };
  const drain = async (): Promise<void> => {
    // Opened while the run goes on, so that its end has only the writing to wait for. What fails here fails again below.
    void Promise.resolve()
      .then(() => file.prepare())
      .catch(() => undefined);
    // A little later: what the nodes say one after another is written in one go.
    await new Promise<void>((go) => {
      const timer = setTimeout(go, GATHERED_FOR_MS);
      hurry = () => {
        clearTimeout(timer);
        go();
      };
    });
    while (pending.length > 0) {
      try {
        await append();
      } catch (error) {
        pending = [];
        giveUp(error);
      }
    }
    draining = undefined;
    unflushed.delete(flushNow);
  };
  /** For a process that exits with events in hand: there is no time left for promises. */
  const flushNow = (): void => {
    if (pending.length === 0) return;
    try {
      makeFolder(dirname(path));
      const file = openSync(path, "a", FILE_MODE);
      writeSync(file, take());
      closeSync(file);
    } catch (error) {
      giveUp(error);
    }
  };

  return {
    path,
    warnings,
    write(event) {
      if (NOT_LOGGED.has(event.type) || pending.length >= MAX_PENDING) return;
      pending.push(event);
      unflushed.add(flushNow);
      listenForExit();
      draining ??= drain();
    },
    async flush() {
      hurry();
      while (draining !== undefined) await draining;
    },
    async close() {
      await this.flush();
      await file.close();
    },
  };
}

const shared = new Map<string, AuditLog>();

/** The log at a path, one per process, so that all agents of a process write in one order. */
export function sharedAuditLog(path: string): AuditLog {
  const absolute = resolve(path);
  const log = shared.get(absolute) ?? createAuditLog({ path: absolute });
  shared.set(absolute, log);
  return log;
}

/** Where the log is kept unless `KB_AGENT_AUDIT_LOG_PATH` says otherwise. */
export const DEFAULT_AUDIT_LOG_PATH = ".corrective-rag/audit.jsonl";

/** The path of the audit log that the environment asks for; nothing when it says `off`. */
export function auditLogPath(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const configured = environment["KB_AGENT_AUDIT_LOG_PATH"]?.trim() ?? "";
  if (configured.toLowerCase() === "off") return undefined;
  return configured === "" ? DEFAULT_AUDIT_LOG_PATH : configured;
}

/** Appends one event to the audit log of the environment, or to the one at `path`. Returns at once and never throws. */
export function logAudit(event: RecordedEvent, path: string | undefined = auditLogPath()): void {
  if (path !== undefined) sharedAuditLog(path).write(event);
}

const unflushed = new Set<() => void>();
let listening = false;
function listenForExit(): void {
  if (listening) return;
  listening = true;
  process.once("exit", () => {
    for (const flushNow of unflushed) flushNow();
  });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function warnOnStderr(message: string): void {
  process.stderr.write(`warning: ${message}\n`);
}
