/**
 * Reads the quantities of a text: numbers with what they count or measure, dates and times of day.
 * A number and its unit belong together, and units of one dimension compare.
 */
import { memoize } from "../support/cache.js";
import { analyse } from "../text/analyse.js";
import {
  extractDates,
  extractNumbers,
  NO_LETTER_BEFORE,
  type FoundDate,
  type Notation,
} from "../text/literals.js";
import type { Range } from "../text/passage-blocks.js";
import { escapePattern, wordSet } from "../text/words.js";
import table from "./units.json" with { type: "json" };

export interface Quantity extends Range {
  /** As written, to be named in a message. */
  readonly text: string;
  /** In the unit that is written. */
  readonly value: number;
  /** Half of the last digit: a value that differs by less is the same, rounded. */
  readonly tolerance: number;
  /** `length`, `time`, a currency, `date`, `clock`; empty for what is only counted. */
  readonly dimension: string;
  /** Into the base unit of the dimension: `value * factor + offset`. */
  readonly factor: number;
  readonly offset: number;
  /** What is counted, as a term; also beside a dimension empty or unknown. */
  readonly noun?: string;
  /** Seconds in "a minute" of "120 requests a minute". */
  readonly per?: number;
  readonly date?: Pick<FoundDate, "year" | "month" | "day">;
  /** True for a time of day without "am" or "pm", which may be meant by either. */
  readonly isEitherHalf?: boolean;
  /** True for "half" and "quarter", which may mean something else. */
  readonly isWord?: boolean;
  /** True for "one year and ten months", which is written differently from "22 months". */
  readonly isSum?: boolean;
}

export const CURRENCIES = wordSet("euro dollar sterling yen crown franc yuan");

type Unit = Pick<Quantity, "dimension" | "factor" | "offset">;

const dimensions: Readonly<Record<string, Readonly<Record<string, string>>>> = table;
const UNITS = Object.entries(dimensions)
  .flatMap(([dimension, units]) =>
    Object.entries(units).flatMap(([scale, names]) => {
      const [factor = 1, offset = 0] = scale.split(" ").map(Number);
      return names.split(" ").map((name) => ({ name, unit: { dimension, factor, offset } }));
    }),
  )
  .sort((a, b) => b.name.length - a.name.length);
/** A group for each, the longest names first. A `*` ends a stem, a full stop parts words. */
const UNIT = new RegExp(
  `^[\\s-]?(?:${UNITS.map(({ name }) => `(${patternOf(name)})`).join("|")})`,
  "iu",
);

function patternOf(name: string): string {
  const words = name.split(".").map((word) => escapePattern(word).replace("\\*", "\\p{L}*"));
  const end = /[\p{Script=Latin}\p{Script=Greek}*]$/u.test(name) ? "(?![\\p{L}\\p{N}])" : "";
  return words.join("[\\s-]+") + end;
}

function unitAt(text: string): { unit: Unit; length: number } | undefined {
  const [found = "", ...groups] = UNIT.exec(text) ?? [];
  const unit = UNITS[groups.findIndex((group) => group !== undefined)]?.unit;
  return unit && { unit, length: found.length };
}

const CURRENCY_BEFORE = /(?:([$€£¥])|\b(USD|EUR|GBP|CHF|JPY))\s?$/u;
/** Articles in "a minute", "per minute", "pro Stunde", "par heure", "al día". */
const PER = /^\s*(?:\/|(?:per|an?|each|every|pro|je|par|por|al|le|la)\s)\s*/iu;
const NOUN = /^[\s-]*(?:of\s+|the\s+)?([\p{L}][\p{L}\p{M}'’-]*)/u;
const HALF = /^\s*(?:and a half|einhalb|et demie?|y media?|½)/iu;
/** 1 hours, 2 minutes, 3 seconds, 4 half of the day. */
const CLOCK = new RegExp(
  `${NO_LETTER_BEFORE}(?<![:.,])([01]?\\d|2[0-4])(?:[:.h]([0-5]\\d))?(?::([0-5]\\d))?` +
    "(?:\\s?(a\\.?m\\.?|p\\.?m\\.?)(?![\\p{L}\\p{N}])|(?:\\s?(Uhr|h|heures?))(?![\\p{L}\\p{N}])" +
    "|点|時(?!間)|(?<=:[0-5]\\d(?::[0-5]\\d)?)(?![\\p{N}:]|\\.\\p{N}))",
  "giu",
);
const YEAR = new RegExp(
  `${NO_LETTER_BEFORE}(?<![.,:$€£-])(1[0-9]\\d\\d|20\\d\\d)(?!(?!年)\\p{L}|[\\p{N}:%€]|[.,]\\d)`,
  "gu",
);
const MINUTE = 60;

/**
 * Returns the quantities in order; a part of a larger one, such as a year in a date, is not one.
 */
export const quantitiesIn = memoize<readonly Quantity[], Notation>({
  compute: (text, notation) => {
    const found: Quantity[] = [...datesIn(text)];
    const isFree = (start: number, end: number): boolean =>
      found.every((other) => end <= other.start || other.end <= start);
    const decades = [...text.matchAll(DECADE)].map(({ index }) => index);
    for (const each of [
      ...clocksIn(text),
      ...yearsIn(text),
      ...measuresIn(text, notation),
      ...fractionsIn(text),
    ])
      if (isFree(each.start, each.end) && !decades.includes(each.start)) found.push(each);
    return joined(
      found.sort((a, b) => a.start - b.start),
      text,
    );
  },
  maxCharacters: 20_000,
  maxLength: 2_000,
});

const PLAIN = { factor: 1, offset: 0 };

function datesIn(text: string): Quantity[] {
  return extractDates(text).map(({ text: raw, start, end, ...date }) => ({
    ...{ text: raw, start, end, date, ...PLAIN, dimension: "date", tolerance: 0 },
    value: (date.year ?? 0) + (date.month - 1) / 12 + ((date.day ?? 1) - 1) / 365.25,
  }));
}

/** "The 1980s" are no seconds. */
const DECADE = /(?<![\p{L}\p{N}.,])\d{1,3}0['’]?s(?![\p{L}\p{N}])/gu;

function yearsIn(text: string): Quantity[] {
  return [...text.matchAll(YEAR)].flatMap(({ 0: raw, index: start }) => {
    const end = start + raw.length;
    const behind = unitAt(text.slice(end, end + 30))?.unit.dimension;
    // "1500 metres" and "2000 euros" are no years.
    if (behind !== undefined || CURRENCY_BEFORE.test(text.slice(Math.max(0, start - 5), start)))
      return [];
    const value = Number(raw);
    const date = { month: 0, year: value };
    return [{ text: raw, start, end, value, date, ...PLAIN, dimension: "date", tolerance: 0 }];
  });
}

function clocksIn(text: string): Quantity[] {
  return [...text.matchAll(CLOCK)].map(({ 0: raw, index: start, ...groups }) => {
    const { 1: hours, 2: minutes = "0", 3: seconds, 4: half } = groups;
    const place = { text: raw, start, end: start + raw.length, tolerance: 0.5 };
    const value = Number(hours) * 60 + Number(minutes);
    // 2:31:08 is how long something took.
    if (seconds !== undefined)
      return { ...place, value: value * MINUTE + Number(seconds), ...PLAIN, dimension: "time" };
    const isLater = half?.toLowerCase().startsWith("p");
    const shift =
      isLater === undefined ? 0 : (isLater ? 720 : 0) - (Number(hours) === 12 ? 720 : 0);
    const isEitherHalf = half === undefined && Number(hours) <= 12;
    return { ...place, value: value + shift, ...PLAIN, dimension: "clock", isEitherHalf };
  });
}

/** "one hour", "une heure": a pronoun or an article where no unit follows. */
const ONE = /(?<![\p{L}\p{N}-])(?:one|eine?n?|une?|una|an?)(?![\p{L}\p{N}])/giu;

function measuresIn(text: string, notation: Notation | undefined): Quantity[] {
  const ones = [...text.matchAll(ONE)].map(({ 0: raw, index }) => {
    const end = index + raw.length;
    return { value: 1, tolerance: 0.5, text: raw, start: index, end, isOne: true };
  });
  const numbers = extractNumbers(text, notation).map((each) => ({ ...each, isOne: false }));
  return [...numbers, ...ones].flatMap((number): Quantity[] => {
    const { value, tolerance, text: raw, start, end, isOne } = number;
    const half = HALF.exec(text.slice(end, end + 20))?.[0] ?? "";
    const before = CURRENCY_BEFORE.exec(text.slice(Math.max(0, start - 5), start));
    const stop = end + half.length;
    const behind = text.slice(stop, stop + 60);
    const symbol = before === null ? undefined : unitAt(before[1] ?? before[2] ?? "")?.unit;
    const named = symbol === undefined ? unitAt(behind) : { unit: symbol, length: 0 };
    const length = named?.length ?? 0;
    // "A minute" counts nothing by itself, "an hour and 40 minutes" does.
    const isArticle =
      ["a", "an"].includes(raw.toLowerCase()) && !/^ and \d/u.test(text.slice(stop + length));
    if (isOne && (named === undefined || isArticle)) return [];
    const noun = named === undefined ? nounAt(behind) : undefined;
    const rateAt = noun?.length ?? length;
    const { per, length: rest } = perAt(behind.slice(rateAt));
    const written = stop + (per === undefined ? length : rateAt + rest);
    const measure = {
      ...{ text: text.slice(start, written).trim(), start, end: stop + length },
      ...{ value: value + (half === "" ? 0 : 0.5), tolerance },
      ...(named?.unit ?? { ...PLAIN, dimension: "" }),
      ...(noun !== undefined && { noun: noun.term }),
      ...(per !== undefined && { per }),
    };
    return [measure];
  });
}

/** "Children pay half", "a quarter of the hours"; not the half of "an hour and a half". */
const FRACTION =
  /(?<![\p{L}\p{N}-])(?:(half|hälfte|moitié|mitad)|(quarter|viertel|quart))(?![\p{L}\p{N}-])/giu;

function fractionsIn(text: string): Quantity[] {
  return [...text.matchAll(FRACTION)].map(({ 0: raw, 1: half, index: start }) => ({
    ...{ text: raw, start, end: start + raw.length, ...PLAIN, dimension: "share", tolerance: 0 },
    value: half === undefined ? 25 : 50,
    isWord: true,
  }));
}

/** The first content word behind a number, as a term, and how far it reaches. */
function nounAt(behind: string): { term: string; length: number } | undefined {
  const [whole = "", word = ""] = NOUN.exec(behind) ?? [];
  const [token] = analyse(word);
  return token === undefined || token.stop ? undefined : { term: token.term, length: whole.length };
}

/** Seconds in "a minute", and how far the words reach. */
function perAt(behind: string): { per?: number; length: number } {
  const article = PER.exec(behind)?.[0].length ?? 0;
  const { unit, length } = (article > 0 && unitAt(behind.slice(article))) || { length: 0 };
  return unit?.dimension === "time"
    ? { per: unit.factor, length: article + length }
    : { length: 0 };
}

const AND = /^[\s,]*(?:and|und|et|y|和)?\s*$/iu;
const TO = /^\s*(?:[-–]|to|and|or|bis|und|à|et|a|y)\s*$/iu;

/**
 * Joins "6 hours and 30 minutes" to one quantity, and gives the first number of "from 2.10 to 2.31
 * crowns" its unit.
 */
function joined(found: readonly Quantity[], text: string): Quantity[] {
  const result: Quantity[] = [];
  for (const next of found) {
    const before = result.at(-1);
    const isBare = before?.dimension === "" && before.noun === undefined && !next.date;
    if (before && isBare && TO.test(text.slice(before.end, next.start))) {
      const { dimension, factor, offset, noun } = next;
      result.splice(-1, 1, { ...before, dimension, factor, offset, ...(noun && { noun }) });
    }
    const last = result.at(-1);
    const isPart =
      last !== undefined &&
      last.dimension === next.dimension &&
      ["time", "length", "mass"].includes(last.dimension) &&
      next.factor < last.factor &&
      AND.test(text.slice(last.end, next.start));
    if (!isPart) result.push(next);
    else {
      const value = (last.value * last.factor) / next.factor + next.value;
      const place = { end: next.end, text: text.slice(last.start, next.end), isSum: true };
      const { factor, tolerance } = next;
      result[result.length - 1] = { ...last, ...place, value, factor, tolerance };
    }
  }
  return result;
}

/** In the base unit of its dimension. */
export function baseOf({ value, factor, offset }: Quantity): number {
  return value * factor + offset;
}

/** True if a value in base units is what a quantity says, rounded to its digits. */
export function states({ value, tolerance, factor, offset }: Quantity, base: number): boolean {
  return Math.abs((base - offset) / factor - value) <= tolerance * 1.000001;
}

/** True if both may measure the same: of one dimension and rate, or one of them only counts. */
export function isComparable(one: Quantity, other: Quantity): boolean {
  if (one.dimension !== other.dimension) return one.dimension === "" || other.dimension === "";
  return one.per === undefined || other.per === undefined || one.per === other.per;
}

/** Units are converted by round numbers: 350 °F are "175 °C". */
const CONVERTED = 0.02;
/** What kilobytes, megabytes and gigabytes may hold above powers of 1,000. */
const BINARY = [1.024, 1.024 ** 2, 1.024 ** 3];

/** True if one quantity equals another, in the same or another unit. */
export function isSame(claimed: Quantity, stated: Quantity): boolean {
  if (claimed.date !== undefined && stated.date !== undefined)
    return agrees(claimed.date, stated.date);
  if (claimed.dimension === stated.dimension && claimed.per && stated.per)
    return states(claimed, (baseOf(stated) * claimed.per) / stated.per);
  if (!isComparable(claimed, stated)) return false;
  // Two texts may be too short to tell that both write 12.500 for the same number.
  if (claimed.text === stated.text) return true;
  // A bare number and one with a unit: no rounding.
  if (claimed.dimension !== stated.dimension) return claimed.value === stated.value;
  if (claimed.dimension === "clock") {
    const apart = Math.abs(claimed.value - stated.value) % 1440;
    const either = claimed.isEitherHalf === true || stated.isEitherHalf === true;
    return apart === 0 || (either && apart === 720);
  }
  if (claimed.factor === stated.factor) return states(claimed, baseOf(stated));
  const tolerance = Math.max(claimed.tolerance, CONVERTED * Math.abs(claimed.value));
  // 2 GB are 2,000 MB to some, and 2,048 to others.
  const isBinary =
    claimed.dimension === "data" && BINARY.some((step) => states(claimed, baseOf(stated) * step));
  return isBinary || states({ ...claimed, tolerance }, baseOf(stated));
}

/** A part that one of the two dates leaves out agrees. */
function agrees(one: NonNullable<Quantity["date"]>, other: NonNullable<Quantity["date"]>): boolean {
  const same = (a: number | undefined, b: number | undefined): boolean => !a || !b || a === b;
  return same(one.year, other.year) && same(one.month, other.month) && same(one.day, other.day);
}
