/**
 * Recognizes what is no answer: text of a model that is meant for a program (tool calls, raw JSON,
 * channels of thinking), and sentences that state only what the sources do not say: "The sources do
 * not give …". Such a sentence has a source, a negation and a verb of saying; the words for these
 * three are data, by language.
 */
import { REFUSAL_WORDS } from "../text/languages.js";
import { escapePattern } from "../text/words.js";
import { citedSentences, withoutMarkers } from "./citations.js";
import { claimsNothing } from "./claim-bands.js";

/** Characters before the first of these words: behind more, it is a remark in an answer. */
const LEAD = 70;
/** Characters between a negation and what it negates. */
const REACH = 40;
/** Signs of a statement before them: "330 metres; the sources do not say …". */
const STATED = /[\d;；]/u;

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** A `*` ends a stem; an apostrophe, a word that is joined to the next. */
function anyOf(words: string): string {
  const patterns = words.split(" ").map((word) => {
    if (UNSPACED.test(word)) return word;
    if (word === "n't") return "n['’]t(?!\\p{L})";
    const stem = escapePattern(word.replace(/[*']$/u, ""));
    const after = word.endsWith("'") ? "['’]" : word.endsWith("*") ? "" : "(?!\\p{L})";
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
 * True for a sentence that states only that the evidence does not say, in English, German,
 * French, Spanish, Chinese or Japanese. One that goes on with "but …" states something.
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

/**
 * True for an answer that consists of refusing sentences, with citations or without, and of
 * courtesies.
 * @example isRefusal("The sources do not state the salary [1].") // true
 */
export function isRefusal(answer: string): boolean {
  const stating = citedSentences(answer).filter(({ text }) => !isRefusingSentence(text));
  const isCourteous = stating.every((each) =>
    claimsNothing(each, { asked: NOTHING, known: NOTHING }),
  );
  return isCourteous && stating.length < citedSentences(answer).length;
}

const NOTHING: ReadonlySet<string> = new Set();

/** Chat templates' signs, and the tags that models write round tool calls. */
const FOR_PROGRAMS =
  /<\|[a-z_]{2,30}\|?>|<\/?(?:tool_call|tool_calls|function_call|invoke|function=)[\s>\w]|\[TOOL_CALLS\]/iu;

/** @example isNoAnswer('<tool_call>{"name": "search"}</tool_call>') // true */
export function isNoAnswer(answer: string): boolean {
  const isQuoted = /```|`/u.test(answer);
  if (FOR_PROGRAMS.test(answer) && !isQuoted) return true;
  const bare = withoutMarkers(answer).replace(/^```(?:json)?\s*|\s*```$/gu, "");
  if (!/^[[{]/u.test(bare)) return false;
  try {
    return typeof JSON.parse(bare) === "object" && !isQuoted;
  } catch {
    return false;
  }
}
