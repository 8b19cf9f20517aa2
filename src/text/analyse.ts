import { stem as porter2 } from "porter2";
import { memoize } from "../support/cache.js";
import table from "./background-rarity.json" with { type: "json" };
import { STOP_WORDS } from "./languages.js";
import type { Span } from "./passage-blocks.js";
import { cutText, RUNS, UNSPACED } from "./words.js";

export interface Token extends Span {
  /** Lower-cased, folded and stemmed, for comparison. */
  readonly term: string;
  /** True for a function word. */
  readonly stop: boolean;
}

/** Raise it when terms change, since those of an index and a question must match. */
export const ANALYSER_VERSION = 2;

const LETTER = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}_])`;

/**
 * The kinds of token, in the order they are tried: an unspaced run; initials; a name from code or
 * the command line (flag, scoped package, path, node.js, c++); a number; a word.
 */
const TOKEN = new RegExp(
  [
    `(?<unspaced>[${UNSPACED}]+)`,
    `(?<initials>(?<![\\p{L}\\p{N}_])\\p{L}(?:\\.\\p{L})+(?![\\p{L}\\p{N}_]))`,
    "(?<name>(?<![\\p{L}\\p{N}_-])--[a-zA-Z][a-zA-Z0-9-]*",
    "(?<![\\p{L}\\p{N}_.])@[a-zA-Z0-9._-]+/[a-zA-Z0-9._-]*[a-zA-Z0-9]",
    "(?<![\\p{L}\\p{N}_/.])(?:\\.{0,2}/|~/)?(?:[a-zA-Z0-9_.@-]+/)+" +
      "[a-zA-Z0-9_.-]*\\.[a-zA-Z][a-zA-Z0-9]{0,7}(?![\\p{L}\\p{N}_])",
    "(?<![\\p{L}\\p{N}_])[\\p{L}_][\\p{L}\\p{M}\\p{N}_]*" +
      "(?:\\.(?:[\\p{Ll}_][\\p{L}\\p{M}\\p{N}_]*|\\p{N}[\\p{L}\\p{N}_]*))+",
    "(?<![\\p{L}\\p{N}_])[a-zA-Z](?:\\+\\+|#)(?![\\p{L}\\p{N}_]))",
    "(?<number>\\p{N}+(?:[.,]\\p{N}+)+)",
    `${LETTER}+(?:['’ʼ]${LETTER}+)*`,
  ].join("|"),
  "gu",
);

/** Splits a text into words, function words included. No token crosses white space. */
export const analyse: (text: string) => readonly Token[] = memoize({
  compute: (text) => {
    const tokens: Token[] = [];
    for (const { 0: stretch, index } of text.matchAll(RUNS))
      for (let from = 0; from < stretch.length;) {
        const piece =
          stretch.length - from > STRETCH_AT_MOST ? cut(stretch, from) : stretch.slice(from);
        for (const { text: word, term, stop, offset } of readingsOf(piece)) {
          const start = index + from + offset;
          tokens.push({ text: word, term, start, end: start + word.length, stop });
        }
        from += piece.length;
      }
    return tokens;
  },
  // A token takes a few hundred bytes.
  maxCharacters: 150_000,
  maxLength: 50_000,
});

/** Returns the terms of a text without function words, in order, duplicates included. */
export function contentTerms(text: string): string[] {
  return analyse(text).flatMap(({ stop, term }) => (stop ? [] : [term]));
}

/** Longer stretches are data, or written without spaces; cutting them bounds the look-ahead. */
const STRETCH_AT_MOST = 200;

/** Returns a piece of a long stretch that ends, if possible, with a sign that no word contains. */
function cut(stretch: string, from: number): string {
  const ahead = stretch.slice(from, from + STRETCH_AT_MOST + 1);
  const piece = cutText(ahead, STRETCH_AT_MOST, { ellipsis: "" });
  const [toSign = ""] = /^[^]*[^\p{L}\p{M}\p{N}\p{Cs}_@./'’-]/u.exec(piece) ?? [];
  return toSign.length > STRETCH_AT_MOST / 2 ? toSign : piece;
}

/** A word of a stretch; the offset counts from the beginning of the stretch. */
interface Reading extends Pick<Token, "text" | "term" | "stop"> {
  readonly offset: number;
}

/** A few thousand stretches make up most of any text. Saves two thirds of the time of indexing. */
const readingsOf: (stretch: string) => readonly Reading[] = memoize({
  compute: readStretch,
  maxLength: 40,
});

function readStretch(stretch: string): Reading[] {
  return [...stretch.matchAll(TOKEN)].flatMap(({ 0: text, index: offset, groups = {} }) => {
    const as = (term: string): Reading[] => [{ text, term, offset, stop: false }];
    if (groups["unspaced"] !== undefined) return readUnspaced(text, offset);
    if (groups["name"] !== undefined) return as(fold(text));
    if (groups["initials"] !== undefined) return as(initials(text));
    if (groups["number"] !== undefined) return as(number(text));
    return [readWord(text, offset)];
  });
}

const words = new Intl.Segmenter("und", { granularity: "word" });

function readUnspaced(run: string, offset: number): Reading[] {
  return [...words.segment(run)].flatMap(({ isWordLike, segment: text, index }) =>
    isWordLike === false
      ? []
      : [{ text, term: fold(text), offset: offset + index, stop: STOP_WORDS.has(text) }],
  );
}

const ELISION = /^(?:[cdjlmnst]|qu)'(?=\p{L}{2})/u;

function readWord(text: string, offset: number): Reading {
  // "US" and "U.S." are the country, not the pronoun.
  if (text === "US" || text === "USA") return { text, term: "usa", offset, stop: false };
  const plain = text.toLowerCase().replaceAll("’", "'").replaceAll("ʼ", "'");
  const owner = plain.endsWith("'s") ? plain.slice(0, -2) : plain;
  // A single capital is a name: vitamin D, plan S.
  const isSymbol = text.length === 1 && text >= "B" && text <= "Z" && text !== "I";
  const bare = fold(plain)
    .replace(/(?:'s?)+$/u, "")
    .replace(ELISION, "")
    .replaceAll("'", "");
  return {
    text,
    term: bare === "" ? plain : stemWord(bare),
    offset,
    stop: !isSymbol && (STOP_WORDS.has(plain) || STOP_WORDS.has(owner)),
  };
}

function initials(text: string): string {
  const joined = fold(text).replaceAll(".", "");
  return joined === "us" ? "usa" : joined;
}

/** Makes 1,000 and 1000 one number; 3.14 and 1.2.3 stay as they are. */
function number(text: string): string {
  const plain = text.normalize("NFKC");
  return /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/u.test(plain) ? plain.replaceAll(",", "") : plain;
}

/** Letters that Unicode does not decompose, as people without them type them. */
const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ ß: "ss", ø: "o", æ: "ae", œ: "oe", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" },
    ...{ "’": "'", ʼ: "'", ٱ: "ا", ى: "ي", ة: "ه" },
  }),
);
/** Accents, Hebrew points, Arabic vowel signs and tatweel; vowel signs of Indic scripts stay. */
const OPTIONAL_MARKS = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u065f\u0670]/gu;

/**
 * Lower-cases and removes optional marks, so that "Café", "CAFE" and "cafe" are one word. Changes
 * the length: never use it on text whose offsets matter.
 */
export function fold(text: string): string {
  const bare = text.toLowerCase().normalize("NFKD").replace(OPTIONAL_MARKS, "");
  return Array.from(bare, (letter) => LETTERS.get(letter) ?? letter)
    .join("")
    .normalize("NFC");
}

const LATIN = /^[a-z]{4,24}$/u;

/** Stems plain Latin words by Porter2, which also shortens a few endings of other languages. */
function stemWord(word: string): string {
  return LATIN.test(word) ? porter2(word) : word;
}

const COMPOUND = /[_./@+#-]|\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;
const EAST_ASIAN =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]{3,}$/u;

/**
 * Returns the terms of an index or a query: the content terms; the parts of compound identifiers
 * (`re_retrieve` with `re`, `retriev`); and the character pairs of longer Chinese, Japanese and
 * Korean words, which match even if the dictionary cut the text differently.
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

export const vocabularyOf: (text: string) => ReadonlySet<string> = memoize({
  compute: (text) => new Set(searchTerms(text)),
});

/** Matches between the words of an identifier: a sign, or before a capital. */
const BETWEEN_PARTS =
  /[^\p{L}\p{M}\p{N}]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** Splits an identifier into stemmed words, without single characters and function words. */
export const partsOf: (identifier: string) => readonly string[] = memoize({
  compute: (identifier) => {
    if (Array.from(identifier).every((sign) => "0123456789.,".includes(sign))) return [];
    return identifier
      .split(BETWEEN_PARTS)
      .filter((part) => part.length > 1 && !STOP_WORDS.has(part.toLowerCase()))
      .map((part) => stemWord(fold(part)));
  },
});

const rarity = new Map<string, number>();
for (const [bucket, terms] of Object.entries(table.rarity)) {
  for (const term of terms.split(" ")) rarity.set(term, Number(bucket) * table.unit);
}

export const HIGHEST_IDF = table.max * table.unit;

/**
 * Returns the rarity of a term in encyclopedia text, ln(N / df), from about 0.8 for the commonest
 * stems to `HIGHEST_IDF` for unknown terms (names, identifiers, other languages).
 */
export function idf(term: string): number {
  return rarity.get(term) ?? HIGHEST_IDF;
}
