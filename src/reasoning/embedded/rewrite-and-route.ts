/** Makes questions standalone and routes them, without a model. Pure. */
import { contentTerms } from "../../text/analyse.js";
import { oneLine, withoutEnding, withoutTerminalCommands } from "../../text/one-line.js";
import { wordsOf } from "../../text/words.js";
import type { Rewrite, RewriteInput, Route, RouteInput } from "../reasoner.js";
import { anyOf, capitalized, isSmallTalk, withoutCourtesies } from "./phrases.js";
import { mentionedPaths } from "./plan.js";
import { isCapital } from "./queries.js";

const MAX_EARLIER = 6;

/**
 * Resolves what refers back to earlier questions, and strips courtesies; every other word stays.
 * Earlier questions may be follow-ups too, so the oldest is resolved first.
 * @example rewrite({ question: "And of Germany?", history: [{ role: "user", text: "What is the
 *   capital of France?" }] }).standaloneQuestion // "What is the capital of Germany?"
 */
export function rewrite({ question, history }: RewriteInput): Rewrite {
  let previous: Asked | undefined;
  const asked = history.flatMap(({ role, text }) => (role === "user" ? [text] : []));
  for (const text of asked.slice(-MAX_EARLIER))
    if (chatKind(text) === undefined) previous = standalone(text, previous);
  const { text: standaloneQuestion } = standalone(question, previous);
  return { standaloneQuestion, by: standaloneQuestion === question ? "unchanged" : "rule" };
}

/** A standalone question, and the subject that a pronoun in it stood for. */
interface Asked {
  text: string;
  subject?: string;
}

function standalone(text: string, previous: Asked | undefined): Asked {
  const asked = withoutCourtesies(withoutTerminalCommands(text));
  if (previous === undefined || chatKind(asked) !== undefined) return { text: asked };
  return resolveFollowUp(asked, previous) ?? { text: asked };
}

const TIME_BOUND = new RegExp(
  `(?<![\\p{L}\\p{N}])${anyOf("timeBound")}(?!\\p{L})|今天|今日|昨天|明天|现在|目前|最新|本周|今年`,
  "iu",
);
/** "in 1950", "during the 1990s": answers about the past do not change. */
const BEFORE_YEARS = wordSet("in of during since before until the");

export type ChatKind = "small talk" | "the agent" | "the documents" | "the conversation";

const ABOUT: readonly (readonly [ChatKind, RegExp])[] = (
  [
    ["the documents", "aboutHoldings"],
    ["the agent", "aboutAgent"],
    ["the conversation", "aboutConversation"],
  ] as const
).map(([about, phrases]) => [about, new RegExp(`^${anyOf(phrases)}$`, "iu")]);

/** Tells what a message without need for a search is about; undefined for any other. */
export function chatKind(question: string): ChatKind | undefined {
  if (isSmallTalk(question)) return "small talk";
  const said = withoutEnding(withoutCourtesies(question));
  return ABOUT.find(([, pattern]) => pattern.test(said))?.[0];
}

export function route({ question, standaloneQuestion, available }: RouteInput): Route {
  const chat = chatKind(question);
  if (chat !== undefined) return { mode: "chat", timeSensitive: false, reason: chat };
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

/**
 * Tells answers that change from day to day, for which a knowledge base may be out of date.
 * @example isTimeSensitive("What is the latest version of Node.js?") // true
 */
export function isTimeSensitive(question: string): boolean {
  const words = wordsOf(question.toLowerCase());
  const isSettled = words.some((word, at) => {
    const year = BEFORE_YEARS.has(words[at - 1] ?? "") ? Number.parseInt(word, 10) : NaN;
    return year >= 1000 && year < 2020;
  });
  return TIME_BOUND.test(question) && !isSettled;
}

/**
 * Makes a simple follow-up standalone; undefined if it is already. Uses the user's own words only,
 * because answers hold text of the evidence, and the result may go into a web search.
 * @param previous the standalone question before
 */
function resolveFollowUp(question: string, previous: Asked): Asked | undefined {
  const further = askedFurther(question, previous.text) ?? substituted(question, previous.text);
  if (further !== undefined) return { text: further };
  const subject = previous.subject ?? subjectOf(previous.text);
  const text = pronounResolved(question, previous.text, subject);
  return text === undefined ? undefined : { text, subject };
}

const MORE = new Set(contentTerms("tell give explain elaborate continue go details example mehr"));

/** "Why?", "Since when?", "Tell me more" are put before the previous question. */
function askedFurther(question: string, previous: string): string | undefined {
  const namesNothing = contentTerms(question).every((term) => MORE.has(term));
  return namesNothing && !PRONOUN.test(question)
    ? `${capitalized(withoutEnding(question))}? ${previous}`
    : undefined;
}

const AND = /^\s*(?:(?:and|und|et|y|what about|how about|was ist mit)\s+)+(?=\S)/iu;
const PREPOSITIONS = wordSet("in for of on at with from by since für bei mit von pour en de");
/** A phrase that begins with one is a question of its own. */
const QUESTION_WORDS = wordSet(
  "what who when where why how which if is are was were do does did can could will has have should",
);
const MAX_WORDS = 7;
/** A number, or a name with a number or an underscore in it: 2019, AO-300, 4P, top_k. */
const CODE =
  /(?<![\p{L}\p{N}_-])(?=[\p{L}-]*[\p{N}_])[\p{L}\p{N}](?:[\p{L}\p{N}.,_-]*[\p{L}\p{N}])?/gu;
/** Capitalized words, except at the beginning of a sentence, and "I". */
const NAME =
  /(?<!^\s*|[.!?:]\s+|\(|[\p{L}\p{N}_-])(?!I\b)\p{Lu}[\p{L}\p{N}_.&-]*(?:\s+\p{Lu}[\p{L}\p{N}_.&-]*)*(?<![.])/gu;

/** "And in Germany?", "What about 2019?": replaces the like in the previous question. */
function substituted(question: string, previous: string): string | undefined {
  if (!AND.test(question)) return undefined;
  const phrase = oneLine(withoutEnding(question.replace(AND, "")));
  const words = phrase.split(" ");
  const [first = ""] = wordsOf(phrase.toLowerCase());
  const isPhrase = words.length <= MAX_WORDS && !QUESTION_WORDS.has(first);
  if (phrase === "" || !isPhrase || PRONOUN.test(phrase)) return undefined;
  const hasPreposition = PREPOSITIONS.has(words[0]?.toLowerCase() ?? "");
  const rest = words.slice(Number(hasPreposition)).filter((word, at) => at > 0 || word !== "the");
  const named = rest.join(" ");
  const [code] = named.match(CODE) ?? [];
  const like = code === undefined ? isCapital(named) && NAME : CODE;
  const candidates = like ? [...previous.matchAll(like)] : [];
  const shape = shapeOf(code ?? "");
  const old = candidates.findLast(([each]) => shapeOf(each) === shape) ?? candidates.at(-1);
  const before = wordsOf(previous.slice(0, old?.index).toLowerCase());
  const isPlaced = !hasPreposition || before.slice(-2).some((word) => PREPOSITIONS.has(word));
  if (old === undefined || !isPlaced) return `${withoutEnding(previous)}, ${phrase}?`;
  // "And version 2?" after "in version 1.4" puts the number in, and not the word again.
  const isRepeated = rest.length > 1 && rest[0]?.toLowerCase() === before.at(-1);
  const put = isRepeated ? rest.slice(1).join(" ") : named;
  return previous.slice(0, old.index) + put + previous.slice(old.index + old[0].length);
}

/** Tells quarters from years, and models from sizes: "Q3" is "L9", "2019" is "9999". */
function shapeOf(code: string): string {
  return code.replace(/\p{L}/gu, "L").replace(/\p{N}/gu, "9");
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

const PRONOUN =
  /(?<![\p{L}'’])(?:(its|his|her|their)(?=\s+\p{L})|it(?!\s+(?:possible|true|necessary|safe|allowed|rain|snow)\b)|he|she|they|him|them|there(?=\s*[?.!,]|\s*$))(?![\p{L}'’-])/iu;
/** In a short question these refer to the previous one. */
const POINTERS = wordSet("this that these those one");

function pronounResolved(
  question: string,
  previous: string,
  theSubject: string | undefined,
): string | undefined {
  const match = PRONOUN.exec(question);
  const before = question.slice(0, match?.index);
  // The question has a name, a quotation or a clause of its own that a pronoun can stand for.
  if (before.search(NAME) >= 0 || ['"', "“", "`"].some((mark) => before.includes(mark)))
    return undefined;
  if (contentTerms(before.slice(0, Math.max(0, before.lastIndexOf(" and ")))).length > 0)
    return undefined;
  const inBrackets = `${question} (${previous})`;
  if (match === null) {
    const words = wordsOf(question.toLowerCase());
    // "Which is the default?" asks for one of the things before.
    const chooses = words[0] === "which" && ["is", "are"].includes(words[1] ?? "");
    const most = words.some((word) => POINTERS.has(word)) ? 3 : Number(chooses);
    return contentTerms(question).length <= most ? inBrackets : undefined;
  }
  const [pronoun, possessive] = match;
  const subject =
    theSubject !== undefined && PLURALS.has(pronoun.toLowerCase())
      ? pluralOf(theSubject, previous)
      : theSubject;
  if (subject === undefined) return inBrackets;
  let named = pronoun.toLowerCase() === "there" ? `in ${subject}` : subject;
  if (possessive !== undefined) named += subject.endsWith("s") ? "'" : "'s";
  const after = question.slice(match.index + pronoun.length);
  return before + (before === "" ? capitalized(named) : named) + after;
}

const PLURALS = wordSet("they them their");

/** Returns several things that "they" can mean: "API keys" for "API"; undefined for one thing. */
function pluralOf(name: string, text: string): string | undefined {
  if (name.endsWith("s")) return name;
  const after = text.slice(text.lastIndexOf(name) + name.length);
  const noun = /^ \p{Ll}+s(?!\p{L})/u.exec(after)?.[0];
  return noun && name + noun;
}

/**
 * Returns a question's last name, with the thing that belongs to it ("the lighthouse of Quellin")
 * unless that was asked for ("What is the capital of France?" is about France); else the noun phrase
 * at its end.
 */
function subjectOf(question: string): string | undefined {
  const name = [...question.matchAll(NAME)].at(-1);
  const before = question.slice(0, name?.index);
  if (name !== undefined) return (THING_OF.exec(before)?.[0] ?? "") + name[0];
  return (SUBJECT_OF_VERB.exec(question) ?? NOUN_PHRASE_AT_END.exec(question))?.[0];
}

/** "How does the audit log work?" is about the audit log. */
const SUBJECT_OF_VERB =
  /(?<=\b(?:do|does|did|can|will|should)\s+)(?:the|my|our)\s+(?:[\p{Ll}\d_-]+\s+){0,2}[\p{Ll}\d_-]{3,}(?=\s+\p{Ll}+[\s?.!,]*$)/u;
const NOUN_PHRASE_AT_END =
  /\b(?:the|my|our)\s+(?:[\p{Ll}\d_-]+\s+){0,2}[\p{Ll}\d_-]{3,}(?=[\s?.!,]*$)/u;
const THING_OF =
  /\bthe\s+(?:(?<!\b(?:[Ww]hat|[Ww]ho|[Ww]hich)(?:['’]s|\s+(?:is|are|was|were))\s+the\s+)(?:[\p{L}-]+\s+){1,2}of\s+(?:the\s+)?)?$/u;
