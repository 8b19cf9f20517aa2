/**
 * Word lists by language, from `languages.json`. Short texts cannot be told apart, so a stop word
 * or an abbreviation of one language counts in all, and is only listed if it is not a content word
 * of English ("und", but not "die").
 */
import table from "./languages.json" with { type: "json" };
import { wordSet } from "./words.js";

/** Words of sentences which say that the evidence does not say. A `*` ends a stem. */
interface RefusalWords {
  readonly negations: string;
  /** What holds information, or who looked for it: "the documents", "I". */
  readonly evidence: string;
  /** What is negated: "state", "information". */
  readonly telling: string;
  /** The same where the negation follows it. */
  readonly tellingBefore?: string;
  /** Behind one of these a sentence goes on with an answer. */
  readonly contrasts: string;
}

interface Words {
  /** The commonest words, by which a language in Latin letters is recognized. */
  readonly functionWords?: string;
  /** Ignored by index and judge. */
  readonly stopWords: string;
  /** Without the last full stop, which does not end a sentence. */
  readonly abbreviations?: string;
  /** Words after which a number with a full stop is an ordinal. */
  readonly beforeOrdinals?: string;
  readonly refusal?: RefusalWords;
  /** A sentence made of these and of the question's words claims nothing. */
  readonly remarks?: string;
  readonly opposites?: string;
}

const LANGUAGES: Readonly<Record<string, Words>> = table;

const allOf = (key: Exclude<keyof Words, "refusal">): ReadonlySet<string> =>
  new Set(Object.values(LANGUAGES).flatMap((words) => words[key]?.split(" ") ?? []));

/** Lower-cased, with apostrophes and diacritics. */
export const STOP_WORDS = allOf("stopWords");
export const ABBREVIATIONS = allOf("abbreviations");
export const BEFORE_ORDINALS = allOf("beforeOrdinals");

export const REMARKS = table.en.remarks;
export const OPPOSITES = table.en.opposites;
export const REFUSAL_WORDS = Object.values(LANGUAGES).flatMap(({ refusal }) => refusal ?? []);

const FUNCTION_WORDS = Object.entries(LANGUAGES).flatMap(([code, { functionWords }]) =>
  functionWords === undefined ? [] : [{ code, words: wordSet(functionWords) }],
);

/** Counts the function words of each language; the language with most comes first. */
function countFunctionWords(words: readonly string[]) {
  return FUNCTION_WORDS.map(({ code, words: known }) => ({
    code,
    known,
    count: words.filter((word) => known.has(word)).length,
  })).sort((a, b) => b.count - a.count);
}

/**
 * Leaves the function words of its language out of a short text that is not English, since no stop
 * word is a content word of English: "die", "war".
 */
export function withoutForeignFunctionWords(text: string): string {
  const [most] = countFunctionWords(beginningOf(text, SAMPLE));
  // One alone may be an English word: "hat", "plus".
  if (most === undefined || most.code === "en" || most.count < 2) return text;
  return text.replace(/\p{L}+/gu, (word) => (most.known.has(word.toLowerCase()) ? "" : word));
}

const SCRIPTS = ["Hiragana", "Hangul", "Han", "Cyrillic", "Greek", "Arabic", "Hebrew", "Thai"];
/** Characters that are inspected to name a language. */
const SAMPLE = 4_000;
/** Function words needed to name a language. */
const ENOUGH = 3;

/** Returns the words at the beginning of a text, in lower case. */
function beginningOf(text: string, length: number): string[] {
  const beginning = text.slice(0, length).toLowerCase();
  return beginning.match(/\p{L}+/gu) ?? [];
}

function shareOf(script: string, letters: string): number {
  const found = letters.match(new RegExp(`\\p{Script=${script}}`, "gu")) ?? [];
  return found.length / Math.max(1, letters.length);
}

/** Returns a language's code or a script's name; undefined for too little text. */
export function languageOf(text: string): string | undefined {
  const words = beginningOf(text, SAMPLE);
  const letters = words.join("");
  const script = SCRIPTS.find((name) => shareOf(name, letters) > (name === "Hiragana" ? 0.1 : 0.4));
  if (script !== undefined) return script;
  const [first, second] = countFunctionWords(words);
  const isSure =
    first !== undefined && first.count >= ENOUGH && first.count > 1.3 * (second?.count ?? 0);
  return isSure ? first.code : undefined;
}

/** Least share of function words in prose; code, lists and tables have fewer. */
const FEWEST_IN_PROSE = 0.15;

/** True for prose that is surely in another language than English. */
export function isForeignProse(text: string): boolean {
  const language = languageOf(text);
  if (language === undefined || language === "en") return false;
  const words = beginningOf(text, SAMPLE);
  const count = countFunctionWords(words)[0]?.count ?? 0;
  return SCRIPTS.includes(language) || count >= FEWEST_IN_PROSE * words.length;
}

/** Characters that are inspected to recognize English. */
const BEGINNING = 1_000;
/** A text of at least so many words has a minimum share of English function words. */
const LONG = 25;
const FEWEST_ENGLISH = 0.08;
/** Minimum share of Latin letters. Chinese questions may contain English names too. */
const FEWEST_LATIN = 0.7;

/** Returns false if script or function words show that the text is not English. */
export function isEnglish(text: string): boolean {
  const words = beginningOf(text, BEGINNING);
  const letters = words.join("");
  if (letters !== "" && shareOf("Latin", letters) < FEWEST_LATIN) return false;
  const english = countFunctionWords(words).find(({ code }) => code === "en")?.count ?? 0;
  const isScarce = words.length >= LONG && english < FEWEST_ENGLISH * words.length;
  return !isScarce && !isForeign(text);
}

/** True if the function words of another language outnumber the English ones. */
export function isForeign(text: string): boolean {
  return countFunctionWords(beginningOf(text, BEGINNING))[0]?.code !== "en";
}
