/**
 * Brings documents into a knowledge base and keeps it in step with them: what is unchanged is left
 * alone, what is gone is removed.
 */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import {
  KnowledgeBaseError,
  type DocumentRecord,
  type Passage,
  type WritableKnowledgeBase,
} from "../retrieval/knowledge-base.js";
import { UserError } from "../support/errors.js";
import { readPlainFile } from "../support/plain-file.js";
import { MAX_HEADING } from "../text/block.js";
import { oneLine } from "../text/one-line.js";
import type { FetchPage } from "../web/search-provider.js";
import { LoadError, whyUnread } from "./document.js";
import { noteIngestion, type NotTaken } from "./documents.js";
import { KnownDocuments } from "./known-documents.js";
import { corpusRecords, isCorpus } from "./loaders/json.js";
import { paragraphs } from "./loaders/text.js";
import { parseFile } from "./parse-file.js";
import { split, SPLITTER_VERSION } from "./split.js";
import { resolveTargets, type SourceFile } from "./targets.js";

/** Files above this are reported and left out; corpora are read as a stream and have no limit. */
const MAX_FILE_BYTES = 200_000_000;
/** Transactions of a middling size: few enough to be fast, small enough to lose little. */
const MAX_BATCH_DOCUMENTS = 200;
const MAX_BATCH_PASSAGES = 400;

/** What is read, for messages. */
export const FORMATS = "Markdown, text, HTML, PDF, Word, PowerPoint, Excel, EPUB, CSV or JSON";

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

/** For a progress bar. */
export interface IngestProgress {
  /** Files and pages done, of `total`. */
  done: number;
  total: number;
  /** The one at hand. */
  path: string;
  /** Documents stored so far in this run; a corpus holds many in one file. */
  stored: number;
  /** `done` and `total` count passages that get a vector. */
  vectors?: true;
}

export interface IngestReport {
  /** Documents that were not there before. */
  added: number;
  updated: number;
  unchanged: number;
  removed: number;
  /** What could not be read; the rest was stored all the same. */
  failed: NotTaken[];
  /** Left out on purpose: images, secrets, links that lead out of the folder. */
  skipped: NotTaken[];
  /** In the knowledge base afterwards. */
  documents: number;
  passages: number;
  tookMs: number;
}

/**
 * Ingests the targets. May be killed at any moment: each document is stored whole or not at all,
 * and the next run completes the work.
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
  const total = files.length + urls.length;
  if (total === 0 && !known.anyBelow(folders))
    throw new UserError(
      `There are no documents in ${targets.join(", ")}`,
      `Name a folder with ${FORMATS} files.`,
      1,
    );
  const run = new Run(known, knowledgeBase, signal);
  let done = 0;
  const advance = (at: string): void =>
    onProgress?.({ done: done++, total, path: at, stored: run.added + run.updated });
  for (const file of files) {
    signal?.throwIfAborted();
    advance(file.shownPath);
    await run.attempt(file.shownPath, () => run.file(file), file);
  }
  for (const url of urls) {
    signal?.throwIfAborted();
    advance(url);
    await run.attempt(url, () => run.page(url, fetchPage));
  }
  // What was interrupted is no failed document, and nothing was seen to be gone.
  signal?.throwIfAborted();
  await run.flush();
  const gone = known.gone(new Set(files.map((file) => file.absolutePath)), folders, unread);
  await knowledgeBase.remove(gone);
  advance("");
  if (vectors)
    await knowledgeBase.embedPending?.({
      signal,
      onProgress: (progress) =>
        onProgress?.({ ...progress, path: "", stored: run.added + run.updated, vectors: true }),
    });
  const { documents, passages } = await knowledgeBase.stats();
  const { added, updated, unchanged, failed, failedFiles } = run;
  skipped.push(...run.skipped);
  if (logDirectory !== undefined)
    await noteIngestion(logDirectory, { seen: files, failed: failedFiles, skipped });
  const removed = gone.length;
  const tookMs = Math.round(performance.now() - started);
  return { added, updated, unchanged, removed, failed, skipped, documents, passages, tookMs };
}

/** The work on one document after another, and its count. */
class Run {
  added = 0;
  updated = 0;
  unchanged = 0;
  readonly failed: NotTaken[] = [];
  /** The same by absolute path, without records of corpora and pages. */
  readonly failedFiles: NotTaken[] = [];
  readonly skipped: NotTaken[] = [];
  private batch: { record: DocumentRecord; passages: readonly Passage[] }[] = [];
  private batchPassages = 0;

  constructor(
    private readonly known: KnownDocuments,
    private readonly knowledgeBase: WritableKnowledgeBase,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** One bad document is reported and must not stop the others; a store that fails must. */
  async attempt(shown: string, work: () => Promise<void>, file?: SourceFile): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.signal?.throwIfAborted();
      if (error instanceof KnowledgeBaseError) throw error;
      const reason = whyUnread(error);
      const kind = error instanceof LoadError ? error.kind : undefined;
      if (file !== undefined && kind !== "empty") this.known.keep(file.absolutePath);
      // In a folder a file of another kind is no failure.
      if (kind === "unknown" && file?.named === false)
        return void this.skipped.push({ path: file.absolutePath, reason });
      this.failed.push({ path: shown, reason });
      if (file !== undefined) this.failedFiles.push({ path: file.absolutePath, reason });
    }
  }

  async file({ absolutePath, shownPath }: SourceFile): Promise<void> {
    const { known, signal } = this;
    const path = known.pathFor(absolutePath, shownPath);
    if (await isCorpus(absolutePath)) return this.corpus(path, absolutePath);
    const plain = await readPlainFile(absolutePath, { maxBytes: MAX_FILE_BYTES, signal });
    const { byteLength } = plain.bytes;
    const hash = hashOf(plain.bytes);
    // The kind and the title are known only after loading, which an unchanged file is spared.
    if (this.isUnchanged(path, hash)) return;
    const modifiedAt = plain.modifiedAt.toISOString();
    const request = { file: absolutePath, bytes: plain.bytes, path, modifiedAt };
    const { kind, title, passages } = await parseFile(request, { signal });
    const record = { path, absolutePath, modifiedAt, hash, kind, title, bytes: byteLength };
    await this.store(record, passages);
  }

  async page(url: string, fetchPage: FetchPage | undefined): Promise<void> {
    if (fetchPage === undefined) throw new LoadError("web pages cannot be fetched here");
    const { title, text, blocks, date } = await fetchPage(url, { signal: this.signal });
    const hash = hashOf(Buffer.from(`${title}\n${text}`));
    if (this.isUnchanged(url, hash)) return;
    const record: DocumentRecord = {
      path: url,
      hash,
      kind: "web",
      title: oneLine(title || url, MAX_HEADING),
      bytes: Buffer.byteLength(text),
      modifiedAt: date,
    };
    await this.store(record, blocks ? split(record, blocks) : passagesOfText(record, text));
  }

  private async corpus(shown: string, absolutePath: string): Promise<void> {
    const modifiedAt = (await stat(absolutePath)).mtime.toISOString();
    for await (const found of corpusRecords(absolutePath)) {
      this.signal?.throwIfAborted();
      const { line } = found;
      if ("refused" in found) {
        this.failed.push({ path: `${shown}:${line}`, reason: found.refused });
        continue;
      }
      const { _id: id, title, text } = found.record;
      const path = `${shown}#${id}`;
      const hash = hashOf(Buffer.from(JSON.stringify([title, text])));
      if (this.isUnchanged(path, hash)) continue;
      const record: DocumentRecord = {
        absolutePath,
        modifiedAt,
        path,
        hash,
        kind: "json",
        title: oneLine(title || id, MAX_HEADING),
        bytes: found.bytes,
      };
      // All text of a record stands on one line of the file.
      const place = { startLine: line, endLine: line };
      const passages = passagesOfText(record, text).map((passage) => ({ ...passage, ...place }));
      await this.store(record, passages);
    }
  }

  private isUnchanged(path: string, hash: string): boolean {
    if (this.known.state(path, hash) !== "unchanged") return false;
    this.unchanged++;
    return true;
  }

  /** A file that became empty is not kept as it was before. */
  private async store(record: DocumentRecord, passages: readonly Passage[]): Promise<void> {
    if (passages.length === 0) throw new LoadError("it holds no text", "empty");
    const isNew = this.known.state(record.path, record.hash) === "new";
    this.known.see(record.path);
    this.batch.push({ record, passages });
    this.batchPassages += passages.length;
    if (this.batch.length >= MAX_BATCH_DOCUMENTS || this.batchPassages >= MAX_BATCH_PASSAGES)
      await this.flush();
    if (isNew) this.added++;
    else this.updated++;
  }

  async flush(): Promise<void> {
    const documents = this.batch;
    this.batch = [];
    this.batchPassages = 0;
    if (documents.length === 0) return;
    try {
      await this.knowledgeBase.put(documents, this.signal);
    } catch (cause) {
      // An embedding endpoint that fails is no fault of the document at hand: it stops the run.
      if (cause instanceof KnowledgeBaseError || this.signal?.aborted === true) throw cause;
      throw new KnowledgeBaseError(
        `Storing ${documents.length} documents failed: ${whyUnread(cause)}`,
        "What was stored before stays; run ingest again.",
        { cause },
      );
    }
  }
}

/** For text that is not the file itself: without lines. */
function passagesOfText(record: DocumentRecord, text: string): Passage[] {
  const blocks = paragraphs(text).map(({ text, form, headings }) => ({ text, form, headings }));
  return split(record, blocks);
}

/** Of the content and of the splitter, so that a better splitter makes old passages anew. */
function hashOf(content: Uint8Array): string {
  return createHash("sha256").update(`${SPLITTER_VERSION}\n`).update(content).digest("hex");
}
