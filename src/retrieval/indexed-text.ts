/** What of a passage goes into an index: the same in every store, so that they find the same. */
import { searchTerms } from "../text/search-terms.js";
import type { Passage } from "./knowledge-base.js";

/** Title and heading path stand before the text: a passage often makes sense only under its heading. */
export function textToEmbed(passage: Pick<Passage, "title" | "heading" | "text">): string {
  return [passage.title, passage.heading, passage.text]
    .filter((part) => part !== undefined && part !== "")
    .join("\n");
}

/**
 * Terms of title and headings, each once, since the innermost heading often repeats the title; then those of the text, as often as they
 * occur.
 */
export function termsToIndex(passage: Pick<Passage, "title" | "heading" | "text">): string[] {
  const title = new Set(searchTerms(`${passage.title}\n${passage.heading ?? ""}`));
  return [...title, ...searchTerms(passage.text)];
}
