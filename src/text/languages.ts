/**
 * What the project knows of languages, as data: `languages.json`. Texts are analyzed alike whatever
 * their language, because short ones cannot be told apart: so a stop word or an abbreviation of one
 * language counts in all, and is listed only where it is no content word of English ("und", but
 * not "die").
 */
import table from "./languages.json" with { type: "json" };

interface Words {
  /** The commonest words, which tell a language in Latin letters apart; where that was measured. */
  readonly functionWords?: string;
  /** They carry no topic, so neither an index nor a judge counts them. */
  readonly stopWords: string;
  /** After these a full stop does not end a sentence. Without the last stop. */
  readonly abbreviations?: string;
  /** After these a number with a full stop is an ordinal. */
  readonly beforeOrdinals?: string;
}

const LANGUAGES: Readonly<Record<string, Words>> = table;

const allOf = (key: keyof Words): ReadonlySet<string> =>
  new Set(Object.values(LANGUAGES).flatMap((words) => words[key]?.split(" ") ?? []));

/** Lower-cased, as written: with apostrophes and diacritics. */
export const STOP_WORDS = allOf("stopWords");
export const ABBREVIATIONS = allOf("abbreviations");
export const BEFORE_ORDINALS = allOf("beforeOrdinals");

const FUNCTION_WORDS = Object.entries(LANGUAGES).flatMap(([code, { functionWords }]) =>
  functionWords === undefined ? [] : [{ code, words: new Set(functionWords.split(" ")) }],
);

/** How many function words of each language are among these words, in lower case; most first. */
function countFunctionWords(words: readonly string[]): { code: string; count: number }[] {
  return FUNCTION_WORDS.map(({ code, words: own }) => ({
    code,
    count: words.filter((word) => own.has(word)).length,
  })).sort((a, b) => b.count - a.count);
}

const SCRIPTS = ["Hiragana", "Hangul", "Han", "Cyrillic", "Greek", "Arabic", "Hebrew", "Thai"];
/** Characters of a text that are looked at to name its language. */
const SAMPLE = 4_000;
/** Function words that a text must show before its language is named. */
const ENOUGH = 3;

/** The runs of letters at the beginning of a text, in lower case. */
function beginningOf(text: string, length: number): string[] {
  return (
    text
      .slice(0, length)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  );
}

function shareOf(script: string, letters: string): number {
  const found = letters.match(new RegExp(`\\p{Script=${script}}`, "gu")) ?? [];
  return found.length / Math.max(1, letters.length);
}

/** A language's code or a script's name; undefined where there is too little to tell. */
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

/** Characters that tell English from other languages. */
const BEGINNING = 1_000;
/** From so many words on, a text with hardly any English function word is not English. */
const LONG = 25;
const FEWEST_ENGLISH = 0.08;
/** Share of Latin letters: English names stand in Chinese questions too. */
const FEWEST_LATIN = 0.7;

/** Returns false where the text is surely not English: by its script, or by its function words. */
export function isEnglish(text: string): boolean {
  const words = beginningOf(text, BEGINNING);
  const letters = words.join("");
  if (letters !== "" && shareOf("Latin", letters) < FEWEST_LATIN) return false;
  const counts = countFunctionWords(words);
  const english = counts.find(({ code }) => code === "en")?.count ?? 0;
  if (words.length >= LONG && english < FEWEST_ENGLISH * words.length) return false;
  return counts.every(({ count }) => count <= english);
}
