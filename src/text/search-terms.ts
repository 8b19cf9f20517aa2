import { memoize } from "../support/cache.js";
import { analyse } from "./analyse.js";
import { fold, stemWord } from "./fold.js";
import { STOP_WORDS } from "./languages.js";

const COMPOUND = /[_./@+#-]|\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;
const EAST_ASIAN =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]{3,}$/u;

/**
 * What an index stores and a question asks for: the content terms; the parts of compound
 * identifiers beside the whole (`re_retrieve` with `re`, `retriev`); and the character pairs of
 * longer Chinese, Japanese and Korean words, which are so found where the dictionary cut the text
 * differently or a particle is attached.
 */
export function searchTerms(text: string): string[] {
  return analyse(text).flatMap(({ stop, term, text: word }) => {
    if (stop) return [];
    if (COMPOUND.test(word)) return [term, ...partsOf(word).filter((part) => part !== term)];
    if (!EAST_ASIAN.test(word)) return [term];
    const characters = Array.from(term);
    return [term, ...characters.slice(1).map((next, index) => `${characters[index] ?? ""}${next}`)];
  });
}

/** The search terms of a text, each once: what it can be found by. */
export const vocabularyOf: (text: string) => ReadonlySet<string> = memoize({
  compute: (text) => new Set(searchTerms(text)),
});

/** Between the words of an identifier: a sign, or a new capital. */
const BETWEEN_PARTS =
  /[^\p{L}\p{M}\p{N}]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** The words inside an identifier, stemmed; single characters and function words add nothing. */
export const partsOf: (identifier: string) => readonly string[] = memoize({
  compute: (identifier) =>
    /[^\d.,]/u.test(identifier)
      ? identifier
          .split(BETWEEN_PARTS)
          .filter((part) => part.length > 1 && !STOP_WORDS.has(part.toLowerCase()))
          .map((part) => stemWord(fold(part)))
      : [],
});
