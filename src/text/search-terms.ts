import { analyse } from "./analyse.js";
import { fold } from "./fold.js";
import { memoize } from "../support/cache.js";
import { stemWord } from "./stem.js";
import { STOP_WORDS } from "./stop-words.js";

const COMPOUND = /[_./@+#-]|\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;
const EAST_ASIAN =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]{3,}$/u;

/**
 * What an index stores and a question asks for: the content terms, the parts of compound identifiers beside the whole
 * (`re_retrieve` with `re`, `retriev`; `getUserName` with `get`, `user`, `name`), and the character pairs of longer Chinese, Japanese
 * and Korean words, so that a word is also found where the dictionary cut the text differently or a particle is attached.
 */
export function searchTerms(text: string): string[] {
  const terms: string[] = [];
  for (const token of analyse(text)) {
    if (token.stop) continue;
    terms.push(token.term);
    if (COMPOUND.test(token.text)) {
      for (const part of partsOf(token.text)) if (part !== token.term) terms.push(part);
    } else if (EAST_ASIAN.test(token.text)) {
      const characters = Array.from(token.term);
      for (let i = 0; i + 1 < characters.length; i += 1)
        terms.push(`${characters[i] ?? ""}${characters[i + 1] ?? ""}`);
    }
  }
  return terms;
}

/** The search terms of a text, each once: what it can be found by. Remembers the texts seen last. */
export const vocabularyOf: (text: string) => ReadonlySet<string> = memoize({
  compute: (text) => new Set(searchTerms(text)),
});

/** Texts name the same few identifiers again and again; emptied when full, so that memory stays bounded. */
const knownParts = new Map<string, readonly string[]>();
const KNOWN_AT_MOST = 5_000;
/** Longer ones hardly come again. */
const REMEMBERED_UP_TO = 60;

/** The words inside an identifier, stemmed; single characters and function words add nothing. */
export function partsOf(identifier: string): readonly string[] {
  const known = knownParts.get(identifier);
  if (known !== undefined) return known;
  const parts = readParts(identifier);
  if (identifier.length > REMEMBERED_UP_TO) return parts;
  if (knownParts.size >= KNOWN_AT_MOST) knownParts.clear();
  knownParts.set(identifier, parts);
  return parts;
}

function readParts(identifier: string): string[] {
  if (/^[\d.,]+$/u.test(identifier)) return [];
  return identifier
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((part) => part.length > 1 && !STOP_WORDS.has(part.toLowerCase()))
    .map((part) => stemWord(fold(part)));
}
