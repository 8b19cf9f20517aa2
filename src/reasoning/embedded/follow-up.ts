/**
 * Understands simple follow-up questions from what the user asked before. Only the user's own words
 * are used: an answer holds text of the evidence, and what is made here may go into a web search.
 */
import { contentTerms } from "../../text/analyse.js";
import { withoutEnding } from "../../text/one-line.js";

/**
 * The question as it would be asked without the conversation; undefined when it needs none of it.
 * @param previous the standalone question before
 */
export function resolveFollowUp(question: string, previous: string): string | undefined {
  return (
    askedFurther(question, previous) ??
    substituted(question, previous) ??
    pronounResolved(question, previous)
  );
}

/** Words that ask for more and name nothing. */
const MORE = new Set(contentTerms("tell give explain elaborate continue go details example mehr"));

/** "Why?", "Since when?", "Tell me more": the question before, asked about in that way. */
function askedFurther(question: string, previous: string): string | undefined {
  const namesNothing = contentTerms(question).every((term) => MORE.has(term));
  return namesNothing && !PRONOUN.test(question)
    ? `${capital(withoutEnding(question))}? ${previous}`
    : undefined;
}

const AND = /^\s*(?:(?:and|und|et|y|what about|how about|was ist mit)\s+)+(?=\S)/iu;
const PREPOSITION = /^(?:in|for|of|on|at|with|from|by|since|für|bei|mit|von|pour|en|de)$/iu;
const WHOLE_QUESTION =
  /^(?:what|who|when|where|why|how|which|if|is|are|was|were|do|does|did|can|could|will|has|have|should|for how)\b/iu;
const MAX_WORDS = 7;
/** A number, or a name with a number in it: 2019, AO-300, 4P. */
const CODE = /(?<![\p{L}\p{N}-])(?=[\p{L}-]*\p{N})[\p{L}\p{N}](?:[\p{L}\p{N}.,-]*[\p{L}\p{N}])?/gu;
/** Words with a capital that does not come of the beginning of a sentence. */
const NAME =
  /(?<!^\s*|[.!?:]\s+|[\p{L}\p{N}-])\p{Lu}[\p{L}\p{N}.&-]*(?:\s+\p{Lu}[\p{L}\p{N}.&-]*)*(?<![.])/gu;

/** "And in Germany?", "What about 2019?": what is new takes the place of its like. */
function substituted(question: string, previous: string): string | undefined {
  if (!AND.test(question)) return undefined;
  const phrase = withoutEnding(question.replace(AND, ""));
  const words = phrase.split(/\s+/u);
  const isPhrase = words.length <= MAX_WORDS && !WHOLE_QUESTION.test(phrase);
  if (phrase === "" || !isPhrase || PRONOUN.test(phrase)) return undefined;
  const hasPreposition = PREPOSITION.test(words[0] ?? "");
  const rest = words.slice(Number(hasPreposition)).filter((word, at) => at > 0 || word !== "the");
  const like = /\p{N}/u.test(rest.join(""))
    ? CODE
    : /^\p{Lu}/u.test(rest[0] ?? "")
      ? NAME
      : undefined;
  const old = like && [...previous.matchAll(like)].at(-1);
  const before = previous.slice(0, old?.index).trim().split(/\s+/u);
  const isPlaced = !hasPreposition || before.slice(-2).some((word) => PREPOSITION.test(word));
  return old !== undefined && isPlaced
    ? previous.slice(0, old.index) + rest.join(" ") + previous.slice(old.index + old[0].length)
    : `${withoutEnding(previous)}, ${phrase}?`;
}

const PRONOUN =
  /(?<![\p{L}'’])(?:(its|his|her|their)(?=\s+\p{L})|it(?!\s+(?:possible|true|necessary|safe|allowed|rain|snow)\b)|he|she|they|him|them|there(?=\s*[?.!,]|\s*$))(?![\p{L}'’-])/iu;
/** Points at something without its name; only in a short question surely at what was before. */
const POINTS = /\b(?:this|that|these|those|one)\b/iu;

function pronounResolved(question: string, previous: string): string | undefined {
  const match = PRONOUN.exec(question);
  const before = question.slice(0, match?.index);
  // A name or a quotation of its own that it can stand for.
  if ([...before.matchAll(NAME)].length > 0 || /["“`]/u.test(before)) return undefined;
  const inBrackets = `${question} (${previous})`;
  if (match === null)
    return POINTS.test(question) && contentTerms(question).length <= 3 ? inBrackets : undefined;
  const subject = subjectOf(previous);
  if (subject === undefined) return inBrackets;
  const [pronoun, possessive] = match;
  const named =
    pronoun.toLowerCase() === "there"
      ? `in ${subject}`
      : possessive === undefined
        ? subject
        : `${subject}${subject.endsWith("s") ? "'" : "'s"}`;
  const after = question.slice(match.index + pronoun.length);
  return before + (before === "" ? capital(named) : named) + after;
}

/**
 * What a question is about: its last name, with the thing that it belongs to ("the lighthouse of
 * Quellin") unless that is what was asked for ("What is the capital of France?" is about France);
 * else the noun phrase that it ends with.
 */
function subjectOf(question: string): string | undefined {
  const name = [...question.matchAll(NAME)].at(-1);
  const before = question.slice(0, name?.index);
  if (name !== undefined) return (THING_OF.exec(before)?.[0] ?? "") + name[0];
  return /\b(?:the|my|our)\s+(?:[\p{Ll}\d_-]+\s+){0,2}[\p{Ll}\d_-]{3,}(?=[\s?.!,]*$)/u.exec(
    question,
  )?.[0];
}

const THING_OF =
  /\bthe\s+(?:(?<!\b(?:[Ww]hat|[Ww]ho|[Ww]hich)(?:['’]s|\s+(?:is|are|was|were))\s+the\s+)(?:[\p{L}-]+\s+){1,2}of\s+(?:the\s+)?)?$/u;

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
