/**
 * Which sentences claim something, and from the reader's support of each to three bands. Writers
 * that invent do so in a stretch: the sentences before and behind tell of a sentence too. Fitted on
 * recorded answers of real models (`evals/fit-cutoffs.ts`).
 */
import type { ClaimStatus } from "../state/answer.js";
import { contentTerms } from "../text/analyse.js";
import type { CitedSentence } from "./citations.js";
import fitted from "./guard-cutoffs.json" with { type: "json" };

/** What speaks for and against a sentence. */
export interface ClaimSignals {
  /** Log-odds of the reader's support. */
  readonly support: number;
  /** The same of the claim before and behind; `NEUTRAL` where there is none. */
  readonly before: number;
  readonly behind: number;
  /** 1 where it holds a number or a date that stands nowhere. */
  readonly numberAbsent: number;
}

/** Weights and cut-offs of the bands. */
export interface GuardCutoffs {
  readonly bias: number;
  readonly weights: Readonly<Record<keyof ClaimSignals, number>>;
  /** Supported from here; 0–1. */
  readonly supported: number;
  /** Withdrawn below here. */
  readonly withdraw: number;
  /** By the reader's own support of it: below here no neighbor makes a sentence supported. */
  readonly alone: number;
}

/** Stands for the claim before the first and behind the last. */
const NEUTRAL = 1;

/** 0–1: how well the evidence supports a sentence, all told. */
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

/** A claim as it stands when the bands are decided. */
interface BandedClaim {
  /** The reader's support, 0–1. */
  readonly value: number;
  readonly numberAbsent: boolean;
  readonly quotationAbsent: boolean;
  /** The writer says that a source states it. */
  readonly isCited: boolean;
}

/**
 * The band of each claim of an answer, in order. A number that stands nowhere is withdrawn whatever
 * the words around it say, and so is what is cited where no claim has any support of its own; a
 * quotation that stands nowhere is uncertain at best.
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

/** Kept finite: what no word supports is no more than very unlikely. */
function logOdds(value: number): number {
  const inside = Math.min(0.99, Math.max(0.01, value));
  return Math.log(inside / (1 - inside));
}

/**
 * What an answer says of itself and of its sources: refusals, lead-ins, offers, courtesies. A
 * sentence made of these words and the question's own states nothing that could be missed.
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

/**
 * @param asked terms of the question
 * @param known terms of evidence and question: a heading or a lead-in made of them states nothing
 *   new
 */
export function claimsNothing(
  { text, kind }: Pick<CitedSentence, "text" | "kind">,
  { asked, known }: { asked: ReadonlySet<string>; known: ReadonlySet<string> },
): boolean {
  if (kind === "code") return contentTerms(text).every((term) => known.has(term));
  // A list marker that a sentence boundary cut off: "5."
  if (/^\(?\d{1,2}[.)]$/u.test(text)) return true;
  const terms = contentTerms(text);
  const announces = kind === "heading" || /[?？:：]["'”’)*_]*$/u.test(text);
  return terms.every(
    (term) => REMARK_WORDS.has(term) || asked.has(term) || (announces && known.has(term)),
  );
}
