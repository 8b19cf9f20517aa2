/**
 * What can be checked exactly: a number, a date or a quotation of an answer that stands nowhere in
 * the sources. Units and spelling do not count: 375°F, 375 degrees and "three hundred and
 * seventy-five" are one number.
 */
import { memoize } from "../support/cache.js";
import { extractDates, extractNumbers } from "../text/numbers-and-dates.js";
import { quotationsIn } from "../text/quotations.js";
import { wordsOf } from "../text/words.js";

/** Fewer words than these are a title or a term rather than a quotation. */
const WORDS_OF_A_QUOTATION = 4;
/** Smaller whole numbers count and number things: "two ways", "step 3". */
const COUNTS_UP_TO = 12;
/** Where a number is said to be rounded, this share more or less is the same number. */
const ROUNDED =
  /\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|over|more than|less than|up to|some|circa|ca\.|etwa|rund|environ)\s*$/iu;
const ROUNDING = 0.06;

/** What stands nowhere, in words: `the number 42`, `the date 3 May 1999`, `the quotation "…"`. */
export interface Absent {
  readonly numbers: readonly string[];
  readonly quotations: readonly string[];
}

/** @param question its own numbers need no source */
export function absentFrom(sources: readonly string[], sentence: string, question = ""): Absent {
  const known = [...sources, question];
  return {
    numbers: [...absentNumbers(known, sentence), ...absentDates(known, sentence)],
    quotations: absentQuotations(sources, sentence),
  };
}

function absentQuotations(sources: readonly string[], sentence: string): string[] {
  return quotationsIn(sentence).flatMap(({ text: quotation, start }) => {
    // Inline code and what apostrophes enclose are names.
    if ("`'".includes(sentence.charAt(start))) return [];
    // An ellipsis is an honest gap: each part must stand by itself.
    const parts = quotation.split(/\[?(?:…|\.\.\.)\]?/u).map(lettersOf);
    if (parts.join("").split(" ").filter(Boolean).length < WORDS_OF_A_QUOTATION) return [];
    const isThere = sources.some((source) =>
      parts.every((part) => lettersOf(source).includes(part)),
    );
    return isThere ? [] : [`the quotation "${quotation}"`];
  });
}

/** Letters and figures in lower case: a quotation survives other quotation marks and dashes. */
const lettersOf = memoize({
  compute: (text) => ` ${wordsOf(text.normalize("NFKC").toLowerCase()).join(" ")} `,
});

interface Numbers {
  readonly values: ReadonlySet<number>;
  /** Runs of digits as they stand: parts of codes, versions and dates. */
  readonly digits: ReadonlySet<string>;
}

const numbersOf: (text: string) => Numbers = memoize({
  compute: (text) => ({
    values: new Set(extractNumbers(text).map(({ value }) => value)),
    digits: new Set(text.normalize("NFKC").match(/\d+/gu) ?? []),
  }),
});

function absentNumbers(sources: readonly string[], sentence: string): string[] {
  const known = sources.map(numbersOf);
  const stands = (value: number, digits: string, isRounded: boolean): boolean =>
    known.some(
      ({ values, digits: runs }) =>
        values.has(value) ||
        runs.has(digits) ||
        [value / 100, value * 100, value / 1e3, value * 1e3, value / 1e6, value * 1e6].some(
          (scaled) => values.has(scaled),
        ) ||
        (isRounded &&
          [...values].some((other) => Math.abs(other - value) <= ROUNDING * Math.abs(value))),
    );
  return extractNumbers(sentence).flatMap(({ value, text, start }) => {
    const isCount = Number.isInteger(value) && Math.abs(value) <= COUNTS_UP_TO;
    if (isCount) return [];
    const isRounded = ROUNDED.test(sentence.slice(Math.max(0, start - 20), start));
    const digits = text.replaceAll(/\D/gu, "");
    return stands(value, digits, isRounded) ? [] : [`the number ${text.trim()}`];
  });
}

function absentDates(sources: readonly string[], sentence: string): string[] {
  const known = sources.flatMap((source) => datesOf(source));
  return extractDates(sentence).flatMap((date) => {
    const agrees = known.some(
      (other) =>
        other.month === date.month &&
        (date.day === undefined || other.day === undefined || other.day === date.day) &&
        (date.year === undefined || other.year === undefined || other.year === date.year),
    );
    return agrees || known.length === 0 ? [] : [`the date ${date.text}`];
  });
}

const datesOf = memoize({ compute: extractDates });
