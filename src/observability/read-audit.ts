/** Reads the audit log back, run by run. Lines that are not events (cut by a full disk) are skipped. */
import { createReadStream, statSync } from "node:fs";
import { createInterface } from "node:readline";
import { UserError } from "../support/errors.js";
import { isRecord } from "../support/is-record.js";
import type { RecordedEvent } from "./events.js";
import { rotatedFiles } from "./audit-log.js";

/** The events of one run in the order they were written. */
export interface AuditedRun {
  runId: string;
  events: RecordedEvent[];
}

/**
 * Returns the runs in the log, oldest first, with those in rotated files; none if there is no log.
 * @param onUnreadable called for each line that is not an event
 */
export async function readRuns(path: string, onUnreadable?: () => void): Promise<AuditedRun[]> {
  const runs = new Map<string, AuditedRun>();
  for (const file of [...rotatedFiles(path), path]) {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue;
    const input = createReadStream(file, "utf8");
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      const event = parseLine(line);
      if (event === undefined) {
        if (line.trim() !== "") onUnreadable?.();
        continue;
      }
      if ("truncated" in event) continue;
      const run = runs.get(event.run_id) ?? { runId: event.run_id, events: [] };
      run.events.push(event);
      runs.set(event.run_id, run);
    }
  }
  return [...runs.values()];
}

/**
 * Finds a run by its id, by a unique beginning of its id, or as `last`.
 * @throws UserError if there is none, or more than one
 */
export function findRun(runs: readonly AuditedRun[], wanted: string): AuditedRun {
  const exact = wanted === "last" ? runs.at(-1) : runs.find(({ runId }) => runId === wanted);
  const matches = exact ? [exact] : runs.filter(({ runId }) => runId.startsWith(wanted));
  const [match] = matches;
  if (match !== undefined && matches.length === 1) return match;
  const problem =
    match === undefined
      ? `the audit log has no run "${wanted}"`
      : `${matches.length} runs begin with "${wanted}"`;
  throw new UserError(problem, "list the runs with: corrective-rag audit list", 1);
}

/** Returns one row of a list of runs. */
export function summarize(run: AuditedRun) {
  // Another version, or an editor, may have written anything into a field.
  const started: { question?: unknown } | undefined = run.events.find(
    (event) => event.type === "run_started",
  );
  const ended = run.events.findLast((event) => event.type === "graph_outcome");
  const outcome: unknown = ended?.outcome;
  return {
    runId: run.runId,
    startedAt: run.events[0]?.at ?? "",
    question: typeof started?.question === "string" ? started.question : "",
    outcome: typeof outcome === "string" ? outcome : "running",
    ...(ended && { iterations: ended.iterations, took_ms: ended.took_ms }),
  };
}

export type RunSummary = ReturnType<typeof summarize>;

/** Checks the fields that every event has, and trusts those of its type. */
function parseLine(line: string): RecordedEvent | undefined {
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
