import { countByReason, type NotTaken } from "../ingest/documents.js";
import { FORMATS, ingest, type IngestReport } from "../ingest/ingest.js";
import { resolveTargets } from "../ingest/targets.js";
import { UserError } from "../support/errors.js";
import { interruptSignal } from "./interrupt.js";
import { hasKnowledgeBase, openForChanging } from "./open.js";
import { DONE, FAILED } from "./report-error.js";
import { createProgressBar, printable, printJson, say, styleFor } from "./terminal.js";

export interface IngestOptions {
  kb?: string;
  json?: boolean;
}

/** Files that are listed one by one; a corpus may hold thousands. */
const LISTED = 20;

/** `ingest`: brings the knowledge base in step with the targets. Fails when a file could not be read; the others are stored all the same. */
export async function ingestTargets(
  targets: string[],
  { kb, json }: IngestOptions,
): Promise<number> {
  const signal = interruptSignal();
  // Before anything is opened: a mistyped path must not leave an empty knowledge base behind, which `ask` would then search.
  const { files, urls } = await resolveTargets(targets, process.cwd());
  if (files.length + urls.length === 0 && !(await hasKnowledgeBase({ kb }))) {
    throw new UserError(
      `there are no documents in ${targets.join(", ")}`,
      `name files, folders or globs of ${FORMATS}`,
      FAILED,
    );
  }
  const { knowledgeBase, fetchPage, folder } = await openForChanging({ kb, urls });
  const bar = createProgressBar();
  try {
    const report = await ingest({
      targets,
      knowledgeBase,
      fetchPage,
      signal,
      logDirectory: folder,
      onProgress: ({ done, total, path, stored, vectors }) =>
        bar.update(done, total, vectors ? "passages embedded" : `${stored} stored  ${path}`),
    });
    bar.end();
    if (json) printJson({ knowledge_base: knowledgeBase.name, ...report });
    else tell(report, knowledgeBase.name);
    return report.failed.length > 0 ? FAILED : DONE;
  } catch (error) {
    bar.end();
    if (signal.aborted)
      say("interrupted: what was stored stays; the same command again completes the work");
    throw error;
  } finally {
    bar.end();
    await knowledgeBase.close();
  }
}

function tell(report: IngestReport, name: string): void {
  const { added, updated, unchanged, removed, failed, skipped, documents, passages } = report;
  const { red, dim } = styleFor(process.stderr);
  listed(failed, red("could not read"));
  if (skipped.length > LISTED)
    for (const { reason, count } of countByReason(skipped))
      say(`${dim("left out")} ${count} files: ${printable(reason)}`);
  else listed(skipped, dim("left out"));
  const changes = [
    `${added} added`,
    `${updated} updated`,
    `${unchanged} unchanged`,
    `${removed} removed`,
    ...(skipped.length > 0 ? [`${skipped.length} left out`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
  ];
  process.stdout.write(
    `${changes.join(", ")} in ${(report.tookMs / 1000).toFixed(1)} s\n${name} holds ${documents} documents, ${passages} passages\n`,
  );
  if (failed.length > 0) say(dim("why a file is missing: corrective-rag documents why-not FILE"));
}

function listed(items: readonly NotTaken[], what: string): void {
  for (const { path, reason } of items.slice(0, LISTED))
    say(`${what} ${printable(path)}: ${printable(reason)}`);
  if (items.length > LISTED) say(`… and ${items.length - LISTED} more`);
}
