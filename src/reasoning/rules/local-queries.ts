/** Queries for searches that stay on this machine: only these may hold words that come from evidence or from hints. Pure. */
import { headedTitle, type Evidence } from "../../state/evidence.js";
import { analyse } from "../../text/analyse.js";
import { idf } from "../../text/background.js";
import { quotedPhrases } from "../../text/entities.js";
import { vocabularyOf } from "../../text/search-terms.js";
import type { PlanInput } from "../reasoner.js";
import { mentionedIdentifiers } from "./mentions.js";
import { questionParts } from "./question-parts.js";

/** Queries of one call at most. */
const MAX_QUERIES = 5;
const MAX_QUERY_CHARACTERS = 400;

/** Ways to ask that may serve this round, the best first, each with at least one query; the planner takes the first that was not asked before. */
export function localQueries(
  input: Pick<
    PlanInput,
    "question" | "standaloneQuestion" | "purpose" | "kept" | "hints" | "judge"
  >,
): string[][] {
  const { standaloneQuestion: question, kept } = input;
  const first = queries([question, ...parts(question), ...quotedPhrases(question)]);
  const keywords = contentWords(question).join(" ");
  // A hint of one word is a missing word, a longer one asks for itself.
  const phrases = input.hints.filter((hint) => contentWords(hint).length > 1);
  const missing = unique([
    ...uncoveredWords(question, kept),
    ...input.hints.filter((hint) => !phrases.includes(hint)),
  ]);
  const anchored =
    missing.length > 0
      ? [[...anchors(question), ...missing], missing].map((words) => unique(words).join(" "))
      : [];
  const wanted = queries([
    ...phrases,
    ...anchored,
    ...(phrases.length + anchored.length > 0 ? [question] : []),
  ]);
  const reworded = queries([keywords, ...(input.question === question ? [] : [input.question])]);
  const nearby = queries(titles(kept).map((title) => `${title} ${keywords}`));
  const [rarest, second, third] = tellingWords(question);
  // Two words at a time: one alone finds everything that only mentions it.
  const pairs = queries(
    second === undefined
      ? [rarest ?? ""]
      : [
          `${rarest} ${second}`,
          ...(third === undefined ? [] : [`${rarest} ${third}`, `${second} ${third}`]),
        ],
  );
  return waysFor(input, { first, wanted, reworded, nearby, pairs }).filter((way) => way.length > 0);
}

type Ways = Record<"first" | "wanted" | "reworded" | "nearby" | "pairs", string[]>;

/**
 * Where the embedded judge graded, a round that refines looks for what is missing and for nothing else: that judge goes by words, and once the
 * kept evidence holds those of the question, the same words in another order find more of the same. A model goes by what the words mean, which
 * others may say better.
 */
function waysFor(
  { purpose, judge }: Pick<PlanInput, "purpose" | "judge">,
  { first, wanted, reworded, nearby, pairs }: Ways,
): string[][] {
  switch (purpose) {
    case "refine":
      return judge === "embedded" ? [wanted] : [wanted, nearby, reworded, pairs, first];
    case "guard":
      return [wanted, nearby, reworded, pairs, first];
    case "first":
    case "re_retrieve":
      return [first, wanted, reworded, nearby, pairs];
    default:
      return purpose satisfies never;
  }
}

/** The question's content words that no kept passage holds, in its own words. */
export function uncoveredWords(
  question: string,
  kept: readonly Pick<Evidence, "title" | "text" | "source">[],
): string[] {
  const vocabularies = kept.map((item) => vocabularyOf(`${headedTitle(item)}\n${item.text}`));
  const isPresent = (term: string): boolean => vocabularies.some((terms) => terms.has(term));
  return unique(
    analyse(question).flatMap(({ stop, term, text }) => (stop || isPresent(term) ? [] : [text])),
  );
}

/** What the question is about: its names and identifiers, and without any its first content words. */
function anchors(question: string): string[] {
  const named = analyse(question).flatMap(({ stop, text }, position) =>
    !stop && position > 0 && /^\p{Lu}/u.test(text) ? [text] : [],
  );
  const about = unique([...mentionedIdentifiers(question), ...named]);
  return about.length > 0 ? about : contentWords(question).slice(0, 2);
}

function contentWords(question: string): string[] {
  return unique(analyse(question).flatMap(({ stop, text }) => (stop ? [] : [text])));
}

/** What is longer is no word that somebody would look up. */
const LONGEST_WORD = 80;

/** The question's rarest content words, the rarest first. */
export function tellingWords(question: string, count = 3): string[] {
  const rarity = new Map(analyse(question).map(({ text, term }) => [text, idf(term)]));
  return contentWords(question)
    .filter((word) => word.length > 1 && word.length <= LONGEST_WORD)
    .sort((a, b) => (rarity.get(b) ?? 0) - (rarity.get(a) ?? 0))
    .slice(0, count);
}

/** Two questions in one are asked one by one as well. */
function parts(question: string): string[] {
  const asked = questionParts(question).filter((part) => contentWords(part).length > 1);
  return asked.length > 1 ? asked : [];
}

function titles(kept: readonly Pick<Evidence, "title" | "source">[]): string[] {
  return unique(
    kept
      .slice(0, 2)
      .map(({ title, source }) =>
        source.kind === "file" ? (source.heading?.split(" > ").at(-1) ?? title) : title,
      ),
  );
}

function queries(texts: readonly string[]): string[] {
  return unique(
    texts
      .map((text) => text.replace(/\s+/gu, " ").trim().slice(0, MAX_QUERY_CHARACTERS))
      .filter((text) => text !== ""),
  ).slice(0, MAX_QUERIES);
}

function unique(texts: readonly string[]): string[] {
  const seen = new Set<string>();
  return texts.filter((text) => {
    const key = text.toLowerCase();
    return seen.has(key) ? false : (seen.add(key), true);
  });
}
