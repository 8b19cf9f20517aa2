/**
 * Queries without a model: local ones, which may hold words of evidence and hints, and web queries,
 * which are made of the question's words only.
 */
import { headedTitle, type Evidence } from "../../state/evidence.js";
import { nearestName } from "../../text/spelling.js";
import { analyse, HIGHEST_IDF, idf, vocabularyOf } from "../../text/analyse.js";
import { isEnglish } from "../../text/languages.js";
import { questionsIn } from "../../text/sentences.js";
import { quotationsIn } from "../../text/literals.js";
import { isCapital, oneLine, withoutEnding, wordSet } from "../../text/words.js";
import type { PlanInput } from "../reasoner.js";

/** Per call. */
const MAX_QUERIES = 5;
const MAX_QUERY_CHARACTERS = 400;

/**
 * Returns ways to ask in this round, best first, each of at least one query. A round that refines
 * the reader's grading looks only for what is missing: the same words would find more of the
 * same.
 */
export function localQueries({
  question: asWritten,
  standaloneQuestion: question,
  purpose,
  kept,
  hints,
  judge,
}: Omit<PlanInput, "strategies" | "tools" | "history">): string[][] {
  const quoted = quotationsIn(question).map(({ text }) => text);
  const whole = queries([question, ...questionsIn(question), ...quoted]);
  const words = contentWords(question);
  const keywords = words.join(" ");
  const reworded = queries([keywords, asWritten]);
  const nearby = queries(kept.slice(0, 2).map((item) => `${headedTitle(item)} ${keywords}`));
  // A hint of one word is a missing word; a longer one is a separate query.
  const phrases = hints.filter((hint) => contentWords(hint).length > 1);
  const missing = unique([
    ...uncoveredWords(question, kept),
    ...hints.filter((hint) => !phrases.includes(hint)),
  ]);
  const searched = missing.length === 0 ? [] : [unique([...words, ...missing]), missing];
  const sought = queries([...phrases, ...searched.map((each) => each.join(" "))]);
  const further = sought.length > 0 ? queries([...sought, question]) : [];
  let ways = [further, nearby, reworded, whole];
  if (purpose === "first" || purpose === "re_retrieve") ways = [whole, further, reworded, nearby];
  else if (purpose === "refine" && judge === "embedded") ways = [further];
  return ways.filter((way) => way.length > 0);
}

/** Returns the question's content words that no kept passage holds. */
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

const MIXED_CASE = /^\p{Lu}.*\p{Ll}/u;

/**
 * Returns the names in a question that no passage mentions, not even within another word or in
 * another spelling, if they are half of its names. Only unusual names: "European" may stand as
 * "Europe". On nine sets of documents it stops none of 240 answerable questions, and 5 of the 17
 * answers to others; on SQuAD 2.0 it stops 4 of 1,278 answerable questions and 9 of 1,527 others.
 */
export function unmentionedNames(
  question: string,
  evidence: readonly Pick<Evidence, "title" | "text" | "source">[],
): string[] {
  const isTelling = contentWords(question).some((word) => !isCapital(word));
  // German writes every noun with a capital.
  if (!isTelling || !isEnglish(question)) return [];
  const names = analyse(question).filter(
    ({ text, term, start, stop }) =>
      !stop && start > 0 && MIXED_CASE.test(text) && idf(term) === HIGHEST_IDF,
  );
  if (names.length === 0) return [];
  const known = unique(
    evidence.flatMap((item) => [...vocabularyOf(`${headedTitle(item)}\n${item.text}`)]),
  );
  const isMentioned = (term: string): boolean =>
    known.some((other) => other.includes(term) || (other.length > 5 && term.includes(other))) ||
    nearestName(term, known) !== undefined;
  const missing = names.filter(({ term }) => !isMentioned(term));
  return missing.length < names.length / 2 ? [] : unique(missing.map(({ text }) => text));
}

const AUXILIARIES = wordSet(
  "is are was were am do does did can could may might must shall should will would has have " +
    "had isn't aren't wasn't don't doesn't didn't can't couldn't won't shouldn't",
);
const ASKING = wordSet("what who whom whose when where why how which");

/**
 * Recognizes questions to be answered by yes or no, which no quotation does: cut out of its context
 * it may say the opposite. By the auxiliary that begins the question or its main clause, in
 * English. Of 24,237 questions on nineteen sources it takes 2,712; of 25 of them that were read all
 * were such.
 * @example asksYesOrNo("If I enable a service, does it start?") // true
 */
export function asksYesOrNo(question: string): boolean {
  const clauses = question.toLowerCase().replaceAll("’", "'").replaceAll(";", ",").split(",");
  const words = clauses.map((clause) => clause.split(/[^\p{L}']+/u).filter(Boolean));
  const hasQuestionWord = words.flat().some((word) => ASKING.has(word));
  // "Can you say when it opens?" asks when.
  if (hasQuestionWord && words[0]?.[1] === "you") return false;
  const begins = words.map(([first = ""]) => AUXILIARIES.has(first));
  return begins[0] === true || (!hasQuestionWord && begins.includes(true));
}

function contentWords(question: string): string[] {
  return unique(analyse(question).flatMap(({ stop, text }) => (stop ? [] : [text])));
}

function queries(texts: readonly string[]): string[] {
  const lines = texts.flatMap((text) => oneLine(text).slice(0, MAX_QUERY_CHARACTERS) || []);
  return unique(lines).slice(0, MAX_QUERIES);
}

function unique(texts: readonly string[]): string[] {
  return [...new Map(texts.map((text) => [text.toLowerCase(), text])).values()];
}

/** Of a longer text only the end is read, where the question itself usually is. */
const MAX_READ_CHARACTERS = 2_000;

/** Search engines ignore all but some ten to thirty words. */
const MAX_WEB_CHARACTERS = 300;

/**
 * Returns a web query from the question's words: without the function words that it begins with
 * or, for a later search, with them, so that it finds something else.
 * @example webQuery("What is Edward Corser's occupation?") // "Edward Corser's occupation"
 */
export function webQuery(question: string, purpose: PlanInput["purpose"] = "first"): string {
  const asked = withoutEnding(oneLine(question.normalize("NFC")).slice(-MAX_READ_CHARACTERS));
  // A capital inside a question begins a name, "The Who".
  const first = analyse(asked).find(
    ({ stop, text, start }) => !stop || (start > 0 && text !== "I" && isCapital(text)),
  );
  // A quotation stays whole.
  const quoted = quotationsIn(asked).find(
    ({ start, end }) => first !== undefined && start < first.start && first.start < end,
  );
  const isLater = purpose === "refine" || purpose === "guard";
  return asked
    .slice(isLater ? 0 : (quoted ?? first)?.start)
    .slice(-MAX_WEB_CHARACTERS)
    .trim();
}
