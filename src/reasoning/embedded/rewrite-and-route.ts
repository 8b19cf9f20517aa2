/** Makes questions standalone and routes them, without a model. Pure. */
import { contentTerms } from "../../text/analyse.js";
import { STOP_WORDS } from "../../text/languages.js";
import { withoutEnding, withoutTerminalCommands } from "../../text/one-line.js";
import { wordsOf } from "../../text/words.js";
import type { Rewrite, RewriteInput, Route, RouteInput } from "../reasoner.js";
import { mentionedPaths } from "./plan.js";
import { isCapital } from "./queries.js";

const MAX_EARLIER = 6;

/**
 * Strips courtesies, and resolves what refers back to earlier questions: by a like name, by the
 * subject for "it", or by the whole question in brackets. Uses the user's own words only, because answers hold text
 * of the evidence, and the result may go into a web search.
 * @example rewrite({ question: "And of Germany?", history: [{ role: "user", text: "What is the
 *   capital of France?" }] }).standaloneQuestion // "What is the capital of Germany?"
 */
export function rewrite({ question, history }: RewriteInput): Rewrite {
  let previous: Understood | undefined;
  const asked = history.flatMap(({ role, text }) => (role === "user" ? [text] : []));
  // Earlier questions may be follow-ups too.
  for (const text of asked.slice(-MAX_EARLIER))
    if (!isSmallTalk(text)) previous = understand(text, previous);
  const { text: standaloneQuestion } = understand(question, previous);
  return { standaloneQuestion, by: standaloneQuestion === question ? "unchanged" : "rule" };
}

/** A standalone question, and what "it" stands for in it and in the next one. */
interface Understood {
  text: string;
  subject?: string;
}

function understand(question: string, previous: Understood | undefined): Understood {
  const text = withoutCourtesies(withoutTerminalCommands(question));
  if (previous === undefined || isSmallTalk(text)) return { text };
  const exchanged = withLikeExchanged(text, previous.text);
  if (exchanged !== undefined) return { text: exchanged };
  const subject = previous.subject ?? subjectOf(previous.text);
  const resolved = withSubject(text, subject);
  if (resolved !== undefined) return { text: resolved, subject };
  return refersBack(text) ? { text: `${text} (${previous.text})`, subject } : { text };
}

const COURTESIES = wordSet("hi hello hey thanks thank lot ok okay please bye");

/** Drops the parts of a text that are nothing but English courtesies, unless it has no other. */
function withoutCourtesies(text: string): string {
  const parts = text.trim().split(/(?<=[,.!?:–])\s+/u);
  const rest = parts.filter((part) => !isCourtesy(part)).join(" ");
  if (rest === "" || rest.length === text.trim().length) return text.trim();
  const ended = rest.endsWith(",") ? `${rest.slice(0, -1)}?` : rest;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}

function isCourtesy(text: string): boolean {
  const words = wordsOf(text.toLowerCase());
  const isOne = (word: string): boolean => COURTESIES.has(word);
  return words.some(isOne) && words.every((word) => isOne(word) || STOP_WORDS.has(word));
}

const HOLDINGS = new Set(
  contentTerms("documents files sources topics list show many knowledge base index hold contain"),
);

/** True for "Which documents do you have?": all that it names are documents. */
export function asksForHoldings(question: string): boolean {
  const terms = contentTerms(question);
  return terms.length > 0 && terms.every((term) => HOLDINGS.has(term));
}

/** True for courtesies, for "What can you do?", and for questions about the knowledge base. */
function isSmallTalk(text: string): boolean {
  const isToAgent = wordsOf(text.toLowerCase()).some((word) => ["you", "your"].includes(word));
  return isCourtesy(text) || asksForHoldings(text) || (isToAgent && isEmpty(text));
}

function isEmpty(text: string): boolean {
  return contentTerms(text).length === 0;
}

const TIME_BOUND =
  /(?<!\p{L})(?:today|tomorrow|yesterday|now|currently|latest|newest|recently|this (?:week|month|year)|current (?!account|directory|source)\p{L}+|weather|news|prices?)(?!\p{L})/iu;

/**
 * Tells answers that change from day to day, for which a knowledge base may be out of date.
 * @example isTimeSensitive("What is the latest version of Node.js?") // true
 */
export function isTimeSensitive(question: string): boolean {
  return TIME_BOUND.test(question);
}

export function route({ question, standaloneQuestion, available }: RouteInput): Route {
  if (isSmallTalk(withoutCourtesies(question)) || isEmpty(standaloneQuestion))
    return { mode: "chat", timeSensitive: false, reason: "no question for the documents" };
  const timeSensitive = isTimeSensitive(standaloneQuestion);
  const namesFile = available.includes("files") && mentionedPaths(standaloneQuestion).length > 0;
  const search = available.find((each) => each !== "files" && each !== "web") ?? available[0];
  const reason = namesFile ? "the question names a file" : "a question for the documents";
  return {
    mode: "search",
    strategy: namesFile ? "files" : search,
    timeSensitive,
    reason: timeSensitive ? `${reason}; the answer may change with the day` : reason,
  };
}

const AND = /^\s*(?:(?:and|und|et|y|what about|how about)\s+)+(?=\S)/iu;
const PREPOSITIONS = wordSet("in for of on at with from by since für bei mit von pour en de");
/** A number, or a name with a number or an underscore in it: 2019, AO-300, 4P, top_k. */
const CODE =
  /(?<![\p{L}\p{N}_-])(?=[\p{L}-]*[\p{N}_])[\p{L}\p{N}](?:[\p{L}\p{N}.,_-]*[\p{L}\p{N}])?/gu;
/** Capitalized words, except at the beginning of a sentence, and "I". */
const NAME =
  /(?<!^\s*|[.!?:]\s+|\(|[\p{L}\p{N}_-])(?!I\b)\p{Lu}[\p{L}\p{N}_.&-]*(?:\s+\p{Lu}[\p{L}\p{N}_.&-]*)*(?<![.])/gu;

/** "And in Germany?", "What about Q3?": puts the name or number in the place of the last like it. */
function withLikeExchanged(question: string, previous: string): string | undefined {
  if (!AND.test(question)) return undefined;
  const phrase = withoutEnding(question.replace(AND, ""));
  const [first = "", ...others] = phrase.split(" ");
  const hasPreposition = PREPOSITIONS.has(first.toLowerCase());
  const isArticle = first.toLowerCase() === "the";
  const name = hasPreposition || isArticle ? others.join(" ") : phrase;
  const [code] = name.match(CODE) ?? [];
  // Every other word would be a question of its own: "And how high is it?"
  if (code === undefined && !name.split(" ").every(isCapital)) return undefined;
  const shape = shapeOf(code ?? "");
  const likes = [...previous.matchAll(code === undefined ? NAME : CODE)];
  const old = likes.findLast(([each]) => shapeOf(each) === shape) ?? likes.at(-1);
  if (old === undefined) return undefined;
  const before = wordsOf(previous.slice(0, old.index).toLowerCase());
  const after = previous.slice(old.index + old[0].length);
  // "The mayor of Dunmore" and "Dunmore's mayor" have a place for "in Elmstead".
  const isPlaced =
    !hasPreposition ||
    before.slice(-2).some((word) => PREPOSITIONS.has(word)) ||
    /^['’]s?\s/u.test(after);
  return isPlaced ? previous.slice(0, old.index) + (code ?? name) + after : undefined;
}

/** Tells quarters from years, and models from sizes: "Q3" is "L9", "2019" is "9999". */
function shapeOf(code: string): string {
  return code.replace(/\p{L}/gu, "L").replace(/\p{N}/gu, "9");
}

const PRONOUN =
  /(?<![\p{L}'’])(?:(its|his|her|their)(?=\s+\p{L})|it(?!\s+(?:possible|true|necessary|safe|allowed)\b)|he|she|they|him|them|there(?=\s*[?.!,]|\s*$))(?![\p{L}'’-])/iu;

/** Puts the subject in the place of a pronoun that fits it. */
function withSubject(question: string, subject: string | undefined): string | undefined {
  const match = referringPronoun(question);
  if (match === undefined || subject === undefined) return undefined;
  const [pronoun, possessive] = match;
  const isPlural = subject.endsWith("s");
  if (pronoun.toLowerCase().startsWith("th") && !isPlural) return undefined;
  const named = possessive === undefined ? subject : `${subject}${isPlural ? "'" : "'s"}`;
  return question.slice(0, match.index) + named + question.slice(match.index + pronoun.length);
}

/** Finds a pronoun for which the question itself has no name, quotation or clause. */
function referringPronoun(question: string): RegExpExecArray | undefined {
  const match = PRONOUN.exec(question);
  if (match === null) return undefined;
  const before = question.slice(0, match.index);
  const clause = before.slice(0, Math.max(0, before.lastIndexOf(" and ")));
  return before.search(NAME) >= 0 || /["“`]/u.test(before) || !isEmpty(clause) ? undefined : match;
}

const MORE = new Set(contentTerms("tell give explain elaborate continue go details example"));
/** In a short question these refer to the previous one. */
const POINTERS = wordSet("this that these those one");
const SHORT = 3;

/** "Why?", "Tell me more", "And for students?", "How does that work?" */
function refersBack(question: string): boolean {
  const terms = contentTerms(question);
  const words = wordsOf(question.toLowerCase());
  const phrase = question.replace(AND, "");
  const [first = ""] = wordsOf(phrase.toLowerCase());
  return (
    terms.every((term) => MORE.has(term)) ||
    (phrase !== question && PREPOSITIONS.has(first)) ||
    (terms.length <= SHORT && words.some((word) => POINTERS.has(word))) ||
    referringPronoun(question) !== undefined
  );
}

/** The words that every English question about something has before and after it. */
const HEADS: readonly RegExp[] = [
  // "How do I set a cookie?" is about a cookie.
  /(?:do|does|did|can|could|should|may|must) (?:I|you|we|one) \p{L}+ (?<head>.+)$/u,
  // "What does the Halden pump weigh?", "How does the audit log work?"
  /(?:do|does|did|can|could|will|should) (?<head>(?:(?:the|a|my|our|this) .+|\S*[\p{Lu}_]\S*)) \p{Ll}+$/u,
  // "When was the lighthouse of Quellin rebuilt?"
  /^(?:when|where|why|how|and how) (?:is|are|was|were) (?<head>.+) \p{Ll}+[dtn]$/iu,
  // "What is the capital of France?", "How tall is the Eiffel Tower?"
  /^[^,]*? (?:is|are|was|were) (?<head>.+)$/iu,
  // "Who built the Halden pump?"
  /^(?:who|what|which \p{L}+) \p{Ll}+ (?<head>(?:the|a|my|our) .+)$/iu,
];
/** More words are a sentence and no name for a thing. */
const LONGEST_HEAD = 8;

/** Returns what a question is about, as a phrase that can stand for "it". */
function subjectOf(question: string): string | undefined {
  const asked =
    withoutEnding(question.replace(/\s*\(.*$/u, ""))
      .split(/[.?!]\s+/u)
      .at(-1) ?? "";
  const [head] = HEADS.flatMap((pattern) => pattern.exec(asked)?.groups?.["head"] ?? []);
  const name = [...question.matchAll(NAME)].at(-1)?.[0];
  const isThing = head && !isEmpty(head) && !PRONOUN.test(head) && !POINTERS.has(head);
  return isThing && head.split(" ").length <= LONGEST_HEAD ? head : name;
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}
