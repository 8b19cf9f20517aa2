/** `ingest` and `documents`: fill the knowledge base, look into it, remove from it. */
import {
  listDocuments,
  removeDocuments,
  showDocument,
  type DocumentSummary,
} from "../ingest/documents.js";
import { namedMetadata } from "../formats/metadata.js";
import {
  countByReason,
  type IngestProgress,
  type IngestReport,
  type NotTaken,
} from "../ingest/report.js";
import { fetchPageFrom } from "../assembly/adapters.js";
import { openForReading, openForWriting } from "../assembly/knowledge-base.js";
import type { KnowledgeBase } from "../retrieval/knowledge-base.js";
import { requireKnownKeys } from "../retrieval/view.js";
import { READABLE_FORMATS } from "../formats/document-formats.js";
import { readFilter } from "../settings/filter.js";
import { describeMetadata, PERMISSION_KEYS } from "../state/metadata.js";
import { CorrectiveRagError, UserError } from "../support/errors.js";
import { isInstalled } from "../support/packages.js";
import { portOf } from "../support/web-address.js";
import { counted } from "../text/words.js";
import { hasKnowledgeBase, loadDotEnv, openablePath, readSettings, sayNotice } from "./open.js";
import { DONE, FAILED, interruptSignal } from "./report-error.js";
import { createProgressBar, print, printable, printJson, say, styleFor } from "./terminal.js";

interface DocumentsOptions {
  kb?: string;
  json?: boolean;
}

/** Files that are listed one by one; there may be thousands. */
const LISTED = 20;
/** Nobody asks how long less takes. */
const LONG_IN_MS = 20_000;

interface IngestFlags extends DocumentsOptions {
  meta?: string[];
  watch?: boolean;
  /** In minutes. */
  every?: number;
}

/** `ingest`: brings the knowledge base up to date; fails if a file could not be read. */
export async function ingestTargets(
  given: string[],
  { kb, json, meta = [], watch = false, every }: IngestFlags,
): Promise<number> {
  const metadata = namedMetadata(meta);
  const [
    { ingest },
    { addressIn, resolveTargets, watchedPaths },
    { openConnectors },
    { watchPaths },
  ] = await Promise.all([
    import("../ingest/ingest.js"),
    import("../ingest/targets.js"),
    import("../ingest/connectors.js"),
    import("../ingest/watch.js"),
  ]);
  const goesOn = watch || every !== undefined;
  // Connectors take their keys from it.
  await loadDotEnv();
  const { paths: targets, loaders } = await openConnectors(given);
  const signal = interruptSignal();
  // Checked first, so that a mistyped path leaves no empty knowledge base behind.
  const { files, urls } = await resolveTargets(targets, process.cwd());
  const isEmpty = files.length + urls.length + Object.keys(loaders).length === 0;
  if (isEmpty && !(await hasKnowledgeBase({ kb })))
    throw new UserError(
      `there are no documents in ${targets.join(", ")}`,
      `name files, folders or globs of these formats: ${READABLE_FORMATS}`,
      FAILED,
    );
  const settings = await readSettings();
  // Only hosts and ports that the user named may be on this machine or network.
  const named = urls.map(addressIn).filter((url) => URL.canParse(url));
  const hosts = named.map((url) => `${new URL(url).hostname}:${portOf(new URL(url))}`);
  const fetchPage = fetchPageFrom(settings, hosts);
  const knowledgeBase = await openForWriting({ settings, directory: kb });
  const options = { targets, loaders, knowledgeBase, fetchPage, metadata, signal };
  const bar = createProgressBar();
  try {
    const report = await ingest({ ...options, onProgress: progressOn(bar, knowledgeBase) });
    bar.end();
    if (json) printJson({ knowledge_base: knowledgeBase.name, ...report });
    else tell(report, knowledgeBase.name);
    if (!goesOn) return report.failed.length > 0 ? FAILED : DONE;
    say("waiting for changes; Ctrl+C ends it");
    const again = async (): Promise<void> => {
      try {
        const { failed } = await ingest({
          ...options,
          onChange: (path, change) => print(`${change} ${printable(path)}`),
        });
        listed(failed, "could not read");
      } catch (error) {
        // A folder or a service may be gone for a while.
        if (signal.aborted || !CorrectiveRagError.isInstance(error)) throw error;
        say(error.message);
      }
    };
    const paths = watch ? watchedPaths(targets, process.cwd()) : [];
    await watchPaths(paths, again, { signal, everyMs: every && every * 60_000 });
    return DONE;
  } catch (error) {
    bar.end();
    if (signal.aborted)
      say("interrupted: what was stored stays; run the same command again to finish");
    throw error;
  } finally {
    await knowledgeBase.close();
  }
}

/** Shows progress, and says once how long the vectors take, judged by the first ones. */
function progressOn(bar: ReturnType<typeof createProgressBar>, knowledgeBase: KnowledgeBase) {
  let readAt = performance.now();
  let wasAnnounced = false;
  return ({ done, total, path, stored, vectors }: IngestProgress): void => {
    const now = performance.now();
    if (!vectors) readAt = now;
    const left = ((now - readAt) / Math.max(1, done)) * (total - done);
    if (vectors && !wasAnnounced && left >= LONG_IN_MS) {
      wasAnnounced = true;
      bar.end();
      const rest = `${counted(total - done, "more passage")} can be found by meaning`;
      say(`everything is stored and can be asked about; in about ${durationOf(left)}, ${rest}`);
      // The shipped encoder's model has a version: an endpoint would be no faster.
      if (knowledgeBase.vectorModel?.includes("@") && !isInstalled("onnxruntime-node"))
        say("five to six times faster with: npm install onnxruntime-node");
    }
    bar.update(done, total, vectors ? "passages embedded" : `${stored} stored  ${path}`);
  };
}

function tell(report: IngestReport, name: string): void {
  const { added, updated, unchanged, removed, embedded } = report;
  const { failed, skipped, documents, passages } = report;
  const { red, dim } = styleFor(process.stderr);
  listed(failed, red("could not read"));
  if (skipped.length > LISTED)
    for (const { reason, count } of countByReason(skipped))
      say(`${dim("left out")} ${count} files: ${printable(reason)}`);
  else listed(skipped, dim("left out"));
  const outcomes = { added, updated, unchanged, removed };
  const counts = Object.entries({ ...outcomes, "left out": skipped.length, failed: failed.length })
    .filter(([, count]) => count > 0)
    .map(([what, count], at) => `${at === 0 ? counted(count, "file") : count} ${what}`);
  const done = counts.join(", ") || "no files";
  const vectors =
    embedded > 0 ? `; ${counted(embedded, "passage")} made searchable by meaning` : "";
  print(`${done}${vectors}, in ${durationOf(report.took_ms)}`);
  print(`${name} holds ${counted(documents, "document")}, ${counted(passages, "passage")}`);
}

/** `3.2 s`, `14 min 34 s` */
function durationOf(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

function listed(items: readonly NotTaken[], what: string): void {
  for (const { path, reason } of items.slice(0, LISTED))
    say(`${what} ${printable(path)}: ${printable(reason)}`);
  if (items.length > LISTED) say(`… and ${items.length - LISTED} more`);
}

/** Opens the knowledge base, looks something up in it, and prints that as JSON or in words. */
async function lookUp<Found>(
  { kb, json }: DocumentsOptions,
  find: (knowledgeBase: KnowledgeBase) => Promise<Found>,
  tell: (found: Found, name: string) => void,
): Promise<number> {
  const settings = await readSettings();
  const knowledgeBase = await openForReading({ settings, directory: kb, notice: sayNotice });
  try {
    const found = await find(knowledgeBase);
    if (json) printJson(found);
    else tell(found, knowledgeBase.name);
    return DONE;
  } finally {
    await knowledgeBase.close();
  }
}

export function list(
  words: string[],
  {
    page = 1,
    limit = 50,
    filter,
    ...options
  }: DocumentsOptions & { page?: number; limit?: number; filter?: string },
): Promise<number> {
  const passing = filter === undefined ? undefined : readFilter(filter);
  const listing = { words: words.join(" "), offset: (page - 1) * limit, limit };
  return lookUp(
    options,
    // Whoever can open the file may see all of it, with who else may.
    async (knowledgeBase) => {
      if (passing !== undefined) await requireKnownKeys(knowledgeBase, passing);
      return listDocuments(knowledgeBase, { ...listing, filter: passing });
    },
    ({ documents, total }, name) => {
      if (total === 0 && listing.words !== "") {
        say(`no document in ${name} matches "${listing.words}"`);
        return say("  the commands are list, show and remove");
      }
      for (const document of documents) print(lineOf(document));
      const pages = Math.ceil(total / limit);
      const next =
        pages > 1 ? `, page ${page} of ${pages} (--page ${page < pages ? page + 1 : 1})` : "";
      say(`${documents.length} of ${counted(total, "document")} in ${name}${next}`);
    },
  );
}

export function show(file: string, options: DocumentsOptions): Promise<number> {
  return lookUp(
    options,
    async (knowledgeBase) => {
      const found = await showDocument(knowledgeBase, file);
      if (found !== undefined) return found;
      throw new UserError(
        `there is no document ${file} in ${knowledgeBase.name}`,
        "corrective-rag documents list; ingest says why it left a file out",
        FAILED,
      );
    },
    ({ document, passages }) => {
      const { bold, dim } = styleFor(process.stdout);
      print(lineOf(document), bold);
      for (const { startLine, page, heading, text } of passages) {
        const place = [startLine && `line ${startLine}`, page && `page ${page}`, heading];
        print(`\n${place.filter(Boolean).join(", ")}`, dim);
        print(text);
      }
    },
  );
}

export async function remove(targets: string[], { kb, json }: DocumentsOptions): Promise<number> {
  // Opening it for writing would create an empty one, which hides the demo.
  if (!(await hasKnowledgeBase({ kb })))
    throw new UserError(
      "you have no knowledge base to remove documents from",
      "create one with: corrective-rag ingest PATH",
      FAILED,
    );
  const knowledgeBase = await openForWriting({ settings: await readSettings(), directory: kb });
  try {
    const { removed, unknown } = await removeDocuments(knowledgeBase, targets);
    if (json) printJson({ removed, unknown });
    else {
      for (const path of removed) print(`removed ${path}`);
      for (const target of unknown) say(`there is no document ${printable(target)}`);
      say(`${removed.length} removed; the files themselves stay`);
    }
    return unknown.length > 0 ? FAILED : DONE;
  } finally {
    await knowledgeBase.close();
  }
}

/** Describes a document in one line that begins with a path that opens from here. */
function lineOf(document: DocumentSummary): string {
  const { passages, modifiedAt, state, metadata = {} } = document;
  const changed = modifiedAt?.slice(0, 10);
  const facts = [counted(passages, "passage"), changed, state === "current" ? "" : state];
  const who = PERMISSION_KEYS.flatMap((key) =>
    key in metadata ? [`${key}: ${[metadata[key]].flat().join(" / ") || "nobody"}`] : [],
  );
  const about = [...who, describeMetadata(metadata)].filter(Boolean).join(", ");
  const place = openablePath(document).replaceAll("\n", " ");
  const line = `${place}  (${facts.filter(Boolean).join(", ")})`;
  return about === "" ? line : `${line}  ${printable(about)}`;
}
