/** Do answer and evidence speak the same language? Told by scripts and function words. */
import { LANGUAGES } from "../text/languages/languages.js";

const SCRIPTS = ["Hiragana", "Hangul", "Han", "Cyrillic", "Greek", "Arabic", "Hebrew", "Thai"].map(
  (name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, "gu") }),
);
const FUNCTION_WORDS = LANGUAGES.map(({ code, functionWords }) => ({
  code,
  words: new Set(functionWords.split(" ")),
}));
/** Characters of a text that are looked at. */
const SAMPLE = 4_000;
/** Function words that a text must show before its language is named. */
const ENOUGH = 3;

/** A language's code or a script's name; undefined where there is too little to tell. */
export function languageOf(text: string): string | undefined {
  const sample = text.slice(0, SAMPLE).toLowerCase();
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  const script = SCRIPTS.find(
    ({ name, pattern }) =>
      (sample.match(pattern)?.length ?? 0) > (name === "Hiragana" ? 0.1 : 0.4) * letters,
  );
  if (letters > 0 && script !== undefined) return script.name;
  const words = sample.match(/\p{L}+/gu) ?? [];
  const [first, second] = FUNCTION_WORDS.map(({ code, words: own }) => ({
    code,
    count: words.filter((word) => own.has(word)).length,
  })).sort((a, b) => b.count - a.count);
  const isSure =
    first !== undefined && first.count >= ENOUGH && first.count > 1.3 * (second?.count ?? 0);
  return isSure ? first.code : undefined;
}

/** Both languages where both can be told and differ. */
export function languageMismatch(
  answer: string,
  evidence: readonly string[],
): { answer: string; evidence: string } | undefined {
  const own = languageOf(answer);
  const theirs = languageOf(evidence.map((text) => text.slice(0, SAMPLE / 4)).join("\n"));
  return own !== undefined && theirs !== undefined && own !== theirs
    ? { answer: own, evidence: theirs }
    : undefined;
}
