import { eachMatch } from "./each-match.js";
import { memoize } from "../support/cache.js";

/** A number as it stands in the text. `value` in base units: "3.5 million" is 3500000, "50 %" is 50 with the unit "%". */
export interface FoundNumber {
  value: number;
  /** Folded: `%`, `km`, `$`, `°c`. Absent where none stands beside the number. */
  unit?: string;
  text: string;
  start: number;
  end: number;
}

const SMALL: Readonly<Record<string, number>> = {
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
};
const LARGE: Readonly<Record<string, number>> = {
  hundred: 1e2,
  thousand: 1e3,
  million: 1e6,
  millions: 1e6,
  billion: 1e9,
  billions: 1e9,
  trillion: 1e12,
  mn: 1e6,
  bn: 1e9,
  k: 1e3,
  m: 1e6,
  tausend: 1e3,
  millionen: 1e6,
  milliarde: 1e9,
  milliarden: 1e9,
  millones: 1e6,
  mille: 1e3,
  万: 1e4,
  亿: 1e8,
  千: 1e3,
  百: 1e2,
  مليون: 1e6,
  مليار: 1e9,
  ألف: 1e3,
};
const UNITS =
  "%|percent|per cent|prozent|km²|km2|km|cm|mm|nm|µm|μm|m²|m2|metres?|meters?|kilomet(?:re|er)s?|miles?|feet|foot|ft|inch(?:es)?|yards?|acres?|hectares?|" +
  "kg|mg|µg|g|grams?|kilograms?|tonnes?|tons?|pounds?|lbs?|ounces?|oz|litres?|liters?|ml|l|°c|°f|°|degrees?|k?hz|mhz|ghz|kw|mw|gw|kwh|w|v|" +
  "kb|mb|gb|tb|bytes?|bits?|ms|µs|ns|seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?|years?|centuries|century|decades?|" +
  "dollars?|usd|euros?|eur|yen|yuan|gbp|jahre?n?|tage?n?|stunden|minuten|sekunden|كيلومتر|كم|متر|سنة|عام|年|月|日|米|公里|元|岁|人";

const DIGITS =
  "\\p{Nd}{1,3}(?:[,\\u00a0\\u202f']\\p{Nd}{3})+(?:\\.\\p{Nd}+)?|\\p{Nd}{1,3}(?:\\.\\p{Nd}{3}){2,}|\\p{Nd}+(?:[.,]\\p{Nd}+)?";
const NUMERAL = new RegExp(
  `(?<![\\p{L}\\p{N}_]|\\p{N}[.,:])([$€£¥]\\s?)?([-−](?=\\p{Nd}))?(${DIGITS})(?![.,:]?\\p{N})(st|nd|rd|th)?` +
    `(?:\\s?([万亿千百]|(?:${Object.keys(LARGE).join("|")})(?![\\p{L}\\p{N}]|[²³])))?(?:[\\s-]?([年月日米公里元岁人]|(?:${UNITS})(?![\\p{L}\\p{N}])))?`,
  "giu",
);
const WORD = `(?:${Object.keys(SMALL).join("|")})`;
const SPELLED = new RegExp(
  `(?<![\\p{L}\\p{N}-])(?:${WORD}(?:-${WORD})?|an?(?=\\s+(?:hundred|thousand|million|billion)\\b))(?:\\s+(?:and\\s+)?(?:${WORD}(?:-${WORD})?|hundred|thousand|million|billion|trillion))*(?![\\p{L}\\p{N}])(?:[\\s-](${UNITS})(?![\\p{L}\\p{N}]))?`,
  "giu",
);

const DIGIT = /\p{Nd}/gu;
/** A numeral begins at most so many characters before its digits: with a currency, a blank and a minus sign. */
const BEFORE_DIGITS = 3;

/** Numerals in order. The pattern costs much at each place where it is tried, so it is tried near digits only. */
function* numeralsIn(text: string): Generator<RegExpExecArray> {
  for (let from = 0; from < text.length;) {
    DIGIT.lastIndex = from;
    const digit = DIGIT.exec(text);
    if (digit === null) return;
    NUMERAL.lastIndex = Math.max(from, digit.index - BEFORE_DIGITS);
    const match = NUMERAL.exec(text);
    if (match === null) return;
    from = match.index + match[0].length;
    yield match;
  }
}

/** Numbers in figures, of any script's digits, in order. Versions such as 1.2.3 and times such as 12:30 are not numbers. */
export function extractFigures(text: string): FoundNumber[] {
  const found: FoundNumber[] = [];
  for (const match of numeralsIn(text)) {
    const value = parseNumeral(match[3] ?? "");
    if (Number.isNaN(value)) continue;
    const metres = match[5] !== undefined && isMetres(match, text);
    const scale = match[5] === undefined || metres ? 1 : (LARGE[match[5].toLowerCase()] ?? 1);
    const sign = match[2] === undefined ? 1 : -1;
    // "the 1980s" is a decade and "10 s" a time.
    const unit =
      match[6] === "s" && value >= 1000 ? match[1] : metres ? match[5] : (match[6] ?? match[1]);
    found.push({
      value: sign * value * scale,
      ...unitOf(unit),
      text: match[0],
      start: match.index,
      end: match.index + match[0].length,
    });
  }
  return found;
}

/** A claim is held against many sentences, and a sentence against many claims: what was read last is kept. */
const KEPT_IN_CHARACTERS = 20_000;

/** The same, and numbers in English words. */
export const extractNumbers: (text: string) => readonly FoundNumber[] = memoize({
  compute: readNumbers,
  maxCharacters: KEPT_IN_CHARACTERS,
  maxLength: 2_000,
});

function readNumbers(text: string): FoundNumber[] {
  const found = extractFigures(text);
  for (const match of eachMatch(text, SPELLED)) {
    const unit = match[1];
    const words = unit === undefined ? match[0] : match[0].slice(0, -unit.length);
    const value = parseSpelled(words);
    // "one" is a pronoun more often than a number.
    if (value === undefined || (value === 1 && unit === undefined)) continue;
    found.push({
      value,
      ...unitOf(unit),
      text: match[0],
      start: match.index,
      end: match.index + match[0].length,
    });
  }
  return found.sort((a, b) => a.start - b.start);
}

/** What is counted in millions, where "m" stands before it: "1.2m people". */
const COUNTED =
  /^\s?(?:people|persons|inhabitants|residents|citizens|users|customers|members|visitors|viewers|views|subscribers|followers|downloads|copies|units|jobs|homes|voters|votes|shares|barrels)(?!\p{L})/iu;

/** Whether the "m" of a numeral is metres, as in "330 m tall", and not million, as in "$5m", "5M" and "5 m people". */
function isMetres(match: RegExpExecArray, text: string): boolean {
  const [all, currency, , , , scale, unit] = match;
  if (scale?.toLowerCase() !== "m" || currency !== undefined || unit !== undefined) return false;
  if (scale === "M" && !/\sM$/u.test(all)) return false;
  return !COUNTED.test(text.slice(match.index + all.length, match.index + all.length + 20));
}

const SAME_UNIT: readonly (readonly [RegExp, string])[] = [
  [/^(?:percent|per cent|prozent)$/u, "%"],
  [/^kilomet(?:re|er)s?$|^公里$/u, "km"],
  [/^met(?:re|er)s?$|^米$/u, "m"],
  [/^(?:feet|foot)$/u, "ft"],
  [/^kilograms?$/u, "kg"],
  [/^(?:seconds?|secs?|sekunden)$/u, "s"],
  [/^(?:minutes?|mins?|minuten)$/u, "min"],
  [/^(?:hours?|hrs?|stunden)$/u, "h"],
  [/^(?:dollars?|usd)$/u, "$"],
  [/^(?:euros?|eur)$/u, "€"],
  [/^(?:كيلومتر|كم)$/u, "km"],
  [/^(?:jahre?n?|年|سنة|عام)$/u, "year"],
  [/^(?:tage?n?|日)$/u, "day"],
  [/^centuries$/u, "century"],
];

function unitOf(unit: string | undefined): { unit?: string } {
  if (unit === undefined) return {};
  const plain = unit.trim().toLowerCase();
  const same = SAME_UNIT.find(([pattern]) => pattern.test(plain));
  if (same !== undefined) return { unit: same[1] };
  return { unit: plain.length > 3 ? plain.replace(/s$/u, "") : plain };
}

function parseNumeral(digits: string): number {
  if (/^\d+$/.test(digits)) return Number(digits);
  const ascii = digits
    .normalize("NFKC")
    .replace(/\p{Nd}/gu, (digit) => (/\d/u.test(digit) ? digit : String(digitValue(digit))));
  if (/^\d{1,3}(?:[,\u00a0\u202f ']\d{3})+(?:\.\d+)?$/u.test(ascii))
    return Number(ascii.replace(/[^\d.]/gu, ""));
  if (/^\d{1,3}(?:\.\d{3}){2,}$/u.test(ascii)) return Number(ascii.replaceAll(".", ""));
  return Number(ascii.replace(",", "."));
}

/** Digits of a script stand in tens, beginning with zero. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (zero > code - 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return code - zero;
}

function parseSpelled(words: string): number | undefined {
  let total = 0;
  let current = 0;
  let seen = false;
  for (const word of words.toLowerCase().split(/[\s-]+/u)) {
    if (word === "and" || word === "") continue;
    const small = SMALL[word] ?? (word === "a" || word === "an" ? 1 : undefined);
    const large = LARGE[word];
    if (small !== undefined) current += small;
    else if (word === "hundred") current = Math.max(1, current) * 100;
    else if (large !== undefined) {
      total += Math.max(1, current) * large;
      current = 0;
    } else return undefined;
    seen = true;
  }
  return seen ? total + current : undefined;
}
