import { eachMatch } from "./each-match.js";

/** A date as it stands in the text; what it leaves open is absent. Month and day count from 1. Years before Christ are negative. */
export interface FoundDate {
  year?: number;
  month?: number;
  day?: number;
  text: string;
  start: number;
  end: number;
}

const MONTHS = [
  "january|jan|januar|janvier|enero|gennaio|janeiro|يناير",
  "february|feb|februar|février|febrero|febbraio|fevereiro|فبراير",
  "march|mar|märz|mars|marzo|março|مارس",
  "april|apr|avril|abril|aprile|أبريل|ابريل",
  "may|mai|mayo|maggio|maio|مايو",
  "june|jun|juni|juin|junio|giugno|junho|يونيو",
  "july|jul|juli|juillet|julio|luglio|julho|يوليو",
  "august|aug|août|agosto|أغسطس|اغسطس",
  "september|sept|sep|septembre|septiembre|settembre|setembro|سبتمبر",
  "october|oct|oktober|okt|octobre|octubre|ottobre|outubro|أكتوبر|اكتوبر",
  "november|nov|novembre|noviembre|novembro|نوفمبر",
  "december|dec|dezember|dez|décembre|diciembre|dicembre|dezembro|ديسمبر",
];
const MONTH = `(${MONTHS.join("|")})\\.?`;
const EDGE = "(?![\\p{L}\\p{N}])";
const START = "(?<![\\p{L}\\p{N}.,])";
const YEAR = "(\\d{4})";
const DAY = "(\\d{1,2})(?:st|nd|rd|th|\\.)?";

interface Pattern {
  /** Stands in every text that the pattern matches, and is found out quickly. */
  needs: RegExp;
  pattern: RegExp;
  read: (
    groups: readonly (string | undefined)[],
  ) => { year?: number; month?: number; day?: number } | undefined;
}

const toNumber = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);
const monthOf = (name: string | undefined): number | undefined => {
  if (name === undefined) return undefined;
  const index = MONTHS.findIndex((names) => names.split("|").includes(name.toLowerCase()));
  return index === -1 ? undefined : index + 1;
};

/** How the months begin, in the same letters and under the same folding as in the patterns. */
const MONTH_BEGINS = new RegExp(
  [...new Set(MONTHS.flatMap((names) => names.split("|").map((name) => name.slice(0, 3))))].join(
    "|",
  ),
  "iu",
);

/** The fuller patterns first: what they take is not read again. */
const PATTERNS: readonly Pattern[] = [
  {
    needs: /\d-\d/u,
    pattern: /(?<![\p{L}\p{N}-])(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/gu,
    read: ([y, m, d]) => ({ year: toNumber(y), month: toNumber(m), day: toNumber(d) }),
  },
  {
    needs: /年/u,
    pattern: /(\d{3,4})年(?:(\d{1,2})月(?:(\d{1,2})[日号])?)?/gu,
    read: ([y, m, d]) => ({ year: toNumber(y), month: toNumber(m), day: toNumber(d) }),
  },
  {
    needs: MONTH_BEGINS,
    pattern: new RegExp(
      `${START}${DAY}\\s+(?:of\\s+|de\\s+)?${MONTH},?(?:\\s+(?:de\\s+)?${YEAR})?${EDGE}`,
      "giu",
    ),
    read: ([d, m, y]) => ({ year: toNumber(y), month: monthOf(m), day: toNumber(d) }),
  },
  {
    needs: MONTH_BEGINS,
    pattern: new RegExp(`${START}${MONTH}\\s+${DAY}(?:,?\\s+${YEAR})?${EDGE}`, "giu"),
    read: ([m, d, y]) => ({ year: toNumber(y), month: monthOf(m), day: toNumber(d) }),
  },
  {
    needs: MONTH_BEGINS,
    pattern: new RegExp(`${START}${MONTH},?\\s+(?:de\\s+)?${YEAR}${EDGE}`, "giu"),
    read: ([m, y]) => ({ year: toNumber(y), month: monthOf(m) }),
  },
  // 31/12/1999 and 12/31/1999: where both could be a month the parts stay open.
  {
    needs: /\d[/.]\d/u,
    pattern: /(?<![\d/.])(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?![\d/])/gu,
    read: ([a, b, y]) => slashed(Number(a), Number(b), Number(y)),
  },
  {
    needs: /B\.?C/u,
    pattern: /(?<![\p{L}\p{N}])(\d{1,4})\s*(?:BCE?|B\.C\.(?:E\.)?)(?![\p{L}\p{N}])/gu,
    read: ([y]) => ({ year: -Number(y) }),
  },
  {
    needs: /\d{4}/u,
    pattern: /(?<![\p{L}\p{N}.,$€£¥/-])(1\d{3}|20\d{2})(?=s?(?![\p{L}\p{N}/]|[.,]\d))/gu,
    read: ([y]) => ({ year: toNumber(y) }),
  },
];

function slashed(
  a: number,
  b: number,
  year: number,
): { year: number; month?: number; day?: number } | undefined {
  if (a > 31 || b > 31 || a === 0 || b === 0) return undefined;
  if (a > 12 && b <= 12) return { year, month: b, day: a };
  if (b > 12 && a <= 12) return { year, month: a, day: b };
  return { year };
}

/** Dates and years in order of place; four figures count as a year from 1000 to 2099. */
export function extractDates(text: string): FoundDate[] {
  const found: FoundDate[] = [];
  if (!/\d/u.test(text)) return found;
  const namesMonth = MONTH_BEGINS.test(text);
  for (const { needs, pattern, read } of PATTERNS) {
    if (needs === MONTH_BEGINS ? !namesMonth : !needs.test(text)) continue;
    for (const match of eachMatch(text, pattern)) {
      const start = match.index;
      const end = start + match[0].length;
      if (found.some((date) => start < date.end && date.start < end)) continue;
      const parts = read(match.slice(1));
      if (parts === undefined || (parts.month ?? 1) > 12 || (parts.day ?? 1) > 31) continue;
      found.push({ ...withoutUndefined(parts), text: match[0], start, end });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

function withoutUndefined(parts: { year?: number; month?: number; day?: number }): {
  year?: number;
  month?: number;
  day?: number;
} {
  return {
    ...(parts.year === undefined ? {} : { year: parts.year }),
    ...(parts.month === undefined ? {} : { month: parts.month }),
    ...(parts.day === undefined ? {} : { day: parts.day }),
  };
}
