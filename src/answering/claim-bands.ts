/**
 * Tells which sentences claim something and what in them no source holds, and sorts them into three
 * bands by the reader's support. Models hallucinate in stretches, so that neighbors count too.
 * Fitted on recorded answers of real models (`evals/fit-cutoffs.ts`).
 */
import type { ClaimStatus } from "../state/answer.js";
import { memoize } from "../support/cache.js";
import { contentTerms } from "../text/analyse.js";
import { extractDates, extractNumbers, quotationsIn } from "../text/literals.js";
import { wordsOf } from "../text/words.js";
import type { CitedSentence } from "./citations.js";
import fitted from "./guard-cutoffs.json" with { type: "json" };

/** Fewer words are a title or a term. */
const WORDS_OF_A_QUOTATION = 4;
/** Small whole numbers only count things: "two ways", "step 3". */
const COUNTS_UP_TO = 12;
/** Behind these words a number may differ by `ROUNDING`. */
const ROUNDED = new Set(
  "about around approximately approx roughly nearly almost over some circa ca etwa rund environ"
    .split(" ")
    .concat("more than", "less than", "up to"),
);
const ROUNDING = 0.06;
const DIGITS = /\d+/gu;
/** Times and versions, which are no numbers: 12:30, 1.2.3. */
const CODE = /(?<![\p{L}\p{N}.:])\d{1,3}(?::\d\d|(?:\.\d{1,3}){2,})(?![\p{L}\p{N}]|[.:]\d)/gu;

/**
 * What no source holds, in words: `the number 42`, `the time 9:15`, `the date 3 May 1999`, `the
 * quotation "…"`. Units and spelling are ignored: 375°F equals "three hundred and seventy-five".
 */
export interface Absent {
  readonly numbers: readonly string[];
  readonly quotations: readonly string[];
}

/** @param question its own numbers need no source */
export function absentFrom(sources: readonly string[], sentence: string, question = ""): Absent {
  const known = [...sources, question];
  return {
    numbers: [
      ...absentNumbers(known, sentence),
      ...absentCodes(known, sentence),
      ...absentDates(known, sentence),
    ],
    quotations: absentQuotations(sources, sentence),
  };
}

function absentQuotations(sources: readonly string[], sentence: string): string[] {
  return quotationsIn(sentence).flatMap(({ text: quotation, start }) => {
    // Inline code and text between apostrophes are names.
    if ("`'".includes(sentence.charAt(start))) return [];
    // The parts round an ellipsis are looked up one by one.
    const parts = quotation.split(/\[?(?:…|\.\.\.)\]?/u).flatMap((part) => {
      const letters = lettersOf(part);
      return letters.trim() === "" ? [] : [letters];
    });
    if (parts.join("").split(" ").filter(Boolean).length < WORDS_OF_A_QUOTATION) return [];
    const isThere = sources.some((source) =>
      parts.every((part) => lettersOf(source).includes(part)),
    );
    return isThere ? [] : [`the quotation "${quotation}"`];
  });
}

/** Words in lower case, so that punctuation makes no difference. */
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
    digits: new Set(text.normalize("NFKC").match(DIGITS) ?? []),
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
    const before = wordsOf(sentence.slice(Math.max(0, start - 40), start).toLowerCase());
    const isRounded = [-1, -2].some((from) => ROUNDED.has(before.slice(from).join(" ")));
    const digits = (text.match(DIGITS) ?? []).join("");
    return stands(value, digits, isRounded) ? [] : [`the number ${text.trim()}`];
  });
}

/** Looks for the parts, since 9:15 may be written 9.15, 09:15 or, in the evening, 21:15. */
function absentCodes(sources: readonly string[], sentence: string): string[] {
  const known = sources.map(numbersOf);
  return (sentence.match(CODE) ?? []).flatMap((code) => {
    const isTime = code.includes(":");
    const parts = code.split(/[.:]/u).map(Number);
    const stands = known.some(({ digits }) =>
      parts.every((part, index) => {
        const meant = isTime && index === 0 ? [part, part + 12, part - 12] : [part];
        const isFullHour = isTime && index > 0 && part === 0;
        return isFullHour || meant.some((each) => holds(digits, each));
      }),
    );
    return stands ? [] : [`the ${isTime ? "time" : "number"} ${code}`];
  });
}

function holds(digits: ReadonlySet<string>, part: number): boolean {
  return digits.has(String(part)) || digits.has(String(part).padStart(2, "0"));
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

export interface ClaimSignals {
  /** Log-odds of the reader's support. */
  readonly support: number;
  /** The same of the claim before and behind; `NEUTRAL` where there is none. */
  readonly before: number;
  readonly behind: number;
  /** 1 where it holds a number or a date that stands nowhere. */
  readonly numberAbsent: number;
}

export interface GuardCutoffs {
  readonly bias: number;
  readonly weights: Readonly<Record<keyof ClaimSignals, number>>;
  /** Supported from this score on; 0–1. */
  readonly supported: number;
  /** Withdrawn below this score. */
  readonly withdraw: number;
  /** Below this support, no neighbor makes a sentence supported. */
  readonly alone: number;
}

/** Log-odds in place of a missing neighbor. */
const NEUTRAL = 1;

/** Returns how well the evidence supports a sentence, 0–1. */
export function scoreOf(
  signals: ClaimSignals,
  { bias, weights }: Pick<GuardCutoffs, "bias" | "weights">,
): number {
  const { support, before, behind, numberAbsent } = signals;
  const sum =
    bias +
    weights.support * support +
    weights.before * before +
    weights.behind * behind +
    weights.numberAbsent * numberAbsent;
  return 1 / (1 + Math.exp(-sum));
}

interface BandedClaim {
  /** The reader's support, 0–1. */
  readonly value: number;
  readonly numberAbsent: boolean;
  readonly quotationAbsent: boolean;
  readonly isCited: boolean;
}

/**
 * Sorts the claims of an answer into bands. A number that no source holds is always withdrawn, and so
 * are citations in an answer of which no claim has support; a quotation that no source holds is
 * uncertain at best.
 */
export function bandsOf(
  claims: readonly BandedClaim[],
  { supported, withdraw, alone, ...model }: GuardCutoffs = fitted,
): { status: ClaimStatus; score: number; signals: ClaimSignals }[] {
  const floor = logOdds(alone);
  const odds = claims.map(({ value }) => logOdds(value));
  const nothingHolds = odds.every((own) => own < floor);
  return claims.map(({ numberAbsent, quotationAbsent, isCited }, index) => {
    const signals = {
      support: odds[index] ?? NEUTRAL,
      before: odds[index - 1] ?? NEUTRAL,
      behind: odds[index + 1] ?? NEUTRAL,
      numberAbsent: Number(numberAbsent),
    };
    const score = scoreOf(signals, model);
    if (numberAbsent || score < withdraw || (nothingHolds && isCited))
      return { status: "unsupported", score, signals };
    const isUncertain = quotationAbsent || score < supported || signals.support < floor;
    return { status: isUncertain ? "uncertain" : "supported", score, signals };
  });
}

/** Kept finite. */
function logOdds(value: number): number {
  const inside = Math.min(0.99, Math.max(0.01, value));
  return Math.log(inside / (1 - inside));
}

/**
 * Words of refusals, lead-ins, offers and courtesies. A sentence made of these and of the question's
 * own words claims nothing.
 */
const REMARK_WORDS = new Set(
  contentTerms(
    `information detail context document passage source evidence text material result search provided given available retrieved
    above below following mention specify state say contain include cover discuss address indicate describe explain find found locate
    determine answer question ask unable not no sufficient enough specific specifically explicit explicitly direct directly
    clear unclear based according sorry unfortunately apologize apologise afraid know knowledge help assist further additional more
    let feel free want need like please thank thanks welcome hello sure certainly course okay great here summary summarize short brief
    overview conclusion overall example list step point key main note important however therefore additionally also
    relevant related regarding concerning topic subject request query refer consult check contact reach provide give offer
    cannot could would able possible currently unknown unspecified
    precise complete confidence solely correct response therefore attempt moment accurate hard simple approach consideration feature glad hope subjective`,
  ),
);

/** @param known terms of evidence and question: a heading or lead-in made of them claims nothing */
export function claimsNothing(
  { text, kind }: Pick<CitedSentence, "text" | "kind">,
  { asked, known }: { asked: ReadonlySet<string>; known: ReadonlySet<string> },
): boolean {
  if (kind === "code") return contentTerms(text).every((term) => known.has(term));
  const terms = contentTerms(text);
  const announces = kind === "heading" || /[?？:：]["'”’)*_]*$/u.test(text);
  return terms.every(
    (term) => REMARK_WORDS.has(term) || asked.has(term) || (announces && known.has(term)),
  );
}
