/**
 * `eval label`: turns past runs into evidence to label. What was judged is in the audit log only where CRAG_AUDIT_RECORD_INPUTS is on.
 *
 * On a terminal each question is shown with its passages, and what the user marks is written, line by line. Elsewhere the lines are written with
 * `relevant` and `answerable` as null, to be filled in by an editor; the evaluation refuses them until then and names the line.
 */
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { z } from "zod";
import { readEnvironment } from "../src/settings/environment.js";
import { completeSettings } from "../src/settings/run-settings.js";
import { UserError } from "../src/support/errors.js";
import type { ReadablePassage } from "../src/reader/reader.js";
import { asPassage } from "../src/state/evidence.js";
import type { RecordedEvent } from "../src/observability/events.js";
import { readRuns, type AuditedRun } from "../src/observability/audit-log.js";
import { EvidenceSourceSchema } from "../src/state/evidence.js";
import { askLabels } from "./label-prompt.js";

/** A line of the evidence format whose labels may be open. */
export interface Labelling {
  /** Of the run. */
  id: string;
  question: string;
  answers: string[] | null;
  answerable: boolean | null;
  passages: (ReadablePassage & { relevant: boolean | null })[];
}

export interface LabelReport {
  out: string;
  /** Runs with recorded inputs that were not in the file yet. */
  found: number;
  labelled: number;
  /** Written without labels. */
  unlabelled: number;
}

/** What of the recorded inputs is needed. */
const InputsSchema = z.object({
  question: z.string(),
  evidence: z.array(
    z.object({ title: z.string(), text: z.string(), source: EvidenceSourceSchema }),
  ),
});

/**
 * Appends to `out`; runs that are in it already are passed over, so that a session can be broken off and taken up again.
 * @throws UserError when the log holds nothing to label
 */
export async function runLabel({
  log,
  out,
  limit,
  interactive = process.stdin.isTTY && process.stderr.isTTY,
}: {
  log?: string;
  out: string;
  limit?: number;
  interactive?: boolean;
}): Promise<LabelReport> {
  const path = log ?? completeSettings(readEnvironment(process.env).settings).auditLog;
  const all = (await readRuns(path)).runs.flatMap((run) => labellingOf(run) ?? []);
  if (all.length === 0)
    throw new UserError(
      `${path} holds no recorded evidence`,
      "ask some questions with CRAG_AUDIT_RECORD_INPUTS=on, or name another log with --log",
      1,
    );
  const before = await knownIds(out);
  const fresh = oncePerQuestion(all)
    .filter(({ id }) => !before.has(id))
    .slice(0, limit);
  let labelled = 0;
  if (!interactive) await write(out, fresh);
  else
    for (const [index, each] of fresh.entries()) {
      const done = await askLabels(each, { number: index + 1, total: fresh.length });
      if (done === "stop") break;
      if (done === "skip") continue;
      await write(out, [done]);
      labelled += 1;
    }
  return { out, found: fresh.length, labelled, unlabelled: interactive ? 0 : fresh.length };
}

/** The evidence of the first round, as it was retrieved: what a correction found is no fair sample. Undefined where no inputs were recorded. */
function labellingOf({ runId, events }: AuditedRun): Labelling | undefined {
  const graded = events.find(
    (event): event is RecordedEvent & { type: "evidence_graded" } =>
      event.type === "evidence_graded",
  );
  const parsed = InputsSchema.safeParse(graded?.inputs);
  if (!parsed.success || parsed.data.evidence.length === 0) return undefined;
  const { question, evidence } = parsed.data;
  return {
    id: runId,
    question,
    answers: null,
    answerable: null,
    passages: evidence.map((item) => ({ ...asPassage(item), relevant: null })),
  };
}

/** Of a question that was asked several times, the last run. */
function oncePerQuestion(labellings: readonly Labelling[]): Labelling[] {
  return [
    ...new Map(labellings.map((each) => [each.question.trim().toLowerCase(), each])).values(),
  ];
}

async function knownIds(file: string): Promise<Set<string>> {
  const content = await readFile(file, "utf8").catch(() => undefined);
  if (content === undefined) {
    await writeFile(file, "");
    return new Set();
  }
  return new Set([...content.matchAll(/"id":"([^"]+)"/gu)].map(([, id]) => id ?? ""));
}

async function write(file: string, lines: readonly Labelling[]): Promise<void> {
  await appendFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}
