/** Reads documents from disk, the web and loaders, and stores them in batches. */
import { createHash } from "node:crypto";
import {
  KnowledgeBaseError,
  type DocumentRecord,
  type Passage,
  type WritableKnowledgeBase,
} from "../retrieval/knowledge-base.js";
import { mergeMetadata, type Metadata } from "../state/metadata.js";
import { readPlainFile } from "../support/plain-file.js";
import { isWebAddress } from "../support/web-address.js";
import { MAX_HEADING, type Block } from "../text/block.js";
import { descendants, parseMarkup, textOf } from "../text/markup.js";
import { oneLine } from "../text/one-line.js";
import type { FetchPage } from "../web/search-provider.js";
import { LoadError, whyUnread, type NotTaken } from "./document.js";
import type { KnownDocuments } from "./documents.js";
import { remoteDocuments, type DocumentLoader, type RemoteDocument } from "./connectors.js";
import { paragraphs } from "./loaders/text.js";
import { folderMetadata } from "./metadata.js";
import { parseFile } from "./parse-file.js";
import { split, SPLITTER_VERSION } from "./split.js";
import type { SourceFile } from "./targets.js";

/** Larger files are reported as failed. */
const MAX_FILE_BYTES = 200_000_000;
/** A transaction this large is fast, and little is lost when it is interrupted. */
const MAX_BATCH_PASSAGES = 400;

const SITEMAP = "sitemap:";

export type TellChange = (path: string, change: "added" | "updated" | "removed") => void;

/** Reads and stores documents one by one, and counts them. */
export class IngestRun {
  added = 0;
  updated = 0;
  unchanged = 0;
  readonly failed: NotTaken[] = [];
  readonly skipped: NotTaken[] = [];
  /** Loaders and sitemaps that said what they have. */
  readonly loadersRead: string[] = [];
  private batch: { record: DocumentRecord; passages: readonly Passage[] }[] = [];
  private batchPassages = 0;
  private readonly inherited: (file: string) => Promise<Metadata>;

  constructor(
    private readonly known: KnownDocuments,
    private readonly knowledgeBase: WritableKnowledgeBase,
    private readonly signal: AbortSignal | undefined,
    private readonly metadata: Metadata | undefined,
    private readonly onChange: TellChange | undefined,
  ) {
    this.inherited = folderMetadata(metadata);
  }

  /** Reports a document that cannot be read. A store that fails stops the run. */
  async attempt(shown: string, work: () => Promise<void>, file?: SourceFile): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.signal?.throwIfAborted();
      if (error instanceof KnowledgeBaseError) throw error;
      const reason = whyUnread(error);
      const kind = error instanceof LoadError ? error.kind : undefined;
      if (file !== undefined && kind !== "empty") this.known.keep(file.absolutePath);
      if (kind !== undefined && kind !== "unreadable" && file?.named === false) {
        this.skipped.push({ path: file.absolutePath, reason });
        return;
      }
      this.failed.push({ path: shown, reason });
    }
  }

  async file({ absolutePath, shownPath }: SourceFile): Promise<void> {
    const { known, signal } = this;
    const path = known.pathFor(absolutePath, shownPath);
    const plain = await readPlainFile(absolutePath, { maxBytes: MAX_FILE_BYTES, signal });
    const { byteLength } = plain.bytes;
    const inherited = await this.inherited(absolutePath);
    const hash = hashOf(plain.bytes, inherited);
    if (this.isUnchanged(path, hash)) return;
    const modifiedAt = plain.modifiedAt.toISOString();
    const request = { file: absolutePath, bytes: plain.bytes, path, modifiedAt };
    const parsed = await parseFile(request, { signal });
    const { kind, title, passages, metadata: own, note } = parsed;
    const record = { path, absolutePath, modifiedAt, hash, kind, title, bytes: byteLength };
    await this.store({ ...record, ...described(mergeMetadata(own, inherited)) }, passages);
    if (note !== undefined) this.skipped.push({ path: absolutePath, reason: note });
  }

  /** Lists what loaders, sitemaps and addresses lead to. */
  async remote(
    urls: readonly string[],
    loaders: Readonly<Record<string, DocumentLoader>>,
    fetchPage: FetchPage | undefined,
  ) {
    const found: { path: string; read: () => Promise<void> }[] = [];
    /** @param work returns false if there is more than it found */
    const attempt = (name: string, work: () => Promise<boolean>): Promise<void> =>
      this.attempt(name, async () => {
        const before = found.length;
        const isWhole = await work();
        // An empty answer may be a failure that was swallowed; nothing is removed then.
        if (found.length === before) throw new LoadError("it returned no documents");
        if (isWhole) this.loadersRead.push(name);
      });
    const page = (url: string, loader?: string) => ({
      path: url,
      read: async () => {
        this.known.see(url);
        await this.remoteDocument(await this.fetched(url, fetchPage), loader);
      },
    });
    for (const url of urls)
      if (!url.startsWith(SITEMAP)) found.push(page(url));
      else
        await attempt(url, async () => {
          const { text } = await this.fetched(url.slice(SITEMAP.length), fetchPage);
          const xml = descendants(parseMarkup(text, { isXml: true }));
          if (xml.some(({ name }) => name === "sitemapindex"))
            throw new LoadError("it lists sitemaps: name each of them");
          const pages = xml.filter(({ name }) => name === "loc").map((each) => textOf(each).trim());
          found.push(...pages.filter(isWebAddress).map((each) => page(each, url)));
          // A long one is cut where it is fetched.
          return text.trimEnd().endsWith("</urlset>");
        });
    for (const [name, loader] of Object.entries(loaders))
      await attempt(name, async () => {
        for (const each of remoteDocuments(name, await loader.load()))
          found.push({ path: each.path, read: () => this.remoteDocument(each, name) });
        return true;
      });
    // A page may stand in several places; the last names its source.
    return [...new Map(found.map((each) => [each.path, each])).values()];
  }

  private async fetched(url: string, fetchPage: FetchPage | undefined): Promise<RemoteDocument> {
    if (fetchPage === undefined) throw new LoadError("web pages cannot be fetched here");
    const { title, text, blocks, date } = await fetchPage(url, { signal: this.signal });
    return { path: url, text, title, blocks, modifiedAt: date, metadata: {} };
  }

  private async remoteDocument(document: RemoteDocument, loader?: string): Promise<void> {
    const { path, text, title, blocks, modifiedAt, file } = document;
    const own = mergeMetadata(document.metadata, loader === undefined ? {} : { loader });
    const metadata = mergeMetadata(own, this.metadata);
    // What cannot be read stays as it was.
    this.known.see(path);
    const bytes = Buffer.from(text);
    const hash = hashOf(Buffer.from(`${title ?? ""}\n${text}`), metadata);
    if (this.isUnchanged(path, hash)) return;
    const record = { path, hash, modifiedAt, bytes: bytes.byteLength };
    if (file === undefined) {
      const page = { ...record, kind: "web" as const, title: oneLine(title || path, MAX_HEADING) };
      const passages = split(page, blocks ?? blocksOf(text));
      return this.store({ ...page, ...described(metadata) }, passages);
    }
    const parsed = await parseFile({ file, bytes, path, modifiedAt }, { signal: this.signal });
    const { kind, passages } = parsed;
    const named = oneLine(title || (file === "text.md" ? path : parsed.title), MAX_HEADING);
    const titled = passages.map((passage) => ({ ...passage, title: named }));
    const all = mergeMetadata(parsed.metadata, metadata);
    await this.store({ ...record, kind, title: named, ...described(all) }, titled);
  }

  private isUnchanged(path: string, hash: string): boolean {
    if (this.known.state(path, hash) !== "unchanged") return false;
    this.unchanged++;
    return true;
  }

  private async store(record: DocumentRecord, passages: readonly Passage[]): Promise<void> {
    if (passages.length === 0) throw new LoadError("it holds no text", "empty");
    const isNew = this.known.state(record.path, record.hash) === "new";
    this.known.see(record.path);
    const { metadata } = record;
    this.batch.push({
      record,
      passages: metadata
        ? passages.map((passage) => ({
            ...passage,
            metadata: mergeMetadata(passage.metadata, metadata),
          }))
        : passages,
    });
    this.batchPassages += passages.length;
    if (this.batchPassages >= MAX_BATCH_PASSAGES) await this.flush();
    if (isNew) this.added++;
    else this.updated++;
    this.onChange?.(record.path, isNew ? "added" : "updated");
  }

  async flush(): Promise<void> {
    const documents = this.batch;
    this.batch = [];
    this.batchPassages = 0;
    if (documents.length === 0) return;
    try {
      await this.knowledgeBase.put(documents, this.signal);
    } catch (cause) {
      if (cause instanceof KnowledgeBaseError || this.signal?.aborted === true) throw cause;
      throw new KnowledgeBaseError(
        `Storing ${documents.length} documents failed: ${whyUnread(cause)}`,
        "What was stored before stays; run ingest again.",
        { cause },
      );
    }
  }
}

/** Returns the paragraphs of a page without lines, which a page does not have. */
function blocksOf(text: string): Block[] {
  return paragraphs(text).map(({ text, form, headings }) => ({ text, form, headings }));
}

function described(metadata: Metadata): { metadata?: Metadata } {
  return Object.keys(metadata).length > 0 ? { metadata } : {};
}

/** Covers the splitter too, so that a better one replaces old passages, and the metadata. */
function hashOf(content: Uint8Array, metadata: Metadata = {}): string {
  return createHash("sha256")
    .update(`${SPLITTER_VERSION}\n${JSON.stringify(metadata)}\n`)
    .update(content)
    .digest("hex");
}
