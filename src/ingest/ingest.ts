/** Brings documents into a knowledge base and keeps it in step with them: what is unchanged is left alone, what is gone is removed. */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { UserError } from "../settings/user-error.js";
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
import { EmptyDocumentError, LoadError, type Block } from "./document.js";
import { KnownDocuments } from "./known-documents.js";
import { loadFile } from "./load-file.js";
import { paragraphs } from "./loaders/text.js";
import type { IngestProgress, IngestReport } from "./report.js";
import { splitInTurns, SPLITTER_VERSION } from "./split.js";
import { resolveTargets, type SourceFile } from "./targets.js";

/** Files above this are reported and left out; corpora are read as a stream and have no limit. */
const MAX_FILE_BYTES = 200_000_000;

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
  /** Folders out of which no target may lead; none means that every path is allowed. */
  roots?: readonly string[];
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
}: IngestOptions): Promise<IngestReport> {
  const started = performance.now();
  const { files, folders, unread, urls, skipped } = await resolveTargets(targets, cwd, roots);
  const known = new KnownDocuments(await knowledgeBase.documents());
  if (files.length + urls.length === 0 && !known.anyBelow(folders)) {
    throw new UserError(
      `There are no documents in ${targets.join(", ")}`,
      "Name a folder with Markdown, text, HTML, PDF, DOCX, EPUB, CSV or JSON files.",
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
    await run.attempt(
      file.shownPath,
      () => run.file(file),
      () => known.keep(file.absolutePath),
    );
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
  const { documents, passages } = await knowledgeBase.stats();
  const { added, updated, unchanged, failed } = run;
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
  readonly failed: IngestReport["failed"] = [];

  constructor(
    private readonly known: KnownDocuments,
    readonly batch: Batch,
    private readonly signal: AbortSignal | undefined,
  ) {}

  get stored(): number {
    return this.added + this.updated;
  }

  /** One bad document is reported and must not stop the others; a store that fails must. */
  async attempt(shown: string, work: () => Promise<void>, onFailure?: () => void): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (
        error instanceof KnowledgeBaseError ||
        (error instanceof Error && error.name === "AbortError")
      )
        throw error;
      this.failed.push({ path: shown, reason: reasonOf(error) });
      if (!(error instanceof EmptyDocumentError)) onFailure?.();
    }
  }

  async file(file: SourceFile): Promise<void> {
    const shown = this.known.pathFor(file.absolutePath, file.shownPath);
    const { mtime } = await stat(file.absolutePath);
    const base = { absolutePath: file.absolutePath, modifiedAt: mtime.toISOString() };
    if (await isCorpus(file.absolutePath)) return this.corpus(shown, base);
    const { bytes } = await readPlainFile(file.absolutePath, {
      maxBytes: MAX_FILE_BYTES,
      signal: this.signal,
    });
    const hash = hashOf(bytes);
    // The kind and the title are known only after loading, which is what an unchanged file is spared.
    const state = this.known.state(shown, hash);
    if (state === "unchanged") return void this.unchanged++;
    const { kind, title, blocks } = await loadFile(file.absolutePath, bytes);
    const record = { ...base, path: shown, hash, kind, title, bytes: bytes.byteLength };
    await this.store(state, record, textOf(await splitInTurns(record, blocks, this.signal)));
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
    const blocks = withoutLines(paragraphs(page.text));
    const date = page.date === undefined ? {} : { modifiedAt: page.date };
    const record = {
      path: url,
      hash,
      kind: "web" as const,
      title: page.title || url,
      bytes: Buffer.byteLength(page.text),
      ...date,
    };
    await this.store(state, record, textOf(await splitInTurns(record, blocks, this.signal)));
  }

  private async corpus(
    shown: string,
    base: Pick<DocumentRecord, "absolutePath" | "modifiedAt">,
  ): Promise<void> {
    const ids = new Set<string>();
    for await (const { line, record } of corpusRecords(base.absolutePath ?? "")) {
      if (record === undefined || ids.has(record.id)) {
        this.failed.push({
          path: `${shown}:${line}`,
          reason:
            record === undefined
              ? "it is not a record with _id and text"
              : `the _id ${record.id} came before`,
        });
        continue;
      }
      ids.add(record.id);
      const documentPath = `${shown}#${record.id}`;
      const hash = hashOf(Buffer.from(JSON.stringify([record.title, record.text])));
      const state = this.known.state(documentPath, hash);
      if (state === "unchanged") {
        this.unchanged++;
        continue;
      }
      const stored = {
        ...base,
        path: documentPath,
        hash,
        kind: "json" as const,
        title: record.title || record.id,
        bytes: record.bytes,
      };
      // All text of a record stands on one line of the file.
      const passages = (
        await splitInTurns(stored, withoutLines(paragraphs(record.text)), this.signal)
      ).map((passage) => ({
        ...passage,
        startLine: line,
        endLine: line,
      }));
      await this.store(state, stored, passages);
    }
    if (ids.size === 0) throw new LoadError("it holds no record with _id and text");
  }

  private async store(
    state: "new" | "changed",
    record: DocumentRecord,
    passages: readonly Passage[],
  ): Promise<void> {
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

/** A file that became empty is not kept as it was before. */
function textOf(passages: Passage[]): Passage[] {
  if (passages.length === 0) throw new EmptyDocumentError("it holds no text");
  return passages;
}

function reasonOf(error: unknown): string {
  if (error instanceof LoadError) return error.message;
  if (error instanceof Error && "code" in error && typeof error.code === "string") {
    if (error.code === "EACCES" || error.code === "EPERM")
      return "it may not be read (permission denied)";
    if (error.code === "ENOENT") return "it vanished while ingesting";
  }
  return (
    (error instanceof Error ? error.message : String(error)).split("\n")[0]?.slice(0, 200) ??
    "it could not be read"
  );
}
