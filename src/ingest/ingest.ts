/** Brings a knowledge base in step with its documents: stores what is new, removes what is gone. */
import { createHash } from "node:crypto";
import {
  KnowledgeBaseError,
  type DocumentRecord,
  type Passage,
  type StoredDocument,
  type WritableKnowledgeBase,
} from "../retrieval/knowledge-base.js";
import { READABLE_FORMATS } from "../formats/document-formats.js";
import { mergeMetadata, type Metadata } from "../state/metadata.js";
import { UserError } from "../support/errors.js";
import { readPlainFile } from "../support/plain-file.js";
import { MAX_HEADING } from "../text/block.js";
import { oneLine } from "../text/words.js";
import { lastSegment } from "../support/web-address.js";
import type { FetchPage } from "../web/search-provider.js";
import {
  pagesOfSitemap,
  remoteDocuments,
  type DocumentLoader,
  type RemoteDocument,
} from "./remote-documents.js";
import { LoadError, MAX_FILE_BYTES, whyUnread } from "../formats/document.js";
import { KnownDocuments } from "./documents.js";
import { paragraphs } from "../formats/loaders/text.js";
import { folderMetadata, htmlProperties } from "../formats/metadata.js";
import { parseFile } from "./parse-file.js";
import type { IngestProgress, IngestReport, NotTaken } from "./report.js";
import { split, SPLITTER_VERSION } from "./split.js";
import { addressIn, isSitemap, resolveTargets, type SourceFile } from "./targets.js";

/** A transaction this large is fast, and little is lost when it is interrupted. */
const MAX_BATCH_PASSAGES = 400;

export interface IngestOptions {
  /** Files, folders, globs, http(s) URLs, and sitemaps as `sitemap:URL`. */
  targets: readonly string[];
  /**
   * Document loaders of LangChain by a name of yours. What a loader no longer returns is removed.
   * @example { wiki: new ConfluencePagesLoader({ baseUrl, spaceKey }) }
   */
  loaders?: Readonly<Record<string, DocumentLoader>>;
  knowledgeBase: WritableKnowledgeBase;
  onProgress?: (progress: IngestProgress) => void;
  /** Told of each document as it is stored or removed. */
  onChange?: (path: string, change: "added" | "updated" | "removed") => void;
  signal?: AbortSignal;
  /** Needed for URLs. */
  fetchPage?: FetchPage;
  /** Base of relative paths, given and shown. */
  cwd?: string;
  /** False leaves the vectors to whoever opens the knowledge base next; words are found at once. */
  vectors?: boolean;
  /** Folders that no target may leave; none means that every path is allowed. */
  roots?: readonly string[];
  /** Of all that is ingested; `folder.meta.yaml` and what a document says go before it. */
  metadata?: Metadata;
}

/**
 * Ingests the targets. May be killed at any moment: each document is stored whole or not at all,
 * and the next run completes the work.
 * @throws UserError when a target does not exist, or when the targets hold no documents at all
 * @throws KnowledgeBaseError when the store fails
 */
export async function ingest(options: IngestOptions): Promise<IngestReport> {
  try {
    return await ingested(options);
  } finally {
    const closing = Object.values(options.loaders ?? {}).map(async (loader) => loader.close?.());
    // Reports what was stored, even if a source cannot be closed.
    await Promise.allSettled(closing);
  }
}

async function ingested(options: IngestOptions): Promise<IngestReport> {
  const { targets, knowledgeBase, onProgress, onChange, signal, cwd = process.cwd() } = options;
  const started = performance.now();
  const { files, urls, skipped, ...walked } = await resolveTargets(targets, cwd, options.roots);
  const known = new KnownDocuments(await knowledgeBase.documents());
  const run = new IngestRun(options, known);
  const work: Source[] = [
    ...files.map((file) => ({ path: file.displayPath, file, read: () => run.file(file) })),
    ...(await run.remote(urls)),
  ];
  const total = work.length;
  if (total + run.failed.length === 0 && !known.anyBelow(walked.folders))
    throw new UserError(
      `there are no documents in ${targets.join(", ")}`,
      `name a folder with files of these formats: ${READABLE_FORMATS}`,
      1,
    );
  const report = (progress: Omit<IngestProgress, "stored">): void =>
    onProgress?.({ ...progress, stored: run.counts.added + run.counts.updated });
  for (const [done, { path, file, read }] of work.entries()) {
    signal?.throwIfAborted();
    report({ done, total, path });
    await run.attempt(path, read, file);
    await run.flush(MAX_BATCH_PASSAGES);
  }
  signal?.throwIfAborted();
  await run.flush();
  const gone = known.gone({
    ...walked,
    files: new Set(files.map((file) => file.absolutePath)),
    loaders: run.loadersRead,
  });
  await knowledgeBase.remove(gone);
  for (const path of gone) onChange?.(path, "removed");
  report({ done: total, total, path: "" });
  let embedded = 0;
  if (options.vectors !== false)
    await knowledgeBase.embedPending?.({
      signal,
      onProgress: (progress) => {
        embedded = progress.done;
        report({ ...progress, path: "", vectors: true });
      },
    });
  const { documents, passages } = await knowledgeBase.stats();
  return {
    ...run.counts,
    ...{
      removed: gone.length,
      embedded,
      failed: run.failed,
      skipped: [...skipped, ...run.skipped],
    },
    ...{ documents, passages, took_ms: Math.round(performance.now() - started) },
  };
}

/** A document that is still to be read. */
type Source = { path: string; file?: SourceFile; read: () => Promise<void> };

/** Reads documents from disk, the web and loaders, stores them in batches, and counts them. */
class IngestRun {
  readonly counts = { added: 0, updated: 0, unchanged: 0 };
  readonly failed: NotTaken[] = [];
  readonly skipped: NotTaken[] = [];
  /** Loaders and sitemaps that said what they have. */
  readonly loadersRead: string[] = [];
  private batch: StoredDocument[] = [];
  private readonly inherited: (file: string) => Promise<Metadata>;

  constructor(
    private readonly options: IngestOptions,
    private readonly known: KnownDocuments,
  ) {
    this.inherited = folderMetadata(options.metadata);
  }

  /** Reports a document that cannot be read. */
  async attempt(path: string, work: () => Promise<void>, file?: SourceFile): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.options.signal?.throwIfAborted();
      const reason = whyUnread(error);
      const kind = error instanceof LoadError ? error.kind : "unreadable";
      if (file !== undefined && kind !== "empty") this.known.keep(file.absolutePath);
      if (kind !== "unreadable" && file?.named === false)
        this.skipped.push({ path: file.absolutePath, reason });
      else this.failed.push({ path, reason });
    }
  }

  async file({ absolutePath, displayPath }: SourceFile): Promise<void> {
    const path = this.known.pathFor(absolutePath, displayPath);
    const limits = { maxBytes: MAX_FILE_BYTES, signal: this.options.signal };
    const plain = await readPlainFile(absolutePath, limits);
    const inherited = await this.inherited(absolutePath);
    const hash = hashOf(plain.bytes, inherited);
    if (this.isUnchanged(path, hash)) return;
    const place = { path, modifiedAt: plain.modifiedAt.toISOString() };
    const request = { ...place, file: absolutePath, bytes: plain.bytes };
    const { kind, title, passages, metadata, note } = await parseFile(request, limits);
    const bytes = plain.bytes.byteLength;
    const record = { ...place, absolutePath, hash, kind, title, bytes };
    this.store(record, mergeMetadata(metadata, inherited), passages);
    if (note !== undefined) this.skipped.push({ path: absolutePath, reason: note });
  }

  /** Lists what addresses, sitemaps and loaders lead to. */
  async remote(urls: readonly string[]): Promise<Iterable<Source>> {
    // A page may be in several places; the last names its source.
    const found = new Map<string, Source>();
    const page = (path: string, loader?: string): void => {
      const read = async (): Promise<void> => {
        this.known.seen.add(path);
        await this.remoteDocument(await this.fetched(path), loader);
      };
      found.set(path, { path, read });
    };
    for (const url of urls.filter((each) => !isSitemap(each))) page(url);
    for (const url of urls.filter(isSitemap))
      await this.attempt(url, async () => {
        const { text } = await this.fetched(addressIn(url));
        const { pages, isWhole } = pagesOfSitemap(text);
        for (const each of listed(pages)) page(each, url);
        if (isWhole) this.loadersRead.push(url);
      });
    for (const [name, loader] of Object.entries(this.options.loaders ?? {}))
      await this.attempt(name, async () => {
        for (const each of listed(remoteDocuments(name, await loader.load())))
          found.set(each.path, { path: each.path, read: () => this.remoteDocument(each, name) });
        this.loadersRead.push(name);
      });
    return found.values();
  }

  private async fetched(url: string): Promise<RemoteDocument> {
    const { fetchPage, signal } = this.options;
    if (fetchPage === undefined) throw new LoadError("web pages cannot be fetched here");
    const { title, text, blocks, date, meta = new Map() } = await fetchPage(url, { signal });
    // Which loader found it is not for the page to say.
    const { loader: _, ...stated } = htmlProperties(meta);
    return { path: url, text, title, blocks, modifiedAt: date, metadata: {}, stated };
  }

  private async remoteDocument(document: RemoteDocument, loader?: string): Promise<void> {
    const { path, text, title, modifiedAt, file, stated } = document;
    const given = mergeMetadata(document.metadata, loader === undefined ? {} : { loader });
    const metadata = mergeMetadata(given, stated, this.options.metadata);
    // What cannot be read stays as it was.
    this.known.seen.add(path);
    // Many pages state a number that differs with each visit.
    const settled = mergeMetadata(given, this.options.metadata);
    const hash = hashOf(Buffer.from(`${title ?? ""}\n${text}`), settled);
    if (this.isUnchanged(path, hash)) return;
    const bytes = (await document.bytes?.()) ?? Buffer.from(text);
    const record = { path, hash, modifiedAt, bytes: bytes.byteLength };
    if (file === undefined) {
      const page = { ...record, kind: "web" as const, title: oneLine(title || path, MAX_HEADING) };
      if (document.blocks !== undefined)
        return this.store(page, metadata, split(page, document.blocks));
      // A page has no lines, and its text may be Markdown.
      const plain = paragraphs(text).map(({ text, form, headings }) => ({ text, form, headings }));
      const passages = split(page, plain).map(({ blocks: _, ...passage }) => passage);
      return this.store(page, metadata, passages);
    }
    const parsed = await parseFile({ file, bytes, path, modifiedAt }, this.options);
    if (parsed.note !== undefined) this.skipped.push({ path, reason: parsed.note });
    const name = file === "text.md" ? lastSegment(path) : parsed.title;
    const named = oneLine(title || name, MAX_HEADING);
    const passages = parsed.passages.map((passage) => ({ ...passage, title: named }));
    const stored = { ...record, kind: parsed.kind, title: named };
    return this.store(stored, mergeMetadata(parsed.metadata, metadata), passages);
  }

  private isUnchanged(path: string, hash: string): boolean {
    if (this.known.state(path, hash) !== "unchanged") return false;
    this.known.seen.add(path);
    this.counts.unchanged++;
    return true;
  }

  private store(record: DocumentRecord, metadata: Metadata, passages: readonly Passage[]): void {
    if (passages.length === 0) throw new LoadError("it holds no text", "empty");
    const change = this.known.state(record.path, record.hash) === "new" ? "added" : "updated";
    this.known.seen.add(record.path);
    const isDescribed = Object.keys(metadata).length > 0;
    const described = (local?: Metadata): { metadata?: Metadata } =>
      isDescribed ? { metadata: mergeMetadata(local, metadata) } : {};
    this.batch.push({
      record: { ...record, ...described() },
      passages: passages.map((each) => ({ ...each, ...described(each.metadata) })),
    });
    this.counts[change]++;
    this.options.onChange?.(record.path, change);
  }

  /** @param least fewer passages wait for more */
  async flush(least = 1): Promise<void> {
    const waiting = this.batch.reduce((sum, { passages }) => sum + passages.length, 0);
    if (waiting < least) return;
    const { knowledgeBase, signal } = this.options;
    try {
      await knowledgeBase.put(this.batch.splice(0), signal);
    } catch (cause) {
      if (cause instanceof KnowledgeBaseError || signal?.aborted === true) throw cause;
      const hint = "what was stored before stays; run ingest again";
      throw new KnowledgeBaseError(`storing documents failed: ${whyUnread(cause)}`, hint, {
        cause,
      });
    }
  }
}

/** @throws LoadError for an empty list, which may hide a failure: nothing is removed then */
function listed<T>(documents: readonly T[]): readonly T[] {
  if (documents.length === 0) throw new LoadError("it returned no documents");
  return documents;
}

/** Covers the splitter too, so that a better one replaces old passages, and the metadata. */
function hashOf(content: Uint8Array, metadata: Metadata): string {
  return createHash("sha256")
    .update(`${SPLITTER_VERSION}\n${JSON.stringify(metadata)}\n`)
    .update(content)
    .digest("hex");
}
