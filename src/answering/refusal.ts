/**
 * Recognizes what is no answer: text of a model that is meant for a program (tool calls, raw JSON,
 * channels of thinking), and sentences that state only what the sources do not say: "The sources do
 * not give …". Such a sentence has a source, a negation and a verb of saying; the words for these
 * three are data, by language.
 */
import type { ClaimSupport } from "../reader/reader.js";
import { parsedJson } from "../support/json.js";
import { REFUSAL_WORDS } from "../text/languages.js";
import { escapePattern, SPACELESS } from "../text/words.js";
import { withoutMarkers } from "./citations.js";

/** Characters before the first of these words: behind more, it is a remark in an answer. */
const LEAD = 70;
/** Characters between a negation and what it negates. */
const REACH = 40;
/** Signs of a statement before them: "330 metres; the sources do not say …". */
const STATED = /[\d;；]/u;

/** A `*` ends a stem; an apostrophe, a word that is joined to the next. */
function anyOf(words: string): string {
  const patterns = words.split(" ").map((word) => {
    if (SPACELESS.test(word)) return word;
    if (word === "n't") return "n['’]t(?!\\p{L})";
    const stem = escapePattern(word.replace(/[*']$/u, ""));
    const after = word.endsWith("'") ? "['’]" : word.endsWith("*") ? "" : "(?![\\p{L}-])";
    return `(?<!\\p{L})${stem}${after}`;
  });
  return `(?:${patterns.join("|")})`;
}

const LANGUAGES = REFUSAL_WORDS.map((words) => {
  const negation = anyOf(words.negations);
  const orders = [`${negation}.{0,${REACH}}?${anyOf(words.telling)}`];
  if (words.tellingBefore !== undefined)
    orders.push(`${anyOf(words.tellingBefore)}.{0,${REACH}}?${negation}`);
  return {
    evidence: new RegExp(anyOf(words.evidence), "iu"),
    untold: new RegExp(orders.join("|"), "iu"),
    contrast: new RegExp(anyOf(words.contrasts), "iu"),
  };
});

/**
 * True for words that only say that the evidence does not say. A sentence that goes on with
 * "but …" states something.
 * @param sentence without citation markers
 */
export function isRefusingSentence(sentence: string): boolean {
  return LANGUAGES.some(({ evidence, untold, contrast }) => {
    const denial = untold.exec(sentence);
    const begin = Math.min(sentence.search(evidence), denial?.index ?? -1);
    return (
      denial !== null &&
      begin >= 0 &&
      begin <= LEAD &&
      !STATED.test(sentence.slice(0, begin)) &&
      !contrast.test(sentence.slice(denial.index + denial[0].length))
    );
  });
}

/** Least support, by the reader and by shared words, of a sentence that a source states. */
const STATED_FROM = { value: 0.12, words: 0.6 } as const;

/**
 * True for a refusing sentence that no source states. Where one says "Refunds are not given", then
 * "We do not give refunds" is an answer.
 */
export function isRefusing(
  sentence: string,
  { value, words = value }: Pick<ClaimSupport, "value" | "words">,
): boolean {
  const isStated = value >= STATED_FROM.value && words >= STATED_FROM.words;
  return !isStated && isRefusingSentence(sentence);
}

/** Chat templates' signs, and the tags that models write round tool calls. */
const FOR_PROGRAMS =
  /<\|[a-z_]{2,30}\|?>|<\/?(?:tool_calls?|function_call|invoke|function=)[\s>\w]|\[TOOL_CALLS\]/iu;

/** @example isNoAnswer('<tool_call>{"name": "search"}</tool_call>') // true */
export function isNoAnswer(answer: string): boolean {
  const isQuoted = answer.includes("`");
  if (FOR_PROGRAMS.test(answer) && !isQuoted) return true;
  const bare = withoutMarkers(answer).replace(/^```(?:json)?\s*|\s*```$/gu, "");
  return ["[", "{"].includes(bare.charAt(0)) && parsedJson(bare) !== undefined && !isQuoted;
}
