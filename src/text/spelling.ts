/** Corrects misspelled words of a question by the documents, and names by those that exist. */
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
 * Puts a word of the texts in the place of each unusual one that they do not have: the most
 * frequent of those that differ by one letter, added, left out, exchanged or swapped with the next.
 * A name is put in the place of a name only.
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

/** True if one letter was added, left out, exchanged, or swapped with the next. */
export function isOneEditApart(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a === b) return false;
  let at = 0;
  while (a[at] === b[at]) at++;
  const [restOfA, restOfB] = [a.slice(at), b.slice(at)];
  const swapped = (restOfA[1] ?? "") + (restOfA[0] ?? "") + restOfA.slice(2);
  return (
    restOfA.slice(1) === restOfB ||
    restOfA === restOfB.slice(1) ||
    restOfA.slice(1) === restOfB.slice(1) ||
    swapped === restOfB
  );
}

/**
 * Returns the known name that a misspelled one probably means: the same in other capitals, or one
 * letter apart.
 * @example nearestName("profil", ["profile", "quality"]) // "profile"
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const asked = given.toLowerCase();
  const near = known.filter((name) => Math.abs(name.length - asked.length) <= 1);
  return (
    near.find((name) => name.toLowerCase() === asked) ??
    near.find((name) => isOneEditApart(asked, name.toLowerCase()))
  );
}
