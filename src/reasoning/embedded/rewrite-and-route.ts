/** Makes questions standalone and routes them, without a model. Pure. */
import { contentTerms } from "../../text/analyse.js";
import {
  isCapital,
  withoutEnding,
  withoutTerminalCommands,
  wordSet,
  wordsOf,
} from "../../text/words.js";
import type { Rewrite, RewriteInput, Route, RouteInput } from "../reasoner.js";
import { mentionedPaths } from "./plan.js";

const MAX_EARLIER = 6;

/**
 * Strips courtesies; puts a like name in its place in the question before ("And in Germany?"), or
 * that question in brackets behind one that refers to it. Uses the user's words only, because
 * answers hold text of the evidence, and the result may go into a web search.
 * @example rewrite({ question: "When was it built?", history: [{ role: "user", text: "How tall is
 *   the tower?" }] }).standaloneQuestion // "When was it built? (How tall is the tower?)"
 */
export function rewrite({ question, history }: RewriteInput): Rewrite {
  // Earlier questions may be follow-ups too.
  const earlier = history.filter(({ role, text }) => role === "user" && !isSmallTalk(text));
  let previous: Understood | undefined;
  for (const { text } of earlier.slice(-MAX_EARLIER)) previous = understand(text, previous);
  const { text: standaloneQuestion } = understand(question, previous);
  return { standaloneQuestion, by: standaloneQuestion === question ? "unchanged" : "rule" };
}

/** A question as understood, and the last one that stood alone: what "it" is about. */
interface Understood {
  text: string;
  topic: string;
}

function understand(question: string, previous: Understood | undefined): Understood {
  const written = withoutTerminalCommands(question);
  if (isSmallTalk(written)) return { text: written, topic: written };
  const asked = withoutCourtesies(written);
  if (previous === undefined) return { text: asked, topic: asked };
  const { topic } = previous;
  const exchanged = withLikeExchanged(asked, topic);
  if (exchanged !== undefined) return { text: exchanged, topic: exchanged };
  if (hasPronoun(asked)) return { text: `${asked} (${topic})`, topic };
  return refersBack(asked)
    ? { text: `${asked} (${previous.text})`, topic }
    : { text: asked, topic: asked };
}

const COURTESIES = wordSet("hi hello hey thanks thank ok okay please bye");
/** Words that may accompany these: "Thanks a lot", "Hello there". */
const FILLERS = wordSet("a lot so very much you all there");

/** Drops English courtesies before and behind a text, unless it has no other part. */
function withoutCourtesies(text: string): string {
  const parts = text.trim().split(/(?<=[,.!?:–])\s+/u);
  const from = parts.findIndex((part) => !isCourtesy(part));
  const to = parts.findLastIndex(
    (part, at) => !isCourtesy(part) || /[:–]$/u.test(parts[at - 1] ?? ""),
  );
  const rest = from === -1 ? "" : parts.slice(from, to + 1).join(" ");
  if (rest === "" || rest.length === text.trim().length) return text.trim();
  const ended = rest.endsWith(",") ? `${rest.slice(0, -1)}?` : rest;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}

function isCourtesy(text: string): boolean {
  const words = wordsOf(text.toLowerCase());
  const isOne = (word: string): boolean => COURTESIES.has(word);
  return words.some(isOne) && words.every((word) => isOne(word) || FILLERS.has(word));
}

const HOLDINGS = new Set(
  contentTerms("documents files sources topics list show many knowledge base index hold contain"),
);

/** True for "Which documents do you have?": all that it names are documents. */
export function asksForHoldings(question: string): boolean {
  const terms = contentTerms(question);
  return terms.length > 0 && terms.every((term) => HOLDINGS.has(term));
}

/**
 * True for courtesies, for exclamations of two words besides them ("Good morning!"), for "What can
 * you do?", and for questions about the knowledge base.
 */
function isSmallTalk(written: string): boolean {
  const text = withoutCourtesies(written);
  const isExclaimed = text.endsWith("!") && wordsOf(text).length <= 2;
  const isToAgent = wordsOf(text.toLowerCase()).some((word) => ["you", "your"].includes(word));
  return isExclaimed || isCourtesy(text) || asksForHoldings(text) || (isToAgent && isEmpty(text));
}

function isEmpty(text: string): boolean {
  return contentTerms(text).length === 0;
}

const TIME_BOUND = new RegExp(
  "(?<!\\p{L})(?:today|tomorrow|yesterday|now|currently|latest|newest|recently|" +
    "this (?:week|month|year)|weather|news|prices?|" +
    "current (?!account|directory|source)\\p{L}+)(?!\\p{L})",
  "iu",
);

/**
 * Recognizes answers that change from day to day, for which a knowledge base may be out of date.
 * @example isTimeSensitive("What is the latest version of Node.js?") // true
 */
export function isTimeSensitive(question: string): boolean {
  return TIME_BOUND.test(question);
}

export function route({ question, standaloneQuestion, available }: RouteInput): Route {
  if (isSmallTalk(question) || isEmpty(standaloneQuestion))
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
/** A phrase that begins with one is a complete question. */
const QUESTION_WORDS = wordSet(
  "what who when where why how which if is are was were do does did can could will has have should",
);
const PREPOSITIONS = wordSet("in for of on at with from by since für bei mit von pour en de");
const ARTICLE = /^(?:an?|the)\s+/iu;
/** A number, or a name with a number or an underscore in it: 2019, AO-300, 4P, top_k. */
const CODE =
  /(?<![\p{L}\p{N}_-])(?=[\p{L}-]*[\p{N}_])[\p{L}\p{N}](?:[\p{L}\p{N}.,_-]*[\p{L}\p{N}])?/gu;
const CAPITALIZED = String.raw`\p{Lu}[\p{L}\p{N}_.&-]*`;
/** Capitalized words, except at the beginning of a sentence, and "I". */
const NAME = new RegExp(
  String.raw`(?<!^\s*|[.!?:]\s+|\(|[\p{L}\p{N}_-])(?!I\b)` +
    String.raw`${CAPITALIZED}(?:\s+${CAPITALIZED})*(?<!\.)`,
  "gu",
);

/** Puts the name or number of "And in Germany?" in the place of the last like it. */
function withLikeExchanged(question: string, previous: string): string | undefined {
  if (!AND.test(question)) return undefined;
  const phrase = withoutEnding(question.replace(AND, ""));
  const [first = "", ...rest] = phrase.split(" ");
  const hasPreposition = PREPOSITIONS.has(first.toLowerCase());
  const name = (hasPreposition ? rest.join(" ") : phrase).replace(ARTICLE, "");
  const isCode = name.match(CODE)?.[0] === name;
  // Every other word would be another question ("And how high is it?") or another thing.
  if (!isCode && !name.split(" ").every(isCapital)) return undefined;
  const likes = [...previous.matchAll(isCode ? CODE : NAME)];
  const alike = likes.findLast(([each]) => isCode && shapeOf(each) === shapeOf(name));
  const old = alike ?? likes.at(-1);
  if (old === undefined) return undefined;
  const before = wordsOf(previous.slice(0, old.index).toLowerCase());
  const after = previous.slice(old.index + old[0].length);
  // "The mayor of Dunmore" and "Dunmore's mayor" have a place for "in Elmstead".
  const isPlaced =
    !hasPreposition ||
    before.slice(-2).some((word) => PREPOSITIONS.has(word)) ||
    /^['’]s?\s/u.test(after);
  return isPlaced ? previous.slice(0, old.index) + name + after : undefined;
}

/** Distinguishes quarters from years, and models from sizes: "Q3" is "L9", "2019" is "9999". */
function shapeOf(code: string): string {
  return code.replace(/\p{L}/gu, "L").replace(/\p{N}/gu, "9");
}

const PRONOUN = new RegExp(
  "(?<![\\p{L}'’])(?:(?:its|his|her|their)(?=\\s+\\p{L})|he|she|they|him|them|" +
    "it(?!\\s+(?:possible|true|necessary|safe|allowed)\\b)|there(?=\\s*[?.!,]|\\s*$))" +
    "(?![\\p{L}'’-])",
  "iu",
);

/** True for "When was it built?", not where something before "it" may be what it refers to. */
export function hasPronoun(question: string): boolean {
  const at = question.search(PRONOUN);
  const before = question.slice(0, Math.max(0, at));
  const clause = before.slice(0, Math.max(0, before.lastIndexOf(" and ")));
  return at !== -1 && before.search(NAME) === -1 && !/["“`]/u.test(before) && isEmpty(clause);
}

const MORE = new Set(contentTerms("tell give explain elaborate continue go details example"));
/** In a short question these refer to the previous one. */
const POINTERS = wordSet("this that these those one");
const SHORT = 3;

/** "Why?", "Tell me more", "How does that work?", "And for students?", "Which is the default?" */
function refersBack(question: string): boolean {
  const terms = contentTerms(question);
  const phrase = wordsOf(question.replace(AND, "").toLowerCase());
  const [first = "", second = ""] = phrase;
  const isPhrase = AND.test(question) && !QUESTION_WORDS.has(first);
  const points = isPhrase || phrase.some((word) => POINTERS.has(word));
  const chooses = first === "which" && (second === "is" || second === "are");
  const most = points ? SHORT : Number(chooses);
  return terms.length <= most || terms.every((term) => MORE.has(term));
}
