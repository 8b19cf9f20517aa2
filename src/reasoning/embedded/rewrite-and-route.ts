/** Makes questions standalone and routes them, without a model. Pure. */
import { contentTerms } from "../../text/analyse.js";
import { oneLine, withoutEnding, withoutTerminalCommands } from "../../text/one-line.js";
import { wordsOf } from "../../text/words.js";
import type { Rewrite, RewriteInput, Route, RouteInput } from "../reasoner.js";
import { mentionedPaths } from "./plan.js";
import { capitalized, COURTESIES_ALONE, isCapital, withoutCourtesies } from "./queries.js";

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
    if (!isSmallTalk(text)) previous = standalone(text, previous);
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
  if (previous === undefined || isSmallTalk(asked)) return { text: asked };
  return resolveFollowUp(asked, previous) ?? { text: asked };
}

const HOLDINGS = new Set(
  contentTerms("documents files sources topics list show many knowledge base index hold contain"),
);

/** True for "Which documents do you have?": all that it names are documents. */
export function asksForHoldings(question: string): boolean {
  const terms = contentTerms(question);
  return terms.length > 0 && terms.every((term) => HOLDINGS.has(term));
}

/** True for courtesies, and for "What can you do?" and other messages to the agent itself. */
function isSmallTalk(text: string): boolean {
  const said = text.trim();
  return COURTESIES_ALONE.test(said) || asksForHoldings(said) || (isEmpty(said) && isToAgent(said));
}

function isEmpty(text: string): boolean {
  return contentTerms(text).length === 0;
}

function isToAgent(text: string): boolean {
  return wordsOf(text.toLowerCase()).some((word) => word === "you" || word === "your");
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

const MORE = new Set(contentTerms("tell give explain elaborate continue go details example"));

/** "Why?", "Since when?", "Tell me more" are put before the previous question. */
function askedFurther(question: string, previous: string): string | undefined {
  const namesNothing = contentTerms(question).every((term) => MORE.has(term));
  return namesNothing && !PRONOUN.test(question)
    ? `${capitalized(withoutEnding(question))}? ${previous}`
    : undefined;
}

const AND = /^\s*(?:(?:and|und|et|y|what about|how about)\s+)+(?=\S)/iu;
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
  const after = old === undefined ? "" : previous.slice(old.index + old[0].length);
  // "The mayor of Dunmore" and "Dunmore's mayor" have a place for "in Elmstead".
  const isPlaced =
    !hasPreposition ||
    before.slice(-2).some((word) => PREPOSITIONS.has(word)) ||
    /^['’]s?\s/u.test(after);
  if (old === undefined || !isPlaced) return `${withoutEnding(previous)}, ${phrase}?`;
  // "And version 2?" after "in version 1.4" puts the number in, and not the word again.
  const isRepeated = rest.length > 1 && rest[0]?.toLowerCase() === before.at(-1);
  return previous.slice(0, old.index) + (isRepeated ? rest.slice(1).join(" ") : named) + after;
}

/** Tells quarters from years, and models from sizes: "Q3" is "L9", "2019" is "9999". */
function shapeOf(code: string): string {
  return code.replace(/\p{L}/gu, "L").replace(/\p{N}/gu, "9");
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

const PRONOUN =
  /(?<![\p{L}'’])(?:(its|his|her|their)(?=\s+\p{L})|it(?!\s+(?:possible|true|necessary|safe|allowed)\b)|he|she|they|him|them|there(?=\s*[?.!,]|\s*$))(?![\p{L}'’-])/iu;
/** In a short question these refer to the previous one. */
const POINTERS = wordSet("this that these those one");
const PLURALS = wordSet("they them their");

function pronounResolved(
  question: string,
  previous: string,
  head: string | undefined,
): string | undefined {
  const match = PRONOUN.exec(question);
  const before = question.slice(0, match?.index);
  // The question has a name, a quotation or a clause of its own that a pronoun can stand for.
  if (before.search(NAME) >= 0 || ['"', "“", "`"].some((mark) => before.includes(mark)))
    return undefined;
  if (!isEmpty(before.slice(0, Math.max(0, before.lastIndexOf(" and "))))) return undefined;
  const inBrackets = `${question} (${previous})`;
  if (match === null) {
    const words = wordsOf(question.toLowerCase());
    // "Which is the default?" asks for one of the things before.
    const chooses = words[0] === "which" && ["is", "are"].includes(words[1] ?? "");
    const most = words.some((word) => POINTERS.has(word)) ? 3 : Number(chooses);
    return contentTerms(question).length <= most ? inBrackets : undefined;
  }
  const [pronoun, possessive] = match;
  const isPlace = pronoun.toLowerCase() === "there";
  // After "the capital of France", "its population" and "live there" are about France.
  const owner = possessive !== undefined || isPlace ? head?.split(" of ").at(-1) : head;
  const fits = !PLURALS.has(pronoun.toLowerCase()) || owner?.endsWith("s") === true;
  if (owner === undefined || !fits) return inBrackets;
  const possessed = possessive === undefined ? owner : owner + (owner.endsWith("s") ? "'" : "'s");
  const named = isPlace ? `in ${owner}` : possessed;
  const after = question.slice(match.index + pronoun.length);
  return before + (before === "" ? capitalized(named) : named) + after;
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
  const sentences = withoutEnding(question.replace(/\s*\(.*$/u, "")).split(/[.?!]\s+/u);
  const asked = sentences.at(-1) ?? "";
  const [head] = HEADS.flatMap((pattern) => pattern.exec(asked)?.groups?.["head"] ?? []);
  const name = [...question.matchAll(NAME)].at(-1)?.[0];
  const isThing = head && !isEmpty(head) && !PRONOUN.test(head) && !POINTERS.has(head);
  return isThing && head.split(" ").length <= LONGEST_HEAD ? head : name;
}
