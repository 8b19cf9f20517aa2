/**
 * Understands simple follow-up questions from what the user asked before. Only the user's own words
 * are used: an answer holds text of the evidence, and what is made here may go into a web search.
 * The one exception is an item that the user picks out of a list ("the second one"). Pure.
 */
import { withoutEnding } from "../../text/one-line.js";
import { extractNames, startsSentence } from "../../text/entities.js";

const MAX_ITEM_CHARACTERS = 80;

/** The question as it would be asked without the conversation; undefined when it needs none of it. */
export function resolveFollowUp({
  question,
  previous,
  lastAnswer,
}: {
  question: string;
  /** The standalone question before. */
  previous: string;
  lastAnswer: string | undefined;
}): string | undefined {
  return (
    questionWord(question, previous) ??
    askedForMore(question, previous) ??
    pickedItem(question, previous, lastAnswer) ??
    substituted(question, previous) ??
    pronounResolved(question, previous)
  );
}

/** "Why?", "Since when?": the question before, asked about in that way. */
function questionWord(question: string, previous: string): string | undefined {
  const word =
    /^\s*(?:and |but |so )?(why(?: not)?|how(?: so| come)?|when|where|who|since when|how (?:much|many|long|often|far)|for example|warum|wann|wo|wie|wer|pourquoi|comment|por qué)\s*[?!.]*\s*$/iu.exec(
      question,
    )?.[1];
  return word === undefined ? undefined : `${capital(word)}? ${previous}`;
}

function askedForMore(question: string, previous: string): string | undefined {
  const more =
    /^\s*(?:(?:can|could) you )?(?:please )?(?:tell me more|more(?: details?)?|go on|continue|elaborate|explain (?:that|it)(?: more)?|mehr(?: dazu)?)(?: about (?:it|that|this))?(?: please)?\s*[?.!]*\s*$/iu;
  return more.test(question) ? previous : undefined;
}

const ORDINALS = ["first", "second", "third", "fourth", "fifth"];
const PICKED =
  /\b(?:the )?(first|second|third|fourth|fifth|last|former|latter)(?: one| option| item)\b|\bthe (former|latter)\b/iu;

/** "The second one": of the user's own alternatives, else of the list in the last answer. */
function pickedItem(
  question: string,
  previous: string,
  lastAnswer: string | undefined,
): string | undefined {
  const match = PICKED.exec(question);
  if (match === null) return undefined;
  const word = (match[1] ?? match[2] ?? "").toLowerCase();
  const position = word === "former" ? 0 : /last|latter/u.test(word) ? -1 : ORDINALS.indexOf(word);
  const item = alternatives(previous).at(position) ?? listed(lastAnswer ?? "").at(position);
  if (item === undefined) return inBrackets(question, previous);
  return question.slice(0, match.index) + item + question.slice(match.index + match[0].length);
}

/** "… SQLite or Qdrant?" */
function alternatives(question: string): string[] {
  const [, a, b] =
    /((?:\bthe\s+)?[\p{L}\p{N}_-]+),?\s+or\s+((?:the\s+)?[\p{L}\p{N}_-]+)[\s?.!]*$/iu.exec(
      question,
    ) ?? [];
  return a === undefined || b === undefined ? [] : [a, b];
}

/** Items of a list, without their markers, citations and explanations. */
function listed(answer: string): string[] {
  return [...answer.matchAll(/^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+([^\n]{1,400})$/gmu)].map(
    ([, line = ""]) =>
      line
        .replace(/\[\d+\]|[*_`]+/gu, "")
        .split(/\s[–—-]\s|:\s|\.\s/u, 1)
        .join("")
        .trim()
        .slice(0, MAX_ITEM_CHARACTERS),
  );
}

const AND = /^\s*(?:and|what about|how about|und(?: was ist mit)?|et(?: pour)?|y)\s+(?=\S)/iu;
const PREPOSITION = /^(?:in|for|of|on|at|with|from|by|since|für|bei|mit|von|pour|en|de)\s+/iu;
const HAS_VERB =
  /^(?:what|who|when|where|why|how|which|if|is|are|was|were|do|does|did|can|could|will|has|have|should)\b|\b(?:its|his|her|their|it|they|he|she|there)\b/iu;
const MAX_WORDS = 7;

/** "And in Germany?", "What about 2019?": what is new takes the place of its like. */
function substituted(question: string, previous: string): string | undefined {
  if (!AND.test(question)) return undefined;
  const phrase = withoutEnding(question.replace(AND, ""), /[\s?.!]/u);
  const rest = phrase.replace(PREPOSITION, "").replace(/^the\s+/iu, "");
  if (rest === "" || HAS_VERB.test(phrase) || HAS_VERB.test(rest)) return undefined;
  if (phrase.split(/\s+/u).length > MAX_WORDS) return undefined;
  const preposition = PREPOSITION.exec(phrase)?.[0].trim();
  const old = likeOf(rest, previous, preposition);
  const isPlaced =
    old !== undefined &&
    (preposition === undefined || PREPOSITION.test(`${lastWord(previous.slice(0, old.start))} `));
  return isPlaced
    ? previous.slice(0, old.start) + rest + previous.slice(old.end)
    : `${withoutEnding(previous, /[\s?.!]/u)}, ${phrase}?`;
}

function lastWord(text: string): string {
  return (
    text
      .replace(/\s+the\s*$/iu, "")
      .trim()
      .split(/\s+/u)
      .at(-1) ?? ""
  );
}

/** The last thing that the new one can stand for: a year for a year, a name for a name. */
function likeOf(
  rest: string,
  previous: string,
  preposition = "of",
): { start: number; end: number } | undefined {
  const last = (pattern: RegExp): { start: number; end: number } | undefined => {
    const match = [...previous.matchAll(pattern)].at(-1);
    return match && { start: match.index, end: match.index + match[0].length };
  };
  if (/^\d[\d.,]*$/u.test(rest)) return last(/(?<![\p{L}\p{N}])\d[\d.,]*(?![\p{L}\p{N}])/gu);
  if (/^(?=\S*\d)(?=\S*\p{L})\S+$/u.test(rest))
    return last(
      /(?<![\p{L}\p{N}-])(?=[\p{L}-]*\d)(?=[\d-]*\p{L})[\p{L}\p{N}-]+(?![\p{L}\p{N}-])/gu,
    );
  if (/^\p{Lu}/u.test(rest)) {
    const name = namesIn(previous).at(-1);
    // "And of Spain?" leaves the bank of "the Bank of England" where it is.
    const inner = ` ${preposition} `;
    const at = name?.text.lastIndexOf(inner) ?? -1;
    return name && (at < 0 ? name : { start: name.start + at + inner.length, end: name.end });
  }
  return last(/(?<=\b(?:the|an?)\s)[\p{Ll}\d_-]+(?:\s+[\p{Ll}\d_-]+){0,2}(?=[\s?.!]*$)/gu);
}

const PRONOUN =
  /(?<![\p{L}'’])(?:(its|his|her|their)(?=\s+\p{L})|it|he|she|they|him|them|this|that|these|those)(?![\p{L}'’-])|\bthere(?=\s*[?.!,]|\s*$)/iu;
const EMPTY_IT =
  /\b(?:is|was|does|would|will|could|can) it (?:possible|true|necessary|safe|ok|allowed|rain|snow)\b|\bwhat time is it\b/iu;

function pronounResolved(question: string, previous: string): string | undefined {
  const match = PRONOUN.exec(question);
  if (match === null || EMPTY_IT.test(question)) return undefined;
  const [pronoun, possessive] = match;
  const before = question.slice(0, match.index);
  // A name or a thing of its own that it can stand for; "the play that …", "this page".
  if (namesIn(before).length > 0 || /["“`]/u.test(before)) return undefined;
  const points = /^(?:this|that|these|those)$/iu.test(pronoun);
  if (points && /^\s+\p{L}/u.test(question.slice(match.index + pronoun.length)) && before !== "")
    return /\p{L}\s$/u.test(before) ? undefined : inBrackets(question, previous);
  const subject = subjectOf(previous);
  if (subject === undefined) return inBrackets(question, previous);
  const named =
    pronoun.toLowerCase() === "there"
      ? `in ${subject}`
      : possessive === undefined
        ? subject
        : `${subject}${/s$/iu.test(subject) ? "'" : "'s"}`;
  return (
    before + (before === "" ? capital(named) : named) + question.slice(match.index + pronoun.length)
  );
}

/** What a question is about: a quoted phrase, its last name, or the noun phrase that it ends with. */
function subjectOf(question: string): string | undefined {
  const quoted = /["“]([^"”\n]{2,80})["”]|`([^`\n]{2,80})`/u.exec(question);
  if (quoted !== null) return quoted[1] ?? quoted[2];
  const name = namesIn(question).at(-1);
  if (name !== undefined) return thingBefore(question.slice(0, name.start)) + name.text;
  return /\b(?:the|my|our)\s+(?:[\p{Ll}\d_-]+\s+){0,2}?[\p{Ll}\d_-]{3,}(?=\s+(?:do|does|work|mean|is|are|of|in|for)\b|[\s?.!,]*$)/u.exec(
    question,
  )?.[0];
}

/**
 * "the", or "the lighthouse of". Not where the thing is what is asked for: "What is the capital of
 * France?" is about France.
 */
function thingBefore(before: string): string {
  const thing = /\bthe\s+(?:[\p{Ll}-]+\s+)?[\p{Ll}-]+\s+of\s+(?:the\s+)?$/u.exec(before);
  const isAsked =
    thing !== null &&
    /\b(?:what|who|which)(?:['’]s|\s+(?:is|are|was|were))\s+$/iu.test(before.slice(0, thing.index));
  if (thing !== null && !isAsked) return thing[0];
  return /\bthe\s+$/iu.test(before) ? "the " : "";
}

/** Names; a capital that only begins the sentence makes none. */
function namesIn(text: string): { text: string; start: number; end: number }[] {
  return extractNames(text).filter(
    ({ text: name, start }) =>
      !startsSentence(text, start) || /\s/u.test(name) || /\p{Lu}.*\p{Lu}/u.test(name),
  );
}

function inBrackets(question: string, previous: string): string {
  return `${withoutEnding(question, /[\s?.!]/u)} (${previous})`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
