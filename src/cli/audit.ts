import { stat } from "node:fs/promises";
import { UserError } from "../support/errors.js";
import { readSettings } from "./open.js";
import { findRun, readRuns, summarise, type AuditedRun } from "../observability/read-audit.js";
import { showRun, showRuns } from "../observability/show-run.js";
import { DONE, FAILED } from "./report-error.js";
import { printable, printJson, say } from "./terminal.js";

export interface AuditOptions {
  log?: string;
  json?: boolean;
  limit?: number;
}

/** `audit list`: one line per run, newest last. */
export async function listRuns({ json, limit, ...options }: AuditOptions): Promise<number> {
  const runs = (await runsIn(options)).map(summarise);
  const shown = limit === undefined ? runs : runs.slice(Math.max(0, runs.length - limit));
  if (json) printJson({ runs: shown });
  else if (shown.length === 0) say("the audit log holds no runs yet");
  else print(showRuns(shown));
  return DONE;
}

/** `audit show RUN`: the story of one run. */
export async function showOneRun(
  wanted: string,
  { json, ...options }: AuditOptions,
): Promise<number> {
  const run = await theRun(wanted, options);
  if (json) printJson(run);
  else print(showRun(run));
  return DONE;
}

async function theRun(wanted: string, options: AuditOptions): Promise<AuditedRun> {
  const found = findRun(await runsIn(options), wanted);
  if (found.success) return found.run;
  throw new UserError(found.error, "corrective-rag audit list shows the runs there are", FAILED);
}

async function runsIn({ log }: AuditOptions): Promise<AuditedRun[]> {
  const path = log ?? (await readSettings()).auditLog;
  if (path === "off")
    throw new UserError(
      "the audit log is switched off",
      "set CRAG_AUDIT_LOG to a file, or name one with --log",
    );
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile())
    throw new UserError(`${path} is not a file`, "name an audit log with --log", FAILED);
  let unreadable = 0;
  const runs = await readRuns(path, () => unreadable++);
  if (found === undefined && log !== undefined && runs.length === 0) {
    throw new UserError(
      `there is no audit log ${path}`,
      "each run writes one, in .corrective-rag/audit.jsonl unless set otherwise",
      FAILED,
    );
  }
  if (runs.length === 0 && unreadable > 0)
    throw new UserError(
      `${path} is not an audit log: none of its ${unreadable} lines is an event`,
      "name another with --log",
      FAILED,
    );
  if (unreadable > 0) say(`${unreadable} lines of ${path} are no events and were left out`);
  return runs;
}

function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}
