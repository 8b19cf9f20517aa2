/** Queries for searches that stay on this machine: only these may hold words of evidence or hints. */
import { headedTitle, type Evidence } from "../../state/evidence.js";
import { analyse } from "../../text/analyse.js";
import { idf } from "../../text/background.js";
import { quotedPhrases } from "../../text/entities.js";
import { vocabularyOf } from "../../text/search-terms.js";
import type { PlanInput } from "../reasoner.js";

/** Queries of one call at most. */
const MAX_QUERIES = 5;
const MAX_QUERY_CHARACTERS = 400;
/** What is longer is no word that somebody would look up. */
const LONGEST_WORD = 80;

/**
 * Ways to ask in this round, the best first, each with at least one query. Where the reader graded,
 * a round that refines looks for what is missing and for nothing else: the same words in another
 * order would find more of the same.
 */
export function localQueries({
  question: asWritten,
  standaloneQuestion: question,
  purpose,
  kept,
  hints,
  judge,
}: Pick<
  PlanInput,
  "question" | "standaloneQuestion" | "purpose" | "kept" | "hints" | "judge"
>): string[][] {
  const first = queries([question, ...clauses(question), ...quotedPhrases(question)]);
  const keywords = contentWords(question).join(" ");
  // A hint of one word is a missing word, a longer one asks for itself.
  const phrases = hints.filter((hint) => contentWords(hint).length > 1);
  const missing = unique([
    ...uncoveredWords(question, kept),
    ...hints.filter((hint) => !phrases.includes(hint)),
  ]);
  const anchored =
    missing.length === 0 ? [] : [unique([...anchors(question), ...missing]), missing];
  const wanted = queries([...phrases, ...anchored.map((words) => words.join(" "))]);
  const withQuestion = wanted.length > 0 ? queries([...wanted, question]) : [];
  const reworded = queries([keywords, asWritten]);
  const nearby = queries(kept.slice(0, 2).map((item) => `${headedTitle(item)} ${keywords}`));
  const rarest = queries([tellingWords(question, 2).join(" ")]);
  const ways =
    purpose === "first" || purpose === "re_retrieve"
      ? [first, withQuestion, reworded, nearby, rarest]
      : purpose === "refine" && judge === "embedded"
        ? [withQuestion]
        : [withQuestion, nearby, reworded, rarest, first];
  return ways.filter((way) => way.length > 0);
}

/** The question's content words that no kept passage holds, in its own words. */
export function uncoveredWords(
  question: string,
  kept: readonly Pick<Evidence, "title" | "text" | "source">[],
): string[] {
  const vocabularies = kept.map((item) => vocabularyOf(`${headedTitle(item)}\n${item.text}`));
  return unique(
    analyse(question).flatMap(({ stop, term, text }) =>
      stop || vocabularies.some((terms) => terms.has(term)) ? [] : [text],
    ),
  );
}

/** The question's rarest content words, the rarest first. */
export function tellingWords(question: string, count = 3): string[] {
  const rarity = new Map(analyse(question).map(({ text, term }) => [text, idf(term)]));
  return contentWords(question)
    .filter((word) => word.length > 1 && word.length <= LONGEST_WORD)
    .sort((a, b) => (rarity.get(b) ?? 0) - (rarity.get(a) ?? 0))
    .slice(0, count);
}

/** Two questions in one are asked one by one as well. */
function clauses(question: string): string[] {
  const found = question
    .split(
      /(?<=[?？])\s+|,?\s+(?:and|und|et|y)\s+(?=(?:who|what|which|when|where|why|how|wer|was|wann|wo|wie|warum)\b)/iu,
    )
    .filter((clause) => contentWords(clause).length > 1);
  return found.length > 1 && found.length <= 3 ? found : [];
}

/** The question's names; without any its first content words. */
function anchors(question: string): string[] {
  const named = analyse(question).flatMap(({ stop, text }, position) =>
    !stop && position > 0 && /^\p{Lu}|_/u.test(text) ? [text] : [],
  );
  return named.length > 0 ? unique(named) : contentWords(question).slice(0, 2);
}

function contentWords(question: string): string[] {
  return unique(analyse(question).flatMap(({ stop, text }) => (stop ? [] : [text])));
}

function queries(texts: readonly string[]): string[] {
  return unique(
    texts
      .map((text) => text.replace(/\s+/gu, " ").trim().slice(0, MAX_QUERY_CHARACTERS))
      .filter((text) => text !== ""),
  ).slice(0, MAX_QUERIES);
}

function unique(texts: readonly string[]): string[] {
  return [...new Map(texts.map((text) => [text.toLowerCase(), text])).values()];
}
