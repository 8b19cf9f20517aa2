/** Terms, vectors and search, shared by all stores so that they find the same. */
import { passageText, type ReadablePassage } from "../reader/reader.js";
import { headingsOf } from "../state/evidence.js";
import { searchTerms } from "../text/analyse.js";
import { CANDIDATES_PER_LEG, fuseLegs, mergeByBest, type Candidate } from "./fusion.js";
import { normalized, type Embedder, type Vector } from "../reader/embedder.js";
import {
  KnowledgeBaseError,
  type EmbedPendingOptions,
  type Passage,
  type SearchMode,
  type SearchRequest,
} from "./knowledge-base.js";

type IndexedParts = Pick<Passage, "title" | "heading" | "text" | "blocks">;

/** Returns a passage as the reader sees it; an index embeds its `passageText`. */
export function readablePassage({ title, heading, text, blocks }: IndexedParts): ReadablePassage {
  const headings = headingsOf({ title, source: { kind: "file", path: "", heading } });
  return { title, headings, text, blocks };
}

/** Returns the terms of title and headings, each once since headings repeat titles, and of text. */
export function termsToIndex({ title, heading, text }: IndexedParts): {
  title: string[];
  text: string[];
} {
  return {
    title: [...new Set(searchTerms(`${title}\n${heading ?? ""}`))],
    text: searchTerms(text),
  };
}

/** Counts query terms, up to three times each to resist stuffing. */
export function queryWeights(terms: readonly string[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const term of terms) weights.set(term, Math.min(3, (weights.get(term) ?? 0) + 1));
  return weights;
}

/** An index with vectors, described for error messages. */
export interface VectorIndex {
  /** `The knowledge base FILE` */
  name: string;
  /** The model that made its vectors, if known. */
  model: string | undefined;
  dimensions: number;
  /** How to use another model: `ingest into another directory with --kb`. */
  elsewhere: string;
}

/** @throws KnowledgeBaseError naming both models when the index was made with another one */
export function checkModel(index: VectorIndex, model: string): void {
  const { name, model: made, dimensions, elsewhere } = index;
  if (made === undefined || made === model) return;
  const remedy = made.includes("@")
    ? "unset CRAG_EMBEDDING_MODEL and CRAG_READER"
    : `set CRAG_EMBEDDING_MODEL=${made}`;
  throw new KnowledgeBaseError(
    `${name} was made with the embedding model ${made} (${dimensions} dimensions), ` +
      `but ${model} is configured`,
    `${remedy}, or ${elsewhere}`,
  );
}

/** @throws KnowledgeBaseError naming both sizes when vectors do not fit the index */
export function checkSizes(index: VectorIndex, model: string, vectors: readonly Vector[]): void {
  const { name, dimensions, elsewhere } = index;
  const other = vectors.find(({ length }) => length !== dimensions);
  if (other !== undefined)
    throw new KnowledgeBaseError(
      `${name} holds vectors of ${dimensions} dimensions, but ${model} gives ${other.length}`,
      `configure the model with which it was made, or ${elsewhere}`,
    );
}

/** Results of a store, each list best first; keyword hits come with their vectors. */
export interface Legs<C extends Candidate> {
  words: readonly C[];
  /** One list for each vector of the query. */
  near: readonly (readonly C[])[];
}

interface SearchableStore<C extends Candidate> {
  name: string;
  /** Absent without vectors. */
  index?: VectorIndex;
  embedder?: Embedder;
  find: (asked: {
    words: boolean;
    vectors: readonly Float32Array[];
    limit: number;
  }) => Promise<Legs<C>>;
}

/**
 * Searches by words, by vectors, or by both, fused; best first. Hypothetical documents are embedded
 * instead of the query. In a language that the model does not know, only words are searched.
 */
export async function searchStore<C extends Candidate>(
  { name, index, embedder, find }: SearchableStore<C>,
  mode: SearchMode,
  { query, hypotheticals = [], limit, signal }: SearchRequest,
): Promise<C[]> {
  signal?.throwIfAborted();
  if (query.trim() === "" || limit < 1) return [];
  const byWords = mode === "keyword" || (mode === "hybrid" && embedder?.knows?.(query) === false);
  if (byWords) return [...(await find({ words: true, vectors: [], limit })).words];
  if (index === undefined || embedder === undefined)
    throw new KnowledgeBaseError(
      `${name} has no vectors`,
      "ingest again with an embedding model, or search by keywords",
    );
  const texts = hypotheticals.length > 0 ? hypotheticals : [query];
  const embedded = await Promise.all(texts.map((text) => embedder.embedQuery(text, signal)));
  checkSizes(index, embedder.model, embedded);
  const vectors = embedded.map(normalized);
  const depth = mode === "hybrid" ? Math.max(CANDIDATES_PER_LEG, limit) : limit;
  const { words, near } = await find({ words: mode === "hybrid", vectors, limit: depth });
  const nearest = mergeByBest(near).slice(0, depth);
  if (mode === "vector") return nearest;
  return fuseLegs(words, nearest, vectors, embedder.model).slice(0, limit);
}

/** Passages to embed at a time: a second or two of work on a slow machine. */
export const EMBED_BATCH = 32;

/**
 * Embeds the passages of a store that have no vector yet. Those that another process adds meanwhile
 * are left to it.
 * @param next returns up to `EMBED_BATCH` of them, none at the end
 * @throws KnowledgeBaseError when the model fails; the signal's reason
 */
export async function embedInBatches<Item extends { passage: IndexedParts }>({
  embedder,
  total,
  next,
  store,
  onProgress,
  signal,
}: EmbedPendingOptions & {
  embedder: Embedder;
  total: number;
  next: () => Promise<readonly Item[]>;
  store: (items: readonly Item[], vectors: readonly Vector[]) => Promise<void>;
}): Promise<void> {
  for (let done = 0; done < total; onProgress?.({ done: Math.min(done, total), total })) {
    signal?.throwIfAborted();
    const items = await next();
    if (items.length === 0) return;
    const texts = items.map(({ passage }) => passageText(readablePassage(passage)));
    const vectors = await embedder.embedDocuments(texts, signal);
    if (vectors.length !== texts.length)
      throw new KnowledgeBaseError(
        `${embedder.model} gave ${vectors.length} vectors for ${texts.length} texts`,
      );
    await store(items, vectors);
    done += items.length;
  }
}
