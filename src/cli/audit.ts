/** `audit`: lists the logged runs, or tells the story of one. */
import type { RecordedEvent } from "../observability/events.js";
import {
  findRun,
  readRuns,
  summarize,
  type AuditedRun,
  type RunSummary,
} from "../observability/read-audit.js";
import { UserError } from "../support/errors.js";
import { oneLine } from "../text/one-line.js";
import { counted } from "../text/words.js";
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
  const runs = (await runsIn(log)).map(summarize);
  const shown = runs.slice(Math.max(0, runs.length - limit));
  if (json) printJson({ runs: shown });
  else if (shown.length === 0) say("the audit log holds no runs yet");
  else print(showRuns(shown));
  return DONE;
}

/** `audit show RUN`: the story of one run. */
export async function showOneRun(wanted: string, { json, log }: AuditOptions): Promise<number> {
  const found = findRun(await runsIn(log), wanted);
  if (json) printJson(found);
  else print(showRun(found));
  return DONE;
}

async function runsIn(log: string | undefined): Promise<AuditedRun[]> {
  const path = log ?? (await readSettings()).auditLog;
  if (path === "off")
    throw new UserError(
      "the audit log is switched off",
      "set CRAG_AUDIT_LOG to a file, or name one with --log",
    );
  let unreadable = 0;
  const runs = await readRuns(path, () => unreadable++);
  if (runs.length === 0 && (log !== undefined || unreadable > 0))
    throw new UserError(
      unreadable > 0
        ? `${path} is not an audit log: none of its ${counted(unreadable, "line")} is an event`
        : `there are no runs in ${path}`,
      "name another with --log; runs are written to .corrective-rag/audit.jsonl unless set otherwise",
      FAILED,
    );
  if (unreadable > 0) say(`left out of ${path}: ${counted(unreadable, "line")} without an event`);
  return runs;
}

/** Tells a run as a story: what was asked, searched, found and graded, and how it ended. */
export function showRun(run: AuditedRun): string {
  const { startedAt } = summarize(run);
  const began = Date.parse(startedAt);
  const lines = run.events.flatMap((event) => {
    const [first, ...rest] = tellSafely(event).filter((line) => line !== "");
    if (first === undefined) return [];
    const clock = `${Math.max(0, Date.parse(event.at) - began)} ms`.padStart(9);
    return [`${clock}  ${first}`, ...rest.map((line) => `${" ".repeat(11)}${line}`)];
  });
  return [`Run ${run.runId}, ${startedAt}`, ...lines].join("\n");
}

/** Only names an event that lacks a field, as in a log of another version. */
function tellSafely(event: RecordedEvent): string[] {
  try {
    return tellEvent(event);
  } catch {
    return [`${event.type} (incomplete)`];
  }
}

/** Lists runs, one line each. */
export function showRuns(summaries: readonly RunSummary[]): string {
  return summaries
    .map(
      ({ runId, startedAt, outcome, question }) =>
        `${runId.slice(0, 8)}  ${startedAt.slice(0, 19)}  ${outcome.padEnd(16)}  ${oneLine(question, 80)}`,
    )
    .join("\n");
}
