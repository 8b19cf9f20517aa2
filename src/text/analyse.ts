import { memoize } from "../support/cache.js";
import { fold } from "./fold.js";
import { stemWord } from "./stem.js";
import { STOP_WORDS } from "./stop-words.js";

/** A word as it is written, wherever it stands. */
export interface Word {
  readonly text: string;
  /** Lower-cased, folded and stemmed: what is compared. */
  readonly term: string;
  /** A function word. */
  readonly stop: boolean;
}

/** A word of a text. `text === source.slice(start, end)`, offsets in UTF-16 code units. */
export interface Token extends Word {
  readonly start: number;
  readonly end: number;
}

/** Raise it when a change makes old indexes useless: terms in an index must be made the same way as terms of a question. */
export const ANALYSER_VERSION = 1;

/** Scripts written without spaces between words; only these need a dictionary. */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー々\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const LETTER = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}_])`;

/**
 * What is one token, tried from left to right at each place. Group numbers are used below.
 * 1 unspaced run; 2 command-line flag; 3 scoped package; 4 path; 5 dotted initials; 6 dotted name (node.js, config.json, example.com);
 * 7 c++, c#; 8 number with separators; 9 word, with inner apostrophes.
 */
const TOKEN = new RegExp(
  [
    `([${UNSPACED}]+)`,
    `((?<![\\p{L}\\p{N}_-])--[a-zA-Z][a-zA-Z0-9-]*)`,
    `((?<![\\p{L}\\p{N}_.])@[a-zA-Z0-9._-]+/[a-zA-Z0-9._-]*[a-zA-Z0-9])`,
    `((?<![\\p{L}\\p{N}_/.])(?:\\.{0,2}/|~/)?(?:[a-zA-Z0-9_.@-]+/)+[a-zA-Z0-9_.-]*\\.[a-zA-Z][a-zA-Z0-9]{0,7}(?![\\p{L}\\p{N}_]))`,
    `((?<![\\p{L}\\p{N}_])\\p{L}(?:\\.\\p{L})+(?![\\p{L}\\p{N}_]))`,
    `((?<![\\p{L}\\p{N}_])[\\p{L}_][\\p{L}\\p{M}\\p{N}_]*(?:\\.(?:[\\p{Ll}_][\\p{L}\\p{M}\\p{N}_]*|\\p{N}[\\p{L}\\p{N}_]*))+)`,
    `((?<![\\p{L}\\p{N}_])[a-zA-Z](?:\\+\\+|#)(?![\\p{L}\\p{N}_]))`,
    `(\\p{N}+(?:[.,]\\p{N}+)+)`,
    `(${LETTER}+(?:['’ʼ]${LETTER}+)*)`,
  ].join("|"),
  "gu",
);

let words: Intl.Segmenter | undefined;

/** Runs are cut at this length before they are segmented: the segmenter takes time that grows with the square of the length. */
const RUN_AT_MOST = 200;

/** A stretch without white space that is one plain word in plain punctuation: most of any Latin text, and quick to recognise. */
const PLAIN = /^(["'(\[]*)([A-Za-z]{1,30})([.,;:!?)\]"]*)$/u;

/** The words of a text in order, function words included; those of the texts read last are kept. */
export const analyse: (text: string) => readonly Token[] = memoize({
  compute: readWords,
  // A token takes some hundred bytes.
  maxCharacters: 150_000,
  maxLength: 50_000,
});

function readWords(text: string): Token[] {
  const tokens: Token[] = [];
  forEachWord(text, ({ text: own, term, stop }, start) =>
    tokens.push({ text: own, term, start, end: start + own.length, stop }),
  );
  return tokens;
}

/**
 * The same for those who keep what they read: words are shared between texts, so that a word costs a reference and not an object of its own.
 *
 * @param visit is told each word and where it begins
 */
export function forEachWord(text: string, visit: (word: Word, start: number) => void): void {
  let start = 0;
  const { length } = text;
  while (start < length) {
    while (start < length && isSpace(text.charCodeAt(start))) start += 1;
    let end = start;
    while (end < length && !isSpace(text.charCodeAt(end))) end += 1;
    // No token crosses white space, so each stretch is read by itself.
    while (start < end) {
      const cut = end - start > STRETCH_AT_MOST ? cutOf(text, start) : end;
      for (const reading of readingsOf(text.slice(start, cut)))
        visit(reading, start + reading.offset);
      start = cut;
    }
  }
}

/** Longer stretches are data, or written without spaces: patterns that look ahead see no more. */
const STRETCH_AT_MOST = 200;

/** Where a long stretch is cut: behind the last sign in reach that no word contains. */
function cutOf(text: string, start: number): number {
  const piece = text.slice(start, start + STRETCH_AT_MOST);
  for (let at = piece.length - 1; at > STRETCH_AT_MOST / 2; at -= 1)
    if (/[^\p{L}\p{M}\p{N}_@./'’-]/u.test(piece.charAt(at)) && !isSurrogate(piece, at))
      return start + at + 1;
  return start + STRETCH_AT_MOST - (/[\uD800-\uDBFF]$/.test(piece) ? 1 : 0);
}

function isSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdfff;
}

function isSpace(code: number): boolean {
  return (
    code === 32 ||
    (code >= 9 && code <= 13) ||
    code === 0xa0 ||
    code === 0x3000 ||
    code === 0x2028 ||
    code === 0x2029
  );
}

/** A word of a stretch, its place counted from the beginning of the stretch. */
interface Reading extends Word {
  readonly offset: number;
}

/** What a stretch came to, since a few thousand make up most of any text; emptied when full, so that memory stays bounded. */
const readings = new Map<string, readonly Reading[]>();
const READINGS_AT_MOST = 50_000;
/** Longer ones (a line of Chinese, a data URL) hardly come again. */
const REMEMBERED_UP_TO = 40;

function readingsOf(stretch: string): readonly Reading[] {
  const known = readings.get(stretch);
  if (known !== undefined) return known;
  const read = readStretch(stretch);
  if (stretch.length > REMEMBERED_UP_TO) return read;
  if (readings.size >= READINGS_AT_MOST) readings.clear();
  readings.set(stretch, read);
  return read;
}

function readStretch(stretch: string): Reading[] {
  const plain = PLAIN.exec(stretch);
  if (plain !== null) return [readWord(plain[2] ?? "", (plain[1] ?? "").length)];
  return [...stretch.matchAll(TOKEN)].flatMap((match): Reading[] => {
    const text = match[0];
    const offset = match.index;
    if (match[1] !== undefined) return readUnspaced(text, offset);
    if (match[2] ?? match[3] ?? match[4] ?? match[6] ?? match[7])
      return [{ text, term: fold(text), offset, stop: false }];
    if (match[5] !== undefined) return [{ text, term: initials(text), offset, stop: false }];
    if (match[8] !== undefined) return [{ text, term: number(text), offset, stop: false }];
    return [readWord(text, offset)];
  });
}

/** The terms of a text without function words, in order, duplicates kept. */
export function contentTerms(text: string): string[] {
  const terms: string[] = [];
  for (const token of analyse(text)) if (!token.stop) terms.push(token.term);
  return terms;
}

function readUnspaced(run: string, offset: number): Reading[] {
  words ??= new Intl.Segmenter("und", { granularity: "word" });
  const found: Reading[] = [];
  for (let from = 0; from < run.length; from += RUN_AT_MOST) {
    for (const { isWordLike, segment, index } of words.segment(
      run.slice(from, from + RUN_AT_MOST),
    )) {
      if (isWordLike === false) continue;
      found.push({
        text: segment,
        term: fold(segment),
        offset: offset + from + index,
        stop: STOP_WORDS.has(segment),
      });
    }
  }
  return found;
}

/** "US" and "U.S." are one country, and not the pronoun. */
const COUNTRY = /^(?:US|USA)$/u;
const ELISION = /^(?:[cdjlmnst]|qu)'(?=\p{L}{2})/u;

function readWord(found: string, offset: number): Reading {
  if (COUNTRY.test(found)) return { text: found, term: "usa", offset, stop: false };
  const plain = found.toLowerCase().replace(/[’ʼ]/gu, "'");
  const stop =
    (STOP_WORDS.has(plain) || STOP_WORDS.has(plain.replace(/'s$/u, ""))) && !isVitamin(found);
  const bare = fold(plain)
    .replace(/'s?$/u, "")
    .replace(ELISION, "")
    .replace(/'s$/u, "")
    .replaceAll("'", "");
  return { text: found, term: bare === "" ? plain : stemWord(bare), offset, stop };
}

/** A single capital other than "I" and "A" stands for something: vitamin D, plan S, series T. */
function isVitamin(found: string): boolean {
  return found.length === 1 && /[B-HJ-Z]/u.test(found);
}

function initials(found: string): string {
  const joined = fold(found).replaceAll(".", "");
  return joined === "us" ? "usa" : joined;
}

/** 1,000 and 1000 are one number; 3.14 and 1.2.3 stay as they are. */
function number(found: string): string {
  const plain = found.normalize("NFKC");
  return /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/u.test(plain) ? plain.replaceAll(",", "") : plain;
}
