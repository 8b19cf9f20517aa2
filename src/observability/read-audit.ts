/** Reads the audit log back, run by run. */
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isRecord } from "../support/is-record.js";
import { rotatedFiles } from "./audit-log.js";
import type { RecordedEvent } from "./events.js";

/** The events of one run in the order they were written. */
export interface AuditedRun {
  runId: string;
  events: RecordedEvent[];
}

/**
 * Returns the runs in the log, oldest first, with those in rotated files; none if there is no log.
 * Lines that are no events (cut by a full disk, for instance) are counted and left out.
 */
export async function readRuns(
  path: string,
): Promise<{ runs: AuditedRun[]; unreadableLines: number }> {
  const runs = new Map<string, AuditedRun>();
  let unreadableLines = 0;
  for (const file of [...rotatedFiles(path), path]) {
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
    const text = await readFile(file, "utf8");
    for (const line of text.split("\n").filter((each) => each.trim() !== "")) {
      const event = eventIn(line);
      if (event === undefined) unreadableLines += 1;
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
function eventIn(line: string): RecordedEvent | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecordedEvent(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecordedEvent(value: unknown): value is RecordedEvent {
  const keys = ["type", "at", "run_id", "node"];
  return isRecord(value) && keys.every((key) => typeof value[key] === "string");
}
