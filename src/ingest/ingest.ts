/** Brings a knowledge base in step with its documents: stores what is new, removes what is gone. */
import type { WritableKnowledgeBase } from "../retrieval/knowledge-base.js";
import { READABLE_FORMATS } from "../state/document-formats.js";
import type { Metadata } from "../state/metadata.js";
import { UserError } from "../support/errors.js";
import type { FetchPage } from "../web/search-provider.js";
import type { NotTaken } from "./document.js";
import { KnownDocuments } from "./documents.js";
import { IngestRun, type TellChange } from "./ingest-run.js";
import type { DocumentLoader } from "./connectors.js";
import { resolveTargets } from "./targets.js";

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
  onChange?: TellChange;
  signal?: AbortSignal;
  /** Needed for URLs. */
  fetchPage?: FetchPage;
  /** Base of relative paths, given and shown. */
  cwd?: string;
  /** False leaves the vectors to whoever opens the knowledge base next; words are found at once. */
  vectors?: boolean;
  /** Folders that no target may leave; none means that every path is allowed. */
  roots?: readonly string[];
  /** Of all that is ingested; `folder.meta.yaml` and the documents' own go before it. */
  metadata?: Metadata;
}

/** For a progress bar. */
export interface IngestProgress {
  /** Files and pages done, of `total`. */
  done: number;
  total: number;
  /** The file or page being read. */
  path: string;
  /** Documents stored so far. */
  stored: number;
  /** Set while vectors are made: `done` and `total` then count passages. */
  vectors?: true;
}

export interface IngestReport {
  added: number;
  updated: number;
  unchanged: number;
  removed: number;
  /** Passages that got their vectors, and are found by meaning from now on. */
  embedded: number;
  /** Could not be read; the rest was stored all the same. */
  failed: NotTaken[];
  /** Left out on purpose: images, files without text, secrets, links that lead out of the folder. */
  skipped: NotTaken[];
  /** Totals of the knowledge base afterwards. */
  documents: number;
  passages: number;
  took_ms: number;
}

/**
 * Ingests the targets. May be killed at any moment: each document is stored whole or not at all,
 * and the next run completes the work.
 * @throws UserError when a target does not exist, or when the targets hold no documents at all
 * @throws KnowledgeBaseError when the store fails
 */
export async function ingest({
  targets,
  loaders = {},
  knowledgeBase,
  onProgress,
  onChange,
  signal,
  fetchPage,
  cwd = process.cwd(),
  roots = [],
  vectors = true,
  metadata,
}: IngestOptions): Promise<IngestReport> {
  const started = performance.now();
  const { files, folders, unread, urls, skipped } = await resolveTargets(targets, cwd, roots);
  const known = new KnownDocuments(await knowledgeBase.documents());
  const run = new IngestRun(known, knowledgeBase, signal, metadata, onChange);
  const remote = await run.remote(urls, loaders, fetchPage);
  const total = files.length + remote.length;
  if (total + run.failed.length === 0 && !known.anyBelow(folders))
    throw new UserError(
      `There are no documents in ${targets.join(", ")}`,
      `Name a folder with files of these formats: ${READABLE_FORMATS}.`,
      1,
    );
  const report = (progress: Omit<IngestProgress, "stored">): void =>
    onProgress?.({ ...progress, stored: run.added + run.updated });
  const work = [
    ...files.map((file) => ({ path: file.shownPath, file, read: () => run.file(file) })),
    ...remote.map((each) => ({ ...each, file: undefined })),
  ];
  for (const [done, { path, file, read }] of work.entries()) {
    signal?.throwIfAborted();
    report({ done, total, path });
    await run.attempt(path, read, file);
  }
  signal?.throwIfAborted();
  await run.flush();
  const gone = [
    ...known.gone(new Set(files.map((file) => file.absolutePath)), folders, unread),
    ...known.goneFrom(run.loadersRead),
  ];
  await knowledgeBase.remove(gone);
  for (const path of gone) onChange?.(path, "removed");
  report({ done: total, total, path: "" });
  let embedded = 0;
  if (vectors)
    await knowledgeBase.embedPending?.({
      signal,
      onProgress: (progress) => {
        embedded = progress.done;
        report({ ...progress, path: "", vectors: true });
      },
    });
  const { documents, passages } = await knowledgeBase.stats();
  const { added, updated, unchanged, failed } = run;
  skipped.push(...run.skipped);
  const removed = gone.length;
  const tookMs = Math.round(performance.now() - started);
  return {
    ...{ added, updated, unchanged, removed, embedded, failed, skipped },
    ...{ documents, passages, took_ms: tookMs },
  };
}
