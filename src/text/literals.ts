/** What an answer must repeat to the letter: numbers, dates and quotations of a text. */
import { memoize } from "../support/cache.js";
import { fold } from "./analyse.js";

/** A number where it stands. `value` is written out: "3.5 million" is 3500000. */
export interface FoundNumber {
  value: number;
  text: string;
  start: number;
  end: number;
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
    1e2: "hundred 百",
    1e3: "thousand k tausend mille 千 ألف",
    1e4: "万",
    1e6: "million millions mn m millionen millones مليون",
    1e8: "亿",
    1e9: "billion billions bn milliarde milliarden مليار",
    1e12: "trillion",
  }).flatMap(([value, words]) =>
    words.split(" ").map((word): [string, number] => [word, Number(value)]),
  ),
);
const anyOf = (words: Iterable<string>): string => `(?:${[...words].join("|")})`;

/** 1,000,000.5 and 1.000.000, also with blanks or apostrophes; 3.14 and 3,14. */
const DIGITS =
  "\\p{Nd}{1,3}(?:[,\\u00a0\\u202f']\\p{Nd}{3})+(?:\\.\\p{Nd}+)?|\\p{Nd}{1,3}(?:\\.\\p{Nd}{3}){2,}|\\p{Nd}+(?:[.,]\\p{Nd}+)?";
/** 1 figures, 2 scale. The first look-ahead makes it quick where no digit stands. */
const FIGURES = new RegExp(
  `(?=\\p{Nd})(?<![\\p{L}\\p{N}_]|\\p{N}[.,:])(${DIGITS})(?![.,:]?\\p{N})` +
    `(?:\\s?([万亿千百]|${anyOf(SCALES.keys())}(?![\\p{L}\\p{N}²³])))?`,
  "giu",
);
const SMALL_WORD = `${anyOf(SMALL.keys())}(?:-${anyOf(SMALL.keys())})?`;
const LARGE_WORD = "(?:hundred|thousand|million|billion|trillion)";
const SPELLED = new RegExp(
  `(?<![\\p{L}\\p{N}-])(?:${SMALL_WORD}|an?(?=\\s+${LARGE_WORD}\\b))` +
    `(?:\\s+(?:and\\s+)?(?:${SMALL_WORD}|${LARGE_WORD}))*(?![\\p{L}\\p{N}])`,
  "giu",
);
/** Before figures: 1 a currency, 2 a minus sign and no dash of a range. */
const BEFORE = /(?:([$€£¥])\s?)?((?<![\p{L}\p{N}])[-−])?$/u;

/** Numbers in order. Versions such as 1.2.3 and times such as 12:30 are none. */
export const extractNumbers: (text: string) => readonly FoundNumber[] = memoize({
  compute: (text) => [...figuresIn(text), ...spelledIn(text)].sort((a, b) => a.start - b.start),
  maxCharacters: 20_000,
  maxLength: 2_000,
});

function figuresIn(text: string): FoundNumber[] {
  return [...text.matchAll(FIGURES)].flatMap(({ 0: found, 1: digits = "", 2: scale, index }) => {
    const [, currency, minus] = BEFORE.exec(text.slice(Math.max(0, index - 3), index)) ?? [];
    // "5m" is five meters, "$5m" and "5M" are five million.
    const isUnit = scale === "m" && currency === undefined;
    const factor = isUnit ? 1 : (SCALES.get(scale?.toLowerCase() ?? "") ?? 1);
    const value = (minus === undefined ? 1 : -1) * valueOf(digits) * factor;
    return Number.isNaN(value)
      ? []
      : [{ value, text: found, start: index, end: index + found.length }];
  });
}

function valueOf(digits: string): number {
  const ascii = digits.replace(/\p{Nd}/gu, (digit) => String(digitOf(digit)));
  const ungrouped = ascii.replace(/[^\d.](?=\d{3}(?!\d))/gu, "");
  return Number(
    ungrouped.indexOf(".") === ungrouped.lastIndexOf(".")
      ? ungrouped.replace(",", ".")
      : ungrouped.replaceAll(".", ""),
  );
}

/** Digits of a script stand in tens, beginning with zero. */
function digitOf(digit: string): number {
  if (digit >= "0" && digit <= "9") return Number(digit);
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (zero > code - 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return code - zero;
}

function spelledIn(text: string): FoundNumber[] {
  return [...text.matchAll(SPELLED)].flatMap(({ 0: found, index }) => {
    const value = spelledValue(found);
    // "one" is a pronoun more often than a number.
    return value === 1 ? [] : [{ value, text: found, start: index, end: index + found.length }];
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

/** A date where it stands; what it leaves open is absent. Month and day count from 1. */
interface FoundDate {
  year?: number;
  month: number;
  day?: number;
  text: string;
}

/** Names of the months as Node knows them; short ones of other languages are words of English. */
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

const NUMERIC =
  /(?<![\d/.-])(?:(?<year>\d{4})(?:-(?<month>\d{1,2})-(?<day>\d{1,2})|年(?<month2>\d{1,2})月(?:(?<day2>\d{1,2})[日号])?)|(?<first>\d{1,2})[/.](?<second>\d{1,2})[/.](?<year2>\d{4}))(?![\d/])/gu;
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th|\\.)?";
const NAME = "(?<name>\\p{L}{3,12})\\.?";
const NAMED = [
  `(?<![\\p{L}\\p{N}.,])${DAY}\\s+(?:of\\s+|de\\s+)?${NAME},?(?:\\s+(?:de\\s+)?(?<year>\\d{4}))?(?![\\p{L}\\p{N}])`,
  `(?<!\\p{L})${NAME},?\\s+(?:${DAY}(?:,?\\s+(?<year2>\\d{4}))?|(?:de\\s+)?(?<year>\\d{4}))(?![\\p{L}\\p{N}])`,
].map((pattern) => new RegExp(pattern, "giu"));

/**
 * @example extractDates("On 31/12/1999 and May 3") // months 12 and 5; 03/04/1999 could be either
 */
export function extractDates(text: string): FoundDate[] {
  const found: FoundDate[] = [];
  let rest = text;
  for (const pattern of [NUMERIC, ...NAMED])
    for (const { 0: whole, index, groups } of rest.matchAll(pattern)) {
      const date = dateOf(whole, groups ?? {});
      if (date === undefined) continue;
      found.push(date);
      // What one pattern took is not read again.
      rest = rest.slice(0, index) + " ".repeat(whole.length) + rest.slice(index + whole.length);
    }
  return found;
}

function dateOf(
  text: string,
  parts: Readonly<Record<string, string | undefined>>,
): FoundDate | undefined {
  const number = (...names: string[]): number | undefined => {
    const digits = names.map((name) => parts[name]).find((part) => part !== undefined);
    return digits === undefined ? undefined : Number(digits);
  };
  const [first = 0, second = 0] = [number("first"), number("second")];
  const isMonthFirst = second > 12;
  const isEither = first > 0 && first <= 12 && second <= 12;
  const month =
    MONTHS.get(fold(parts["name"] ?? "")) ??
    number("month", "month2", ...(isEither ? [] : [isMonthFirst ? "first" : "second"]));
  const day = number("day", "day2", ...(isEither ? [] : [isMonthFirst ? "second" : "first"]));
  const year = number("year", "year2");
  if (month === undefined || month < 1 || month > 12 || (day ?? 1) > 31) return undefined;
  return { month, text, ...(day !== undefined && { day }), ...(year !== undefined && { year }) };
}

/** What stands between quotation marks of several styles; an apostrophe opens none. */
const QUOTED =
  /"([^"\n]{2,600})"|“([^”\n]{2,600})”|„([^“”"\n]{2,600})[“”"]|«\s*([^»\n]{2,600}?)\s*»|[「『]([^」』\n]{1,600})[」』]|`([^`\n]{2,600})`|(?<![\p{L}\p{N}])'([^'\n]{2,80})'(?![\p{L}\p{N}])/gu;

interface Quotation {
  /** Without its marks. */
  readonly text: string;
  /** With its marks. */
  readonly start: number;
  readonly end: number;
}

export function quotationsIn(text: string): Quotation[] {
  return [...text.matchAll(QUOTED)].map((match) => ({
    text: (match.slice(1).find((group) => group !== undefined) ?? "").trim(),
    start: match.index,
    end: match.index + match[0].length,
  }));
}
