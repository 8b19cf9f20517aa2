/** Dates of a text that name a month; a bare year is a number. */
import { fold } from "./fold.js";

/** A date where it stands; what it leaves open is absent. Month and day count from 1. */
export interface FoundDate {
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
