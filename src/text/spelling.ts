/** Corrects misspelled words of a question by the words of the documents. */
import { isOneEditApart } from "../support/nearest-name.js";
import { analyse, HIGHEST_IDF, idf, type Token } from "./analyse.js";
import { isEnglish } from "./languages.js";

/** A question misspells few words; pasted text of thousands would hold up everything else. */
const MOST_WORDS = 20;

const PLAIN = /^\p{L}\p{Ll}{3,}$/u;

/** Returns the words that may be misspelled: those that encyclopedia text does not know. */
function unusualWords(question: string): Token[] {
  if (!isEnglish(question)) return [];
  return analyse(question).filter(
    ({ text, term, stop }) => !stop && idf(term) === HIGHEST_IDF && PLAIN.test(text),
  );
}

/**
 * Puts a word of the texts in the place of each unusual one that they do not have: the most frequent
 * of those that differ by one letter, added, left out, exchanged or swapped with the next. A name is
 * put in the place of a name only.
 * @param texts what a search for the question found
 * @example respell("How do I cut the epty edges?", ["Empty edges are removed."])
 *   // "How do I cut the empty edges?"
 */
export function respell(question: string, texts: readonly string[]): string {
  const unusual = unusualWords(question).slice(0, MOST_WORDS);
  if (unusual.length === 0) return question;
  const words = texts.flatMap((text) => analyse(text));
  const known = new Set(words.map(({ term }) => term));
  const common = new Set<string>();
  const times = new Map<string, number>();
  for (const { text, stop } of words) {
    if (stop || !PLAIN.test(text)) continue;
    const word = text.toLowerCase();
    if (word === text) common.add(word);
    times.set(word, (times.get(word) ?? 0) + 1);
  }
  let spelled = question;
  for (const { text, term, start, end } of unusual.toReversed()) {
    const asked = text.toLowerCase();
    const isName = start > 0 && asked !== text;
    const [[nearest] = []] = [...times]
      .filter(([word]) => (!isName || !common.has(word)) && isOneEditApart(asked, word))
      .sort(([, a], [, b]) => b - a);
    if (nearest === undefined || known.has(term)) continue;
    const [first = "", ...rest] = nearest;
    const cased = asked === text ? nearest : first.toUpperCase() + rest.join("");
    spelled = spelled.slice(0, start) + cased + spelled.slice(end);
  }
  return spelled;
}
