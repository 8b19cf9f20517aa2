/**
 * The knowledge-base port: a store that can be searched, and one that can be filled.
 * Implementations: `sqlite/` (the default), `qdrant/`, `langchain/`.
 */
import { z } from "zod";
import type { Score } from "../state/evidence.js";
import { CorrectiveRagError } from "../support/errors.js";

export type SearchMode = "keyword" | "vector" | "hybrid";

export const DOCUMENT_KINDS = [
  "markdown",
  "text",
  "html",
  "pdf",
  "docx",
  "csv",
  "json",
  "epub",
  "pptx",
  "xlsx",
  "web",
] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

export const PassageSchema = z.object({
  /** Derived from path, position and content: the same passage keeps its id. */
  id: z.string(),
  text: z.string(),
  title: z.string(),
  /** As shown to people: relative to the folder that was ingested, with `/`; or a URL. */
  path: z.string(),
  kind: z.enum(DOCUMENT_KINDS),
  startLine: z.number().optional(),
  endLine: z.number().optional(),
  page: z.number().optional(),
  /** Heading path, outermost first, joined by " > ". */
  heading: z.string().optional(),
  /** ISO 8601, when the document was last changed, if known. */
  modifiedAt: z.string().optional(),
});
/** A stored passage: a chunk of a document, with its place in it. Lines and pages count from 1. */
export type Passage = z.infer<typeof PassageSchema>;

export const DocumentRecordSchema = z.object({
  path: z.string(),
  /** Absolute path of the file on disk, links resolved; absent for web pages. */
  absolutePath: z.string().optional(),
  /** Hash of the content and of everything that shapes its chunks. */
  hash: z.string(),
  kind: z.enum(DOCUMENT_KINDS),
  title: z.string(),
  bytes: z.number(),
  modifiedAt: z.string().optional(),
});
/** A document as the knowledge base knows it. */
export type DocumentRecord = z.infer<typeof DocumentRecordSchema>;

/** All given conditions must hold. */
export interface SearchFilter {
  /** A document's path, a folder's, or a glob with `*`, `**`, `?` and `{a,b}`. */
  path?: string;
  kind?: DocumentKind;
  /** ISO 8601 dates, inclusive. */
  modifiedAfter?: string;
  modifiedBefore?: string;
}

export interface SearchRequest {
  query: string;
  /** Hits at most. */
  limit: number;
  filter?: SearchFilter;
  /** Texts to embed in place of the query (HyDE); hits are merged by best score. */
  hypotheticals?: readonly string[];
  signal?: AbortSignal;
}

/** A passage that was found, with a score of each leg; the first orders the list. */
export interface Hit {
  passage: Passage;
  scores: Score[];
  /** The passage's vector in the index, of length 1, made by the model of `stats().embedding`. */
  vector?: Float32Array;
}

export interface KnowledgeBaseStats {
  documents: number;
  passages: number;
  /** The model that made the vectors; absent without vectors. `pending` passages have none yet. */
  embedding?: { model: string; dimensions: number; pending?: number };
}

/** A store to search. All methods reject with `KnowledgeBaseError` when it fails. */
export interface KnowledgeBase {
  /** For people: `sqlite:.corrective-rag/kb`, `qdrant:collection@host`. */
  readonly name: string;
  /** The modes it can serve, the preferred first. */
  readonly modes: readonly SearchMode[];
  /** Name of the model that made its hits' vectors. */
  readonly vectorModel?: string;
  /** Best first. An empty query gives no hits. A mode that it cannot serve rejects. */
  search(mode: SearchMode, request: SearchRequest): Promise<Hit[]>;
  /** Documents, for the file tools; empty for stores that know only passages. */
  documents(): Promise<DocumentRecord[]>;
  /** All passages of one document in reading order. */
  passagesOf(path: string): Promise<Passage[]>;
  /**
   * Changes whenever the content changes. Undefined for a store that cannot tell: what was found in
   * it is never served again.
   */
  version(): Promise<string | undefined>;
  stats(): Promise<KnowledgeBaseStats>;
  close(): Promise<void>;
}

/** A document with all its passages, in reading order. */
export interface StoredDocument {
  record: DocumentRecord;
  passages: readonly Passage[];
}

/** A store to fill. After a kill at any moment a document is as it was before or after. */
export interface WritableKnowledgeBase extends KnowledgeBase {
  /** Stores these documents, each replacing whatever was stored under its path. */
  put(documents: readonly StoredDocument[], signal?: AbortSignal): Promise<void>;
  /** Removes documents and all that belongs to them; unknown paths are ignored. */
  remove(paths: readonly string[]): Promise<void>;
  /**
   * Makes the vectors that passages still lack, and resolves when none does; absent in a store that
   * makes them in `put`. May be stopped at any moment: the next call goes on from there.
   */
  embedPending?(options?: EmbedPendingOptions): Promise<void>;
}

export interface EmbedPendingOptions {
  onProgress?: (progress: { done: number; total: number }) => void;
  signal?: AbortSignal;
}

/** A vector, in whatever form its model gives it. */
export type Vector = ArrayLike<number>;

/** Turns texts into vectors: the reader, an endpoint, or LangChain's `Embeddings`. */
export interface Embedder {
  /** Name of the model, compared with the one that made the index. */
  readonly model: string;
  embedDocuments(texts: readonly string[], signal?: AbortSignal): Promise<Vector[]>;
  embedQuery(text: string, signal?: AbortSignal): Promise<Vector>;
  /** False for a text in a language that the model does not know, which words find better. */
  knows?(text: string): boolean;
  close?(): Promise<void>;
}

/** Orders passages anew by looking at question and passage together. */
export interface Reranker {
  readonly name: string;
  /** One score in 0–1 for each text, in the order given. When it rejects, the old order stays. */
  score(question: string, texts: readonly string[], signal?: AbortSignal): Promise<number[]>;
}

/** The store failed, or the store is not what the settings say. `hint` tells how to mend it. */
export class KnowledgeBaseError extends CorrectiveRagError {
  override readonly name = "KnowledgeBaseError";
  constructor(message: string, hint?: string, { cause }: ErrorOptions = {}) {
    super(message, { code: "knowledge_base", hint, cause });
  }
}
