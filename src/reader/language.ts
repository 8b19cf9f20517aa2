/**
 * Tells English from other languages: an encoder that knows English alone says nothing of others.
 */
import { countFunctionWords } from "../text/languages.js";

/** Beginning of a text that is looked at, in characters. */
const LOOKED_AT = 1_000;
/** From so many words on, a text with hardly any English function word is not English. */
const LONG = 25;
const FEWEST_ENGLISH = 0.08;
/** Share of Latin letters: English names stand in Chinese questions too. */
const FEWEST_LATIN = 0.7;

/** Returns false where the text is surely not English: by its script, or by its function words. */
export function isEnglish(text: string): boolean {
  const beginning = text.slice(0, LOOKED_AT).toLowerCase();
  const words = beginning.match(/\p{L}+/gu) ?? [];
  const letters = Array.from(words.join(""));
  const latin = beginning.match(/\p{Script=Latin}/gu) ?? [];
  if (latin.length < FEWEST_LATIN * letters.length) return false;
  const counts = countFunctionWords(words);
  const english = counts.find(({ code }) => code === "en")?.count ?? 0;
  if (words.length >= LONG && english < FEWEST_ENGLISH * words.length) return false;
  return counts.every(({ count }) => count <= english);
}
