/** `audit`: lists the logged runs, or tells the story of one. */
import type { RecordedEvent } from "../observability/events.js";
import { readRuns, type AuditedRun } from "../observability/audit-log.js";
import { UserError } from "../support/errors.js";
import { counted, oneLine } from "../text/words.js";
import { readSettings } from "./open.js";
import { DONE, FAILED } from "./report-error.js";
import { tellEvent } from "./tell-event.js";
import { print, printJson, say } from "./terminal.js";

interface AuditOptions {
  log?: string;
  json?: boolean;
  limit?: number;
}

/** `audit list`: one line per run, newest last. */
export async function listRuns({ json, limit = Infinity, log }: AuditOptions): Promise<number> {
  const runs = (await runsIn(log)).slice(-limit).map(summarize);
  if (json) printJson({ runs });
  else if (runs.length === 0) say("the audit log holds no runs yet");
  else
    for (const { runId, startedAt, outcome, question } of runs)
      print(
        [runId.slice(0, 8), startedAt.slice(0, 19), outcome.padEnd(16), oneLine(question, 80)].join(
          "  ",
        ),
      );
  return DONE;
}

/** `audit show RUN`: the story of one run. */
export async function showOneRun(id: string, { json, log }: AuditOptions): Promise<number> {
  const run = findRun(await runsIn(log), id);
  if (json) printJson(run);
  else print(storyOf(run));
  return DONE;
}

async function runsIn(log: string | undefined): Promise<AuditedRun[]> {
  const path = log ?? (await readSettings()).auditLog;
  if (path === "off")
    throw new UserError(
      "the audit log is switched off",
      "set CRAG_AUDIT_LOG to a file, or name one with --log",
    );
  const { runs, unreadableLines } = await readRuns(path);
  if (unreadableLines > 0)
    say(`left out of ${path}: ${counted(unreadableLines, "line")} without an event`);
  if (runs.length === 0 && log !== undefined)
    throw new UserError(`there are no runs in ${path}`, "name another with --log", FAILED);
  return runs;
}

/**
 * Returns the newest run whose id, or that of its request, begins so; with `last` the newest.
 * @throws UserError if there is none
 */
export function findRun(runs: readonly AuditedRun[], id: string): AuditedRun {
  const found = runs.findLast(
    ({ runId, events }) =>
      id === "last" ||
      runId.startsWith(id) ||
      events.some((each) => "request_id" in each && each.request_id === id),
  );
  if (found !== undefined) return found;
  throw new UserError(
    `the audit log has no run "${id}"`,
    "list the runs with: corrective-rag audit list",
    FAILED,
  );
}

export function summarize({ runId, events }: AuditedRun) {
  const started = events.find((event) => event.type === "run_started");
  const ended = events.findLast((event) => event.type === "graph_outcome");
  return {
    runId,
    startedAt: events[0]?.at ?? "",
    question: started?.question ?? "",
    outcome: ended?.status ?? "running",
    ...(ended && { iterations: ended.iterations, took_ms: ended.took_ms }),
  };
}

/** Says what was asked, searched, found and graded, and how the run ended. */
export function storyOf({ runId, events }: AuditedRun): string {
  const startedAt = events[0]?.at ?? "";
  const lines = events.map((event) => {
    const clock = `${Math.max(0, Date.parse(event.at) - Date.parse(startedAt))} ms`.padStart(9);
    const line = tellSafely(event);
    return line === "" ? "" : `${clock}  ${line}`;
  });
  const ended = events.findLast((event) => event.type === "graph_outcome");
  return [`Run ${runId}, ${startedAt}`, ...lines.filter(Boolean), "", ended?.answer ?? ""]
    .join("\n")
    .trimEnd();
}

/** Only names an event that lacks a field, as in a log of another version. */
function tellSafely(event: RecordedEvent): string {
  try {
    return tellEvent(event);
  } catch {
    return `${event.type} (incomplete)`;
  }
}
