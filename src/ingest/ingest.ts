/** Brings documents into a knowledge base and keeps it in step with them: what is unchanged is left alone, what is gone is removed. */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { UserError } from "../support/errors.js";
import { readPlainFile } from "../support/read-plain-file.js";
import {
  KnowledgeBaseError,
  type DocumentRecord,
  type Passage,
  type WritableKnowledgeBase,
} from "../retrieval/knowledge-base.js";
import type { FetchPage } from "../web/search-provider.js";
import { createBatch, type Batch } from "./batch.js";
import { corpusRecords, isCorpus } from "./corpus.js";
import { MAX_HEADING, type Block } from "../text/block.js";
import { oneLine } from "../text/one-line.js";
import { EmptyDocumentError, LoadError, UnknownKindError } from "./document.js";
import { noteIngestion } from "./ingest-log.js";
import { KnownDocuments } from "./known-documents.js";
import { paragraphs } from "./loaders/text.js";
import { parseFile } from "./parse-file.js";
import type { IngestProgress, IngestReport, NotTaken } from "./report.js";
import { split, SPLITTER_VERSION } from "./split.js";
import { resolveTargets, type SourceFile } from "./targets.js";

/** Files above this are reported and left out; corpora are read as a stream and have no limit. */
const MAX_FILE_BYTES = 200_000_000;

/** What is read, for messages. */
export const FORMATS =
  "Markdown, text, HTML, PDF, Word, PowerPoint, Excel, OpenDocument, RTF, EPUB, CSV or JSON";

export interface IngestOptions {
  /** Files, folders, globs and http(s) URLs. */
  targets: readonly string[];
  knowledgeBase: WritableKnowledgeBase;
  onProgress?: (progress: IngestProgress) => void;
  signal?: AbortSignal;
  /** Needed for URLs. */
  fetchPage?: FetchPage;
  /** Where relative paths start, and what shown paths are relative to. */
  cwd?: string;
  /** False leaves the vectors to whoever opens the knowledge base next; words are found at once. */
  vectors?: boolean;
  /** Folders out of which no target may lead; none means that every path is allowed. */
  roots?: readonly string[];
  /** Where it is noted what was not taken and why, for `documents why-not`. */
  logDirectory?: string;
}

/**
 * Ingests the targets. May be killed at any moment: each document is stored whole or not at all, and the next run completes the work.
 * @throws UserError when a target does not exist, or when the targets hold no documents at all
 * @throws KnowledgeBaseError when the store fails
 */
export async function ingest({
  targets,
  knowledgeBase,
  onProgress,
  signal,
  fetchPage,
  cwd = process.cwd(),
  roots = [],
  vectors = true,
  logDirectory,
}: IngestOptions): Promise<IngestReport> {
  const started = performance.now();
  const { files, folders, unread, urls, skipped } = await resolveTargets(targets, cwd, roots);
  const known = new KnownDocuments(await knowledgeBase.documents());
  if (files.length + urls.length === 0 && !known.anyBelow(folders)) {
    throw new UserError(
      `There are no documents in ${targets.join(", ")}`,
      `Name a folder with ${FORMATS} files.`,
      1,
    );
  }
  const run = new Run(known, createBatch(knowledgeBase, signal), signal);
  const total = files.length + urls.length;
  let done = 0;
  const advance = (at: string): void =>
    onProgress?.({ done: done++, total, path: at, stored: run.stored });
  for (const file of files) {
    signal?.throwIfAborted();
    advance(file.shownPath);
    await run.attempt(file.shownPath, () => run.file(file), file);
  }
  for (const url of urls) {
    signal?.throwIfAborted();
    advance(url);
    await run.attempt(url, () => run.page(url, fetchPage, signal));
  }
  // What was interrupted is no failed document, and nothing was seen to be gone.
  signal?.throwIfAborted();
  await run.batch.flush();
  const gone = known.gone(new Set(files.map((file) => file.absolutePath)), folders, unread);
  for (let start = 0; start < gone.length; start += 500)
    await knowledgeBase.remove(gone.slice(start, start + 500));
  onProgress?.({ done: total, total, path: "", stored: run.stored });
  if (vectors)
    await knowledgeBase.embedPending?.({
      signal,
      onProgress: (progress) =>
        onProgress?.({ ...progress, path: "", stored: run.stored, vectors: true }),
    });
  const { documents, passages } = await knowledgeBase.stats();
  const { added, updated, unchanged, failed } = run;
  skipped.push(...run.skipped);
  if (logDirectory !== undefined)
    await noteIngestion(logDirectory, { seen: files, failed: run.failedFiles, skipped });
  return {
    added,
    updated,
    unchanged,
    removed: gone.length,
    failed,
    skipped,
    documents,
    passages,
    tookMs: Math.round(performance.now() - started),
  };
}

class Run {
  added = 0;
  updated = 0;
  unchanged = 0;
  readonly failed: NotTaken[] = [];
  /** The same by absolute path, without records of corpora and pages. */
  readonly failedFiles: NotTaken[] = [];
  readonly skipped: NotTaken[] = [];

  constructor(
    private readonly known: KnownDocuments,
    readonly batch: Batch,
    private readonly signal: AbortSignal | undefined,
  ) {}

  get stored(): number {
    return this.added + this.updated;
  }

  /** One bad document is reported and must not stop the others; a store that fails must. */
  async attempt(shown: string, work: () => Promise<void>, file?: SourceFile): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.signal?.throwIfAborted();
      if (error instanceof KnowledgeBaseError) throw error;
      const reason = reasonOf(error);
      if (file !== undefined && !(error instanceof EmptyDocumentError))
        this.known.keep(file.absolutePath);
      // In a folder a file of another kind is no failure.
      if (error instanceof UnknownKindError && file?.named === false)
        this.skipped.push({ path: file.absolutePath, reason });
      else {
        this.failed.push({ path: shown, reason });
        if (file !== undefined) this.failedFiles.push({ path: file.absolutePath, reason });
      }
    }
  }

  async file({ absolutePath, shownPath }: SourceFile): Promise<void> {
    const path = this.known.pathFor(absolutePath, shownPath);
    if (await isCorpus(absolutePath)) return this.corpus(path, absolutePath);
    const { bytes, modifiedAt: changedAt } = await readPlainFile(absolutePath, {
      maxBytes: MAX_FILE_BYTES,
      signal: this.signal,
    });
    const hash = hashOf(bytes);
    // The kind and the title are known only after loading, which an unchanged file is spared.
    const state = this.known.state(path, hash);
    if (state === "unchanged") return void this.unchanged++;
    const modifiedAt = changedAt.toISOString();
    const size = bytes.byteLength;
    const { kind, title, passages } = await parseFile(
      { file: absolutePath, bytes, path, modifiedAt },
      { signal: this.signal },
    );
    await this.store(
      state,
      { path, absolutePath, modifiedAt, hash, kind, title, bytes: size },
      passages,
    );
  }

  async page(
    url: string,
    fetchPage: FetchPage | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (fetchPage === undefined) throw new LoadError("web pages cannot be fetched here");
    const page = await fetchPage(url, { signal });
    const hash = hashOf(Buffer.from(`${page.title}\n${page.text}`));
    const state = this.known.state(url, hash);
    if (state === "unchanged") return void this.unchanged++;
    const record = {
      path: url,
      hash,
      kind: "web" as const,
      title: oneLine(page.title || url, MAX_HEADING),
      bytes: Buffer.byteLength(page.text),
      ...(page.date === undefined ? {} : { modifiedAt: page.date }),
    };
    await this.store(state, record, split(record, withoutLines(paragraphs(page.text))));
  }

  private async corpus(shown: string, absolutePath: string): Promise<void> {
    const modifiedAt = (await stat(absolutePath)).mtime.toISOString();
    const ids = new Set<string>();
    for await (const { line, record } of corpusRecords(absolutePath)) {
      this.signal?.throwIfAborted();
      if (record === undefined || ids.has(record.id)) {
        const again = record === undefined ? undefined : `the _id ${record.id} came before`;
        const reason = again ?? "it is not a record with _id and text";
        this.failed.push({ path: `${shown}:${line}`, reason });
        continue;
      }
      ids.add(record.id);
      const path = `${shown}#${record.id}`;
      const hash = hashOf(Buffer.from(JSON.stringify([record.title, record.text])));
      const state = this.known.state(path, hash);
      if (state === "unchanged") {
        this.unchanged++;
        continue;
      }
      const title = oneLine(record.title || record.id, MAX_HEADING);
      const base = { absolutePath, modifiedAt, path, hash, kind: "json" as const, title };
      // All text of a record stands on one line of the file.
      const passages = split(base, withoutLines(paragraphs(record.text))).map((passage) => ({
        ...passage,
        startLine: line,
        endLine: line,
      }));
      await this.store(state, { ...base, bytes: record.bytes }, passages);
    }
    if (ids.size === 0) throw new LoadError("it holds no record with _id and text");
  }

  /** A file that became empty is not kept as it was before. */
  private async store(
    state: "new" | "changed",
    record: DocumentRecord,
    passages: readonly Passage[],
  ): Promise<void> {
    if (passages.length === 0) throw new EmptyDocumentError("it holds no text");
    this.known.see(record.path);
    await this.batch.add(record, passages);
    if (state === "new") this.added++;
    else this.updated++;
  }
}

/** For text that is not the file itself. */
function withoutLines(blocks: readonly Block[]): Block[] {
  return blocks.map(({ text, form, headings }) => ({ text, form, headings }));
}

/** Of the content and of the splitter, so that a better splitter makes old passages anew. */
function hashOf(content: Uint8Array): string {
  return createHash("sha256").update(`${SPLITTER_VERSION}\n`).update(content).digest("hex");
}

function reasonOf(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : "";
  if (code === "EACCES" || code === "EPERM") return "it may not be read (permission denied)";
  if (code === "ENOENT") return "it vanished while ingesting";
  if (code === "EMFILE") return "too many files are open: raise the limit with `ulimit -n`";
  const message = error instanceof Error ? error.message : String(error);
  return oneLine(message, 200) || "it could not be read";
}
