/** The knowledge-base port. Implementations: `sqlite/` (the default), `qdrant/`, `langchain/`. */
import { z } from "zod";
import type { ReadablePassage } from "../reader/reader.js";
import type { Filter } from "../settings/filter.js";
import { DOCUMENT_KINDS } from "../formats/document-formats.js";
import type { Score } from "../state/evidence.js";
import { MetadataSchema } from "../state/metadata.js";
import { CorrectiveRagError } from "../support/errors.js";

export type SearchMode = "keyword" | "vector" | "hybrid";

export const PassageSchema = z.object({
  /** Derived from path, position and content, so the same passage keeps its id. */
  id: z.string(),
  text: z.string(),
  /** Form and start of each block of the text: `h0 p12 i80`. Without it Markdown is read. */
  blocks: z.string().optional(),
  title: z.string(),
  /** A URL, or a path as shown to people: relative to the ingested folder, with `/`. */
  path: z.string(),
  kind: z.enum(DOCUMENT_KINDS),
  startLine: z.number().optional(),
  endLine: z.number().optional(),
  page: z.number().optional(),
  /** Heading path, outermost first, joined by " > ". */
  heading: z.string().optional(),
  /** ISO 8601, if known. */
  modifiedAt: z.string().optional(),
  /** Its document's, and its own beside it. */
  metadata: MetadataSchema.optional(),
});
/** A chunk of a document, with its place in it. Lines and pages count from 1. */
export type Passage = z.infer<typeof PassageSchema>;

export const DocumentRecordSchema = z.object({
  path: z.string(),
  /** The file on disk, with links resolved; absent for web pages. */
  absolutePath: z.string().optional(),
  /** Covers the content and everything that shapes its chunks. */
  hash: z.string(),
  kind: z.enum(DOCUMENT_KINDS),
  title: z.string(),
  bytes: z.number(),
  modifiedAt: z.string().optional(),
  metadata: MetadataSchema.optional(),
});
/** A stored document, without its passages. */
export type DocumentRecord = z.infer<typeof DocumentRecordSchema>;

export interface SearchRequest {
  query: string;
  /** Maximum number of hits. */
  limit: number;
  /** Applied before ranking. */
  filter?: Filter;
  /** Texts to embed instead of the query (HyDE); hits are merged by best score. */
  hypotheticals?: readonly string[];
  /** Once it fires, the search rejects. */
  signal?: AbortSignal;
}

/** A passage that was found, with a score for each leg; the first one orders the list. */
export interface Hit {
  passage: Passage;
  scores: Score[];
  /** The passage's vector in the index, of length 1, made by `vectorModel`. */
  vector?: Float32Array;
}

export interface KnowledgeBaseStats {
  documents: number;
  passages: number;
  /** Absent without vectors; `pending` passages have none yet. */
  embedding?: { model: string; dimensions: number; pending?: number };
}

/** A store to search. All methods reject with `KnowledgeBaseError` when the store fails. */
export interface KnowledgeBase {
  /** Shown to people: `sqlite:.corrective-rag/kb`, `qdrant:collection@host`. */
  readonly name: string;
  /** Supported modes, preferred one first. */
  readonly modes: readonly SearchMode[];
  /** The model that made the vectors of hits. */
  readonly vectorModel?: string;
  /** Returns hits, best first; none for an empty query. Rejects an unsupported mode. */
  search(mode: SearchMode, request: SearchRequest): Promise<Hit[]>;
  /** Lists the documents that pass a filter; none in a store that knows only passages. */
  documents(filter?: Filter): Promise<DocumentRecord[]>;
  /** Returns the passages of a document that pass a filter, in reading order. */
  passagesOf(path: string, filter?: Filter): Promise<Passage[]>;
  /** Changes with the content. If undefined, the store cannot tell: results are not cached. */
  version(): Promise<string | undefined>;
  /** Counts what passes a filter. */
  stats(filter?: Filter): Promise<KnowledgeBaseStats>;
  /** Returns only these of several that are joined; rejects names that are not among them. */
  only?(names: readonly string[]): KnowledgeBase;
  close(): Promise<void>;
}

/** A document with its passages in reading order. */
export interface StoredDocument {
  record: DocumentRecord;
  passages: readonly Passage[];
}

/** A store to fill. However the process ends, each document is in its old or its new state. */
export interface WritableKnowledgeBase extends KnowledgeBase {
  /** Stores documents, each in place of whatever was stored under its path. */
  put(documents: readonly StoredDocument[], signal?: AbortSignal): Promise<void>;
  /** Removes documents with their passages; ignores unknown paths. */
  remove(paths: readonly string[]): Promise<void>;
  /**
   * Makes the vectors that are still missing. May be stopped at any moment: the next call resumes
   * from there. Absent in a store that makes them in `put`.
   */
  embedPending?(options?: EmbedPendingOptions): Promise<void>;
}

export interface EmbedPendingOptions {
  onProgress?: (progress: { done: number; total: number }) => void;
  signal?: AbortSignal;
}

/** Scores passages by reading each together with the question. */
export interface Reranker {
  readonly name: string;
  /** Returns a score in 0–1 for each text, in order. If it rejects, the old order stays. */
  score(question: string, texts: readonly string[], signal?: AbortSignal): Promise<number[]>;
  /** In place of `score`, for a reranker that reads titles and headings apart from the text. */
  scorePassages?(
    question: string,
    passages: readonly ReadablePassage[],
    signal?: AbortSignal,
  ): Promise<number[]>;
}

/** The store failed, or does not match the settings; `hint` says how to fix it. */
export class KnowledgeBaseError extends CorrectiveRagError {
  override readonly name = "KnowledgeBaseError";
  constructor(message: string, hint?: string, { cause }: ErrorOptions = {}) {
    super(message, { code: "knowledge_base", hint, cause });
  }
}
