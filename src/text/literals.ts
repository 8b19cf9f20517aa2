/** Finds what an answer must repeat exactly: numbers, dates and quotations. */
import { memoize } from "../support/cache.js";
import { fold } from "./analyse.js";
import { isForeign } from "./languages.js";
import type { Range, Span } from "./passage-blocks.js";
import { UNSPACED } from "./words.js";

/** A number in a text. The `value` of "3.5 million" is 3500000. */
export interface FoundNumber extends Span {
  value: number;
  /** Half of its last digit: .05 for "1.4", 50000 for "1.4 million". */
  tolerance: number;
}

const ONES =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen " +
  "sixteen seventeen eighteen nineteen";
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety";
const SMALL: ReadonlyMap<string, number> = new Map([
  ...ONES.split(" ").map((word, value): [string, number] => [word, value]),
  ...TENS.split(" ").map((word, index): [string, number] => [word, 20 + 10 * index]),
]);
const SCALES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    1e2: "hundred",
    1e3: "thousand k",
    1e4: "万 萬",
    1e6: "million millions mn m",
    1e8: "亿 億",
    1e9: "billion billions bn",
    1e12: "trillion",
  }).flatMap(([value, words]) =>
    words.split(" ").map((word): [string, number] => [word, Number(value)]),
  ),
);
const anyOf = (words: Iterable<string>): string => `(?:${[...words].join("|")})`;

/** Matches 1,000,000.5 and 1.000.000,5, also with blanks or apostrophes; 3.14 and 3,14. */
const DIGITS =
  "\\d{1,3}(?:[,\\u00a0\\u202f']\\d{3})+(?:\\.\\d+)?|\\d{1,3}(?:\\.\\d{3})+,\\d{1,2}(?!\\d)|" +
  "\\d{1,3}(?:\\.\\d{3}){2,}|\\d+(?:[.,]\\d+)?";
/** 1.250 and 1 250 as well, where these are more than a thousand. */
const DIGITS_WITH_COMMA = `[1-9]\\d{0,2}(?:[.\\s]\\d{3})+(?!\\d)(?:,\\d+)?|${DIGITS}`;
/** Matches where a number may begin: behind no letter, unless its script has no spaces. */
export const NO_LETTER_BEFORE = `(?<!(?![${UNSPACED}])[\\p{L}\\p{N}_])`;
/** Groups: 1 figures, 2 scale. The first look-ahead makes it fast without digits. */
const figuresOf = (digits: string): RegExp =>
  new RegExp(
    `(?=\\d)${NO_LETTER_BEFORE}(?<!\\p{N}[.,:])(${digits})(?![.,:]?\\p{N})` +
      `(?:\\s?(${anyOf(SCALES.keys())})(?!(?![${UNSPACED}])[\\p{L}\\p{N}²³]))?`,
    "giu",
  );
const FIGURES = { point: figuresOf(DIGITS), comma: figuresOf(DIGITS_WITH_COMMA) };
const SMALL_WORD = `${anyOf(SMALL.keys())}(?:-${anyOf(SMALL.keys())})?`;
const LARGE_WORD = "(?:hundred|thousand|million|billion|trillion)";
const SPELLED = new RegExp(
  `(?<![\\p{L}\\p{N}-])(?:${SMALL_WORD}|an?(?=\\s+${LARGE_WORD}\\b))` +
    `(?:\\s+(?:and\\s+)?(?:${SMALL_WORD}|${LARGE_WORD}))*(?![\\p{L}\\p{N}])`,
  "giu",
);
/** Groups: 1 a currency, 2 a minus sign, unless it is the dash of a range. */
const BEFORE = /(?:([$€£¥])\s?)?((?<![\p{L}\p{N}])[-−])?$/u;

/** The decimal sign of a text: 12,500.5 or 12.500,5. */
export type Notation = keyof typeof FIGURES;

/** Reads it off the language of a text, where it makes a difference. */
export function notationOf(text: string): Notation {
  const isEither = /\d[.\s]\d{3}(?!\d)/u.test(text);
  return isEither && (/\p{sc=Cyrillic}/u.test(text) || isForeign(text)) ? "comma" : "point";
}

/**
 * Returns the numbers in order, without versions such as 1.2.3 and times such as 12:30.
 * @param notation by default that of the text, which may be too short to tell
 */
export const extractNumbers = memoize<readonly FoundNumber[], Notation>({
  compute: (text, notation = notationOf(text)) =>
    [...figuresIn(text, notation), ...spelledIn(text)].sort((a, b) => a.start - b.start),
  maxCharacters: 20_000,
  maxLength: 2_000,
});

function figuresIn(text: string, notation: Notation): FoundNumber[] {
  return [...text.matchAll(FIGURES[notation])].map(
    ({ 0: found, 1: digits = "", 2: scale, index }) => {
      const [, currency, minus] = BEFORE.exec(text.slice(Math.max(0, index - 3), index)) ?? [];
      // "5m" is five meters, "$5m" and "5M" are five million.
      const isUnit = scale === "m" && currency === undefined;
      const factor = isUnit ? 1 : (SCALES.get(scale?.toLowerCase() ?? "") ?? 1);
      const [whole, decimals] = partsOf(digits, notation);
      const value = (minus === undefined ? 1 : -1) * Number(`${whole}.${decimals}`) * factor;
      const tolerance = 0.5 * 10 ** -decimals.length * factor;
      return { value, tolerance, text: found, start: index, end: index + found.length };
    },
  );
}

/** Returns the digits before and behind the decimal sign. */
function partsOf(digits: string, notation: Notation): [string, string] {
  const [before = "", sign, rest = ""] = digits.split(/([.,])(?=\d*$)/u);
  const isGroup =
    rest.length === 3 &&
    !before.startsWith("0") &&
    !before.includes(sign === "," ? "." : ",") &&
    (sign === "," || notation === "comma" || before.includes("."));
  const whole = before.replace(/\D/gu, "");
  return isGroup ? [whole + rest, ""] : [whole, rest];
}

function spelledIn(text: string): FoundNumber[] {
  return [...text.matchAll(SPELLED)].flatMap(({ 0: found, index }) => {
    const value = spelledValue(found);
    // "Five million" is rounded, "two hundred and fifty" is not.
    const tolerance = 0.5 * (SCALES.get(/\w+$/u.exec(found)?.[0].toLowerCase() ?? "") ?? 1);
    const place = { text: found, start: index, end: index + found.length };
    // "one" is a pronoun more often than a number.
    return value === 1 ? [] : [{ value, tolerance, ...place }];
  });
}

function spelledValue(words: string): number {
  let total = 0;
  let current = 0;
  for (const word of words.toLowerCase().split(/[\s-]+/u)) {
    const scale = SCALES.get(word);
    if (scale === undefined) current += SMALL.get(word) ?? (word === "and" ? 0 : 1);
    else if (scale === 100) current = Math.max(1, current) * scale;
    else {
      total += Math.max(1, current) * scale;
      current = 0;
    }
  }
  return total + current;
}

/** A date in a text, perhaps without day or year. Month and day count from 1. */
export interface FoundDate extends Span {
  year?: number;
  month: number;
  day?: number;
}

/** Names of months. Short ones of other languages would collide with English words. */
const MONTHS: ReadonlyMap<string, number> = new Map([
  ...["en", "de", "fr", "es", "it", "pt", "ar"].flatMap((language) => monthsOf(language, "long")),
  ...["en", "en-GB", "de"].flatMap((language) => monthsOf(language, "short")),
]);

function monthsOf(language: string, month: "long" | "short"): [string, number][] {
  const format = new Intl.DateTimeFormat(language, { month, timeZone: "UTC" });
  return Array.from({ length: 12 }, (_, index) => [
    fold(format.format(Date.UTC(2000, index))).replaceAll(".", ""),
    index + 1,
  ]);
}

const YEAR = "(?<year>\\d{4})";
const MONTH = "(?<month>1[0-2]|0?[1-9])";
const DAY = "(?<day>[12]\\d|3[01]|0?[1-9])";
/** A day that cannot be a month, since 03/04/1999 is ambiguous. */
const LATE_DAY = "(?<day>1[3-9]|2\\d|3[01])";
const NAME = "(?<name>\\p{L}{3,12})\\.?";
const DATES = [
  `(?<![\\d/.-])${YEAR}-${MONTH}-${DAY}(?![\\d/])`,
  `(?<![\\d/.-])${LATE_DAY}[/.]${MONTH}[/.]${YEAR}(?![\\d/])`,
  `(?<![\\d/.-])${MONTH}[/.]${LATE_DAY}[/.]${YEAR}(?![\\d/])`,
  `(?<![\\p{L}\\p{N}.,])${DAY}(?:st|nd|rd|th|\\.)?\\s+(?:of\\s+|de\\s+)?` +
    `${NAME},?(?:\\s+(?:de\\s+)?${YEAR})?(?![\\p{L}\\p{N}])`,
  `(?<!\\p{L})${NAME},?\\s+${DAY}(?:st|nd|rd|th|\\.)?(?:,?\\s+${YEAR})?(?![\\p{L}\\p{N}])`,
  `(?<!\\p{L})${NAME},?\\s+(?:de\\s+)?${YEAR}(?![\\p{L}\\p{N}])`,
].map((pattern) => new RegExp(pattern, "giu"));

/** @example extractDates("On 31/12/1999 and May 3") // months 12 and 5 */
export function extractDates(text: string): FoundDate[] {
  const found: FoundDate[] = [];
  let rest = text;
  for (const pattern of DATES)
    for (const { 0: whole, index, groups = {} } of rest.matchAll(pattern)) {
      const { name = "", month: written, day, year } = groups;
      // "Up to 10 may be open": in lower case these are English verbs.
      if (name === "may" || name === "march") continue;
      const month = MONTHS.get(fold(name)) ?? Number(written);
      if (Number.isNaN(month)) continue;
      found.push({
        month,
        text: whole,
        start: index,
        end: index + whole.length,
        ...(day !== undefined && { day: Number(day) }),
        ...(year !== undefined && { year: Number(year) }),
      });
      // The next patterns must not read it again.
      rest = rest.slice(0, index) + " ".repeat(whole.length) + rest.slice(index + whole.length);
    }
  return found;
}

/** Text between quotation marks of several styles. An apostrophe opens none. */
const QUOTED = new RegExp(
  String.raw`"([^"\n]{2,600})"|“([^”\n]{2,600})”|„([^“”"\n]{2,600})[“”"]|` +
    String.raw`«\s*([^»\n]{2,600}?)\s*»|[「『]([^」』\n]{1,600})[」』]|` +
    "`([^`\n]{2,600})`|(?<![\\p{L}\\p{N}])'([^'\n]{2,80})'(?![\\p{L}\\p{N}])",
  "gu",
);

/** Returns quotations with their places, which include their marks, and their texts without. */
export function quotationsIn(text: string): (Range & { readonly text: string })[] {
  return [...text.matchAll(QUOTED)].map((match) => ({
    text: (match.slice(1).find((group) => group !== undefined) ?? "").trim(),
    start: match.index,
    end: match.index + match[0].length,
  }));
}
