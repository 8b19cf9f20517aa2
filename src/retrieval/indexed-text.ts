/** Contents of an index, words and vectors: the same in every store, so that they find the same. */
import type { ReadablePassage } from "../reader/reader.js";
import { headingsOf } from "../state/evidence.js";
import { searchTerms } from "../text/analyse.js";
import {
  bestCosine,
  CANDIDATES_PER_LEG,
  fuseLegs,
  mergeByBest,
  normalized,
  type Scored,
} from "./fusion.js";
import {
  KnowledgeBaseError,
  type Embedder,
  type Passage,
  type SearchMode,
  type SearchRequest,
  type Vector,
} from "./knowledge-base.js";

type IndexedParts = Pick<Passage, "title" | "heading" | "text">;

/** A passage as the reader sees it; an index embeds the reader's `passageText` of it. */
export function readablePassage({ title, heading, text }: IndexedParts): ReadablePassage {
  const headings = headingsOf({ title, source: { kind: "file", path: "", heading } });
  return { title, headings, text };
}

/** Terms of title and headings, each once, since a heading often repeats the title; and of text. */
export function termsToIndex({ title, heading, text }: IndexedParts): {
  title: string[];
  text: string[];
} {
  return {
    title: [...new Set(searchTerms(`${title}\n${heading ?? ""}`))],
    text: searchTerms(text),
  };
}

/** Query terms with how often each was asked for, at most three times, against stuffing. */
export function queryWeights(terms: readonly string[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const term of terms) weights.set(term, Math.min(3, (weights.get(term) ?? 0) + 1));
  return weights;
}

/** An index with vectors, in the words of an error. */
export interface VectorIndex {
  /** `The knowledge base FILE` */
  name: string;
  /** The model that made its vectors, where it says so. */
  model: string | undefined;
  dimensions: number;
  /** The way out: `ingest into another directory with --kb`. */
  elsewhere: string;
}

/** @throws KnowledgeBaseError that names both models when the index was made with another one */
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

/** @throws KnowledgeBaseError that names both sizes when vectors do not fit the index */
export function checkSizes(index: VectorIndex, model: string, vectors: readonly Vector[]): void {
  const { name, dimensions, elsewhere } = index;
  const other = vectors.find(({ length }) => length !== dimensions);
  if (other !== undefined)
    throw new KnowledgeBaseError(
      `${name} holds vectors of ${dimensions} dimensions, but ${model} gives ${other.length}`,
      `Configure the model with which it was made, or ${elsewhere}.`,
    );
}

/** What a store finds, each list best first. */
export interface Legs<Found> {
  words: readonly Found[];
  /** One list for each vector that was asked for. */
  near: readonly (readonly Found[])[];
}

/** A store with an index of words and, perhaps, of vectors. */
export interface SearchableStore<Found> {
  name: string;
  /** Absent while it has no vectors. */
  index?: VectorIndex;
  embedder?: Embedder;
  find: (asked: {
    words: boolean;
    vectors: readonly Float32Array[];
    limit: number;
  }) => Promise<Legs<Found>>;
  keyOf: (found: Found) => string | number;
  /** The stored vector of what only words found. */
  vectorOf: (found: Found) => Float32Array | undefined;
}

/**
 * Searches a store, best first: by words, by vectors, or by both, fused. Hypothetical documents are
 * embedded in place of the query. In a language that the model does not know, words search alone.
 */
export async function searchStore<Found extends Scored>(
  { name, index, embedder, find, keyOf, vectorOf }: SearchableStore<Found>,
  mode: SearchMode,
  { query, hypotheticals = [], limit, signal }: SearchRequest,
): Promise<readonly Found[]> {
  signal?.throwIfAborted();
  if (query.trim() === "" || limit < 1) return [];
  const byWords = mode === "keyword" || (mode === "hybrid" && embedder?.knows?.(query) === false);
  if (byWords) return (await find({ words: true, vectors: [], limit })).words;
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
  const nearest = mergeByBest(near, keyOf).slice(0, depth);
  if (mode === "vector") return nearest;
  const cosineOf = (found: Found): number | undefined => {
    const vector = vectorOf(found);
    return vector && bestCosine(vectors, vector);
  };
  return fuseLegs(words, nearest, { keyOf, cosineOf, model: embedder.model }).slice(0, limit);
}
