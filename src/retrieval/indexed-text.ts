/** Terms, vectors and search, shared by all stores so that they find the same. */
import type { ReadablePassage } from "../reader/reader.js";
import { headingsOf } from "../state/evidence.js";
import { searchTerms } from "../text/analyse.js";
import { CANDIDATES_PER_LEG, fuseLegs, mergeByBest, type Candidate } from "./fusion.js";
import { normalized, type Embedder, type Vector } from "../reader/embedder.js";
import {
  KnowledgeBaseError,
  type Passage,
  type SearchMode,
  type SearchRequest,
} from "./knowledge-base.js";

type IndexedParts = Pick<Passage, "title" | "heading" | "text">;

/** Returns a passage as the reader sees it; an index embeds its `passageText`. */
export function readablePassage({ title, heading, text }: IndexedParts): ReadablePassage {
  const headings = headingsOf({ title, source: { kind: "file", path: "", heading } });
  return { title, headings, text };
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
  const mend = made.includes("@")
    ? "Unset CRAG_EMBEDDING_MODEL and CRAG_READER"
    : `Set CRAG_EMBEDDING_MODEL=${made}`;
  throw new KnowledgeBaseError(
    `${name} was made with the embedding model ${made} (${dimensions} dimensions), but ${model} is configured`,
    `${mend}, or ${elsewhere}.`,
  );
}

/** @throws KnowledgeBaseError naming both sizes when vectors do not fit the index */
export function checkSizes(index: VectorIndex, model: string, vectors: readonly Vector[]): void {
  const { name, dimensions, elsewhere } = index;
  const other = vectors.find(({ length }) => length !== dimensions);
  if (other !== undefined)
    throw new KnowledgeBaseError(
      `${name} holds vectors of ${dimensions} dimensions, but ${model} gives ${other.length}`,
      `Configure the model with which it was made, or ${elsewhere}.`,
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
      "Ingest again with an embedding model, or search by keywords.",
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

/** By then an answer is usually out, and an `ask` process has ended. */
const BACKGROUND_DELAY_IN_MS = 10_000;

/** Makes missing vectors in the background, beginning some seconds after each search. */
export interface BackgroundEmbedding {
  touch(): void;
  stop(): Promise<void>;
}

/** @param embed its failure is ignored: the next search tries again */
export function createBackgroundEmbedding(
  embed: (signal: AbortSignal) => Promise<void>,
): BackgroundEmbedding {
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  return {
    touch() {
      timer ??= setTimeout(() => {
        running = embed(closing.signal)
          .catch(() => undefined)
          .finally(() => (timer = undefined));
      }, BACKGROUND_DELAY_IN_MS).unref();
    },
    async stop() {
      clearTimeout(timer);
      closing.abort();
      await running;
    },
  };
}
