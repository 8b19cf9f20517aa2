/** What of a passage goes into an index: the same in every store, so that they find the same. */
import type { ReadablePassage } from "../reader/reader.js";
import { headingsOf } from "../state/evidence.js";
import { searchTerms } from "../text/search-terms.js";
import type { Passage } from "./knowledge-base.js";

/** A passage as the reader sees it; an index embeds the reader's `passageText` of it. */
export function readablePassage({ title, heading, text }: IndexedParts): ReadablePassage {
  return {
    title,
    headings: headingsOf({ title, source: { kind: "file", path: "", heading } }),
    text,
  };
}

/** Terms of title and headings, each once, since the innermost heading often repeats the title; and those of the text. */
export function termsToIndex({ title, heading, text }: IndexedParts): {
  title: string[];
  text: string[];
} {
  return {
    title: [...new Set(searchTerms(`${title}\n${heading ?? ""}`))],
    text: searchTerms(text),
  };
}

type IndexedParts = Pick<Passage, "title" | "heading" | "text">;

/** Query terms with how often each was asked for; a word that is repeated is meant more. At most three times, against stuffing. */
export function queryWeights(terms: readonly string[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const term of terms) weights.set(term, Math.min(3, (weights.get(term) ?? 0) + 1));
  return weights;
}
