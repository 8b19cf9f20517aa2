/** What the claim model looks at. Each feature is near 0–1 by construction, so that weights can be compared. */
import { contentTerms } from "../../text/analyse.js";
import type { FoundNumber } from "../../text/entities.js";
import { extractNumbers, hasNegation } from "../../text/entities.js";
import type { ClaimAlignment } from "./claim-alignment.js";
import { alignClaim } from "./claim-alignment.js";
import type { ClaimTerms, EvidenceWindow } from "./claim-overlap.js";
import { bestWindow, claimTerms, commonRun } from "./claim-overlap.js";
import { kinship } from "./kinship.js";
import { oppositeOf } from "./opposites.js";
import type { PreparedText } from "./prepared-text.js";

export const CLAIM_FEATURES = [
  "information",
  "agreement",
  "numbersMissing",
  "anyNumberMissing",
  "numberElsewhere",
  "disorder",
  "sourceDenies",
  "opposite",
] as const;

export type ClaimFeature = (typeof CLAIM_FEATURES)[number];
export type ClaimFeatures = Record<ClaimFeature, number>;

/** The others speak against the claim. A weight of the other sign would be an accident of the data. */
export const SPEAKS_FOR: ReadonlySet<ClaimFeature> = new Set(["information", "agreement"]);

export interface MeasuredClaim {
  features: ClaimFeatures;
  terms: ClaimTerms;
  /** Best run of up to three sentences; undefined when no term stands anywhere. */
  window: EvidenceWindow | undefined;
  /** Best single sentence. */
  sentence: EvidenceWindow | undefined;
  /** Share of the claim's content words that stand in the window in one unbroken run, 0–1. */
  copied: number;
}

/** From this number on a number is told apart from a count of things in a list. */
const SMALL_COUNT = 12;
/** Two terms count as the same one from here. */
const SAME_TERM = 0.7;

/** @param input.claim without citation markers, see `bareClaim` */
export function measureClaim(input: {
  claim: string;
  evidence: readonly PreparedText[];
}): MeasuredClaim {
  const { claim, evidence } = input;
  const terms = claimTerms(claim);
  const window = bestWindow(terms, evidence);
  const sentence = bestWindow(terms, evidence, 1);
  const windowTerms = window?.sentences.flatMap((part) => part.terms) ?? [];
  const alignment = alignClaim(terms, evidence);
  return {
    features: {
      information: alignment.information,
      agreement: alignment.agreement,
      ...disagreements(claim, terms, alignment, evidence),
    },
    terms,
    window,
    sentence,
    copied:
      terms.sequence.length === 0
        ? 0
        : commonRun(terms.sequence, windowTerms) / terms.sequence.length,
  };
}

function disagreements(
  claim: string,
  terms: ClaimTerms,
  { window, sentence }: ClaimAlignment,
  evidence: readonly PreparedText[],
): Omit<ClaimFeatures, "information" | "agreement"> {
  const near = new Set(window.flatMap((part) => part.terms));
  const nearText = window.map((part) => part.text).join(" ");
  const has = (term: string): boolean => evidence.some((text) => text.vocabulary.has(term));
  const numbers = extractNumbers(claim);
  const missing = numbers.filter(
    (number) =>
      !stands(
        number,
        evidence.flatMap((text) => text.numbers),
        has,
      ),
  );
  const isTelling = ({ value }: FoundNumber): boolean =>
    value > SMALL_COUNT || !Number.isInteger(value);
  const isOpposed = (term: string): boolean =>
    !has(term) && oppositeOf(term).some((other) => near.has(other));
  return {
    numbersMissing: numbers.length === 0 ? 0 : missing.length / numbers.length,
    anyNumberMissing: missing.length > 0 ? 1 : 0,
    numberElsewhere: numbers.some(
      (number) =>
        isTelling(number) && !stands(number, extractNumbers(nearText), (term) => near.has(term)),
    )
      ? 1
      : 0,
    disorder: disorder(terms.sequence, sentence?.terms ?? []),
    sourceDenies: hasNegation(nearText) && !hasNegation(claim) ? 1 : 0,
    opposite: [...terms.weights.keys()].some(isOpposed) ? 1 : 0,
  };
}

/** Whether a number stands among others, or in the words that spell it. */
function stands(
  number: FoundNumber,
  among: readonly FoundNumber[],
  has: (term: string) => boolean,
): boolean {
  return among.some(({ value }) => value === number.value) || contentTerms(number.text).every(has);
}

/** Of the pairs of words that claim and sentence have in common, the share that stands there in the other order. */
function disorder(claim: readonly string[], sentence: readonly string[]): number {
  const places = claim
    .map((term) => sentence.findIndex((other) => kinship(term, other) >= SAME_TERM))
    .filter((place) => place >= 0);
  let [pairs, reversed] = [0, 0];
  for (const [index, first] of places.entries()) {
    for (const second of places.slice(index + 1)) {
      if (first === second) continue;
      pairs += 1;
      if (second < first) reversed += 1;
    }
  }
  return pairs === 0 ? 0 : reversed / pairs;
}
