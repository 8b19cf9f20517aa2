import { UserError } from "../support/errors.js";
import type { IngestReport } from "../ingest/report.js";
import { interruptSignal } from "./interrupt.js";
import { hasKnowledgeBase, openForIngestion } from "./open-agent.js";
import type { IngestOptions } from "./options.js";
import { createProgressBar } from "./progress-bar.js";
import { DONE, FAILED } from "./report-error.js";
import { printable, printJson, say, styleFor } from "./terminal.js";

/** Failures that are listed one by one; a corpus may hold thousands. */
const LISTED = 20;

/** `ingest`: brings the knowledge base in step with the targets. Fails only when not one document could be read. */
export async function ingestTargets(
  targets: string[],
  { kb, json }: IngestOptions,
): Promise<number> {
  const signal = interruptSignal();
  const [{ ingest }, { resolveTargets }] = await Promise.all([
    import("../ingest/ingest.js"),
    import("../ingest/targets.js"),
  ]);
  // Before anything is opened: a mistyped path must not leave an empty knowledge base behind, which `ask` would then search.
  const { files, urls } = await resolveTargets(targets, process.cwd());
  if (files.length + urls.length === 0 && !(await hasKnowledgeBase({ kb }))) {
    throw new UserError(
      `there are no documents in ${targets.join(", ")}`,
      "name files, folders or globs of Markdown, text, HTML, PDF, DOCX, EPUB, CSV or JSON",
      FAILED,
    );
  }
  const { knowledgeBase, fetchPage } = await openForIngestion({ kb, urls });
  const bar = createProgressBar();
  try {
    const report = await ingest({
      targets,
      knowledgeBase,
      fetchPage,
      signal,
      onProgress: ({ done, total, path, stored, vectors }) =>
        bar.update(done, total, vectors ? "passages embedded" : `${stored} stored  ${path}`),
    });
    bar.end();
    if (json) printJson({ knowledge_base: knowledgeBase.name, ...report });
    else tell(report, knowledgeBase.name);
    return report.failed.length > 0 && report.added + report.updated + report.unchanged === 0
      ? FAILED
      : DONE;
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

function tell(
  {
    added,
    updated,
    unchanged,
    removed,
    failed,
    skipped,
    documents,
    passages,
    tookMs,
  }: IngestReport,
  name: string,
): void {
  const style = styleFor(process.stderr);
  for (const { path, reason } of failed.slice(0, LISTED))
    say(`${style.red("could not read")} ${printable(path)}: ${printable(reason)}`);
  if (failed.length > LISTED) say(`… and ${failed.length - LISTED} more`);
  for (const { path, reason } of skipped.slice(0, LISTED))
    say(`${style.dim("left out")} ${printable(path)}: ${printable(reason)}`);
  if (skipped.length > LISTED) say(`… and ${skipped.length - LISTED} more`);
  const changes = [
    `${added} added`,
    `${updated} updated`,
    `${unchanged} unchanged`,
    `${removed} removed`,
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
  ];
  process.stdout.write(
    `${changes.join(", ")} in ${(tookMs / 1000).toFixed(1)} s\n${name} holds ${documents} documents, ${passages} passages\n`,
  );
}
