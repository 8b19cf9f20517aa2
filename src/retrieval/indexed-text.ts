/** Contents of an index, words and vectors: the same in every store, so that they find the same. */
import type { ReadablePassage } from "../reader/reader.js";
import { headingsOf } from "../state/evidence.js";
import { searchTerms } from "../text/analyse.js";
import { normalized } from "./fusion.js";
import {
  KnowledgeBaseError,
  type Embedder,
  type Passage,
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

/** Embeds the query, or each hypothetical document in its place, at length 1. */
export async function queryVectors(
  index: VectorIndex,
  embedder: Embedder,
  { query, hypotheticals = [], signal }: SearchRequest,
): Promise<Float32Array[]> {
  const texts = hypotheticals.length > 0 ? hypotheticals : [query];
  const vectors = await Promise.all(texts.map((text) => embedder.embedQuery(text, signal)));
  checkSizes(index, embedder.model, vectors);
  return vectors.map(normalized);
}
