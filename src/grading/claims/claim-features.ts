/** What the claim model looks at. Each feature is near 0–1 by construction, so that weights can be compared. */
import { analyse, contentTerms } from "../../text/analyse.js";
import { idf } from "../../text/background.js";
import { extractNames, extractNumbers, hasNegation } from "../../text/entities.js";
import type { ClaimTerms, EvidenceWindow } from "./claim-overlap.js";
import { bestWindow, claimTerms, commonRun, commonSubsequence, massOf, sum } from "./claim-overlap.js";
import type { PreparedText } from "./prepared-text.js";
import { pairsOf } from "./prepared-text.js";

export const CLAIM_FEATURES = [
  "titledCoverage",
  "softCoverage",
  "novelCoverage",
  "pairCoverage",
  "precision",
  "subsequence",
  "fullSequence",
  "longestRun",
  "trigrams",
  "cosine",
  "rarestMissing",
  "numbersMissing",
  "namesMissing",
  "negationDiffers",
  "claimLength",
] as const;

export type ClaimFeature = (typeof CLAIM_FEATURES)[number];
export type ClaimFeatures = Record<ClaimFeature, number>;

export interface MeasuredClaim {
  features: ClaimFeatures;
  terms: ClaimTerms;
  /** Best run of up to three sentences; undefined when no term stands anywhere. */
  window: EvidenceWindow | undefined;
  /** Best single sentence. */
  sentence: EvidenceWindow | undefined;
}

/** An IDF that only very rare terms exceed, to bring weights to 0–1. */
const RARE = 12;

export function measureClaim(input: { claim: string; question?: string; evidence: readonly PreparedText[] }): MeasuredClaim {
  const { question = "", evidence } = input;
  const claim = withoutMarkers(input.claim);
  const terms = claimTerms(claim);
  const has = (term: string): boolean => evidence.some((text) => text.vocabulary.has(term));
  const window = bestWindow(terms, evidence);
  const sentence = bestWindow(terms, evidence, 1);
  const windowTerms = window?.sentences.flatMap((part) => part.terms) ?? [];
  const inWindow = new Set(windowTerms);
  const title = new Set(window === undefined ? [] : evidence[window.evidence]?.sentences[0]?.terms);
  const asked = new Set(contentTerms(question));
  const novel = restrict(terms, (term) => !asked.has(term));
  const missing = [...terms.weights].filter(([term]) => !has(term));
  const pairs = [...new Set(pairsOf(terms.sequence))];
  const sentenceTerms = sentence?.sentences.flatMap((part) => part.terms) ?? [];
  const claimed = analyse(claim).map((token) => token.term);
  const windowWords = window?.sentences.flatMap((part) => part.tokens.map((token) => token.term)) ?? [];
  const copied = shingles(windowWords);
  const windowText = window === undefined ? "" : window.sentences.map((part) => part.text).join(" ");
  const features: ClaimFeatures = {
    titledCoverage: massOf(terms, (term) => inWindow.has(term) || title.has(term)),
    softCoverage: massOf(terms, (term) => inWindow.has(term) || windowTerms.some((other) => akin(term, other))),
    novelCoverage: novel.mass === 0 ? 1 : massOf(novel, (term) => inWindow.has(term)),
    pairCoverage: share(pairs, (pair) => evidence.some((text) => text.pairs.has(pair))),
    precision: precisionOf(sentenceTerms, terms),
    subsequence: ratio(commonSubsequence(terms.sequence, windowTerms), terms.sequence.length),
    fullSequence: ratio(commonSubsequence(claimed, windowWords), claimed.length),
    longestRun: ratio(commonRun(terms.sequence, windowTerms), terms.sequence.length),
    trigrams: share([...shingles(claimed)], (shingle) => copied.has(shingle)),
    cosine: cosine(terms, windowTerms),
    rarestMissing: Math.max(0, ...missing.map(([, weight]) => weight)) / RARE,
    numbersMissing: share(
      extractNumbers(claim),
      (number) => !evidence.some((text) => text.numbers.some((other) => other.value === number.value)),
    ),
    namesMissing: share(extractNames(claim), (name) => !contentTerms(name.text).every(has)),
    negationDiffers: window !== undefined && hasNegation(claim) !== hasNegation(windowText) ? 1 : 0,
    claimLength: Math.log(1 + terms.sequence.length) / 4,
  };
  return { features, terms, window, sentence };
}

/** `[3]` behind a claim is no part of it. */
function withoutMarkers(claim: string): string {
  return claim.replace(/\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\]/gu, " ");
}

/** Words three by three, function words included: copied wording. */
function shingles(words: readonly string[]): Set<string> {
  return new Set(words.slice(2).map((word, index) => `${words[index] ?? ""} ${words[index + 1] ?? ""} ${word}`));
}

function restrict(terms: ClaimTerms, keep: (term: string) => boolean): ClaimTerms {
  const weights = new Map([...terms.weights].filter(([term]) => keep(term)));
  return { sequence: terms.sequence.filter(keep), weights, mass: sum(weights.values()) };
}

/** Two terms of one word family: a common beginning of at least five letters that is most of both. */
function akin(a: string, b: string): boolean {
  let common = 0;
  while (common < a.length && common < b.length && a[common] === b[common]) common += 1;
  return common >= 5 && common >= 0.6 * Math.max(a.length, b.length);
}

function precisionOf(sentence: readonly string[], terms: ClaimTerms): number {
  const weights = new Map(sentence.map((term) => [term, Math.max(0.1, idf(term))]));
  const mass = sum(weights.values());
  return mass === 0 ? 0 : sum([...weights].map(([term, weight]) => (terms.weights.has(term) ? weight : 0))) / mass;
}

function cosine(terms: ClaimTerms, other: readonly string[]): number {
  const weights = new Map(other.map((term) => [term, Math.max(0.1, idf(term))]));
  const dot = sum([...weights].map(([term, weight]) => weight * (terms.weights.get(term) ?? 0)));
  const length = (values: Iterable<number>): number => Math.sqrt(sum([...values].map((value) => value * value)));
  const product = length(terms.weights.values()) * length(weights.values());
  return product === 0 ? 0 : dot / product;
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function share<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.length === 0 ? 0 : items.filter(holds).length / items.length;
}
