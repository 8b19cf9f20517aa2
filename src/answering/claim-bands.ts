/**
 * Finds the sentences that claim something, and sorts them into three bands by the reader's
 * support. Models hallucinate in stretches, so that neighbors count too. Fitted on recorded answers
 * of real models (`evals/fit-cutoffs.ts`).
 */
import type { ClaimStatus } from "../state/answer.js";
import { addressOf, headedTitles, type Evidence } from "../state/evidence.js";
import { contentTerms } from "../text/analyse.js";
import { REMARKS } from "../text/languages.js";
import { lastSign } from "../text/words.js";
import type { CitedSentence } from "./citations.js";
import type { Missing } from "./missing.js";
import fitted from "./guard-cutoffs.json" with { type: "json" };

interface ClaimSignals {
  /** The reader's support, 0–1. */
  readonly support: number;
  /** The same by shared words alone, which tells more where passages are long. */
  readonly words: number;
  /**
   * The reader's support of the claim or refusal before and of the claim behind; `NEUTRAL` where
   * there is none. Behind "The sources do not say …", models go on from memory.
   */
  readonly before: number;
  readonly behind: number;
  /** 1 where it holds a number, a date or a name that appears in no source. */
  readonly numberAbsent: number;
}

export interface GuardCutoffs {
  readonly bias: number;
  readonly weights: Readonly<Record<keyof ClaimSignals, number>>;
  /** Supported from this score on; 0–1. */
  readonly supported: number;
  /** Unsupported below this score. */
  readonly withdraw: number;
  /**
   * Below this support no neighbor makes a single sentence supported; of more, the weakest may be
   * weaker by the root of their number.
   */
  readonly alone: number;
  /** A claim whose words all appear in a source is turned below these log-odds of its sense. */
  readonly turned: number;
}

/** Support in place of a missing neighbor's. */
const NEUTRAL = 0.7;

/** Returns how well the evidence supports a sentence, 0–1. */
export function scoreOf(
  signals: ClaimSignals,
  { bias, weights }: Pick<GuardCutoffs, "bias" | "weights">,
): number {
  const names = ["support", "words", "before", "behind", "numberAbsent"] as const;
  const sum = names.reduce((all, name) => all + weights[name] * signals[name], bias);
  return 1 / (1 + Math.exp(-sum));
}

interface BandedClaim {
  /** The reader's support, and that by shared words alone; 0–1. */
  readonly value: number;
  readonly words: number;
  /** Of a claim whose words all appear in a source: log-odds that the source says it too. */
  readonly sense?: number;
  readonly before?: number;
  readonly missing: Missing;
}

export interface ClaimBand extends Pick<BandedClaim, "sense"> {
  readonly status: ClaimStatus;
  /** How well the evidence supports it, 0–1. */
  readonly score: number;
  /** Absent if nothing is claimed. */
  readonly signals?: ClaimSignals;
  /** True if a source has all its words, but hardly says it. */
  readonly isTurned?: boolean;
}

/** Sorts the claims of an answer into bands. What appears in no source is uncertain at best. */
export function bandsOf(
  claims: readonly BandedClaim[],
  { supported, withdraw, alone, turned, ...model }: GuardCutoffs = fitted,
): ClaimBand[] {
  const floor = alone / Math.sqrt(Math.max(1, claims.length));
  return claims.map(({ value, words, sense, before = NEUTRAL, missing }, index) => {
    const { nowhere, doubts, isSettled } = missing;
    const isAbsent = nowhere.length > 0;
    const signals = {
      support: value,
      words,
      before,
      behind: claims[index + 1]?.value ?? NEUTRAL,
      numberAbsent: Number(isAbsent),
    };
    const score = scoreOf(signals, model);
    const isWrong = isAbsent || doubts.length > 0;
    const isExact = isSettled && !isWrong;
    const isTurned = !isExact && sense !== undefined && sense < turned;
    const isWeak = score < supported || value < floor;
    const read = { score: isExact ? Math.max(score, supported) : score, signals, sense, isTurned };
    if (!isExact && score < withdraw) return { status: "unsupported", ...read };
    const isUncertain = isWrong || isTurned || (isWeak && !isExact);
    return { status: isUncertain ? "uncertain" : "supported", ...read };
  });
}

/**
 * Words of refusals, lead-ins, offers and courtesies. A sentence made of these and of the
 * question's words claims nothing.
 */
const REMARK_WORDS = new Set(contentTerms(REMARKS));

/** True for a heading or a courtesy, which carries no citation; "Yes." answers. */
export function isRemark({ text, kind }: Pick<CitedSentence, "text" | "kind">): boolean {
  const terms = contentTerms(text);
  if (kind === "heading") return true;
  return terms.length > 0 && terms.every((term) => REMARK_WORDS.has(term));
}

/**
 * True for a remark; for a title or a head of a column in which at most one word is new, which says
 * nothing by itself: "Setup"; and for a question or a lead-in of known words, or of one.
 * @param known terms of evidence and question
 */
export function claimsNothing(
  { text, kind }: Pick<CitedSentence, "text" | "kind">,
  { asked, known }: { asked: ReadonlySet<string>; known: ReadonlySet<string> },
): boolean {
  if (kind === "code") return false;
  const announces = kind !== "sentence" || "?？:：".includes(lastSign(text, "\"'”’)*_"));
  return (kind === "columns" ? text.split("|") : [text]).every((title) => {
    const terms = contentTerms(title);
    const said = terms.filter((term) => !REMARK_WORDS.has(term) && !asked.has(term));
    if (!announces) return said.length === 0;
    const news = said.filter((term) => !known.has(term));
    const mayBeNew = (kind !== "sentence" || terms.length === 1) && !/\p{N}/u.test(title);
    return news.length <= (mayBeNew ? 1 : 0);
  });
}

/** True for an entry in a list of sources: "[1] guide.md" or "[1]: guide.md". */
export function isSourceName(
  { text, start, markers: [marker = 0] }: CitedSentence,
  answer: string,
  evidence: readonly Evidence[],
): boolean {
  const defined = evidence.find((_item, index) => text.startsWith(`[${index + 1}]: `));
  const item = defined ?? evidence[marker - 1];
  if (item === undefined || (!defined && answer.startsWith(text.charAt(0), start))) return false;
  const names = contentTerms([...headedTitles(item), addressOf(item.source)].join("\n"));
  const named = contentTerms(defined ? text.slice(text.indexOf(" ")) : text);
  return named.every((term) => names.includes(term));
}
