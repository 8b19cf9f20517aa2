/** How much of a claim stands in the evidence, and where: the raw material of the features and of the contradiction rules. */
import { analyse } from "../../text/analyse.js";
import { idf } from "../../text/background.js";
import type { PreparedSentence, PreparedText } from "./prepared-text.js";

/** Claims lean on up to this many sentences that follow one another. */
export const WINDOW_SENTENCES = 3;

/** A run of sentences in one evidence text. */
export interface EvidenceWindow {
  /** Index of the evidence text. */
  evidence: number;
  sentences: readonly PreparedSentence[];
  /** Share of the claim's IDF mass that stands in it, 0–1. */
  coverage: number;
}

export interface ClaimTerms {
  /** In order, duplicates kept, without stop words. */
  sequence: string[];
  /** Each term once, with its weight. */
  weights: ReadonlyMap<string, number>;
  /** Sum of the weights. */
  mass: number;
}

/** The terms of a claim with their weights. */
export function claimTerms(claim: string): ClaimTerms {
  const sequence = analyse(claim)
    .filter((token) => !token.stop)
    .map((token) => token.term);
  const weights = new Map(sequence.map((term) => [term, Math.max(0.1, idf(term))]));
  return { sequence, weights, mass: sum(weights.values()) };
}

/** Share of the claim's mass for which `has` holds, 0–1. An empty claim is covered by nothing. */
export function massOf(terms: ClaimTerms, has: (term: string) => boolean): number {
  if (terms.mass === 0) return 0;
  let covered = 0;
  for (const [term, weight] of terms.weights) if (has(term)) covered += weight;
  return covered / terms.mass;
}

/** The best run of up to `size` sentences; of equally good ones the shortest, then the first. */
export function bestWindow(terms: ClaimTerms, evidence: readonly PreparedText[], size = WINDOW_SENTENCES): EvidenceWindow | undefined {
  let best: EvidenceWindow | undefined;
  for (const [index, text] of evidence.entries()) {
    const sets = text.sentences.map((sentence) => new Set(sentence.terms));
    for (let from = 0; from < sets.length; from += 1) {
      for (let count = 1; count <= size && from + count <= sets.length; count += 1) {
        const window = sets.slice(from, from + count);
        const coverage = massOf(terms, (term) => window.some((set) => set.has(term)));
        const gain = coverage - (best?.coverage ?? 0);
        const shorter = best !== undefined && gain > -1e-9 && count < best.sentences.length;
        if (gain > 1e-9 || shorter) best = { evidence: index, sentences: text.sentences.slice(from, from + count), coverage };
      }
    }
  }
  return best;
}

/** Length of the longest common subsequence. */
export function commonSubsequence(a: readonly string[], b: readonly string[]): number {
  let previous = new Array<number>(b.length + 1).fill(0);
  for (const left of a) {
    const current = [0];
    for (const [index, right] of b.entries()) {
      current.push(left === right ? (previous[index] ?? 0) + 1 : Math.max(previous[index + 1] ?? 0, current[index] ?? 0));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** Length of the longest run of `a` that stands unbroken in `b`. */
export function commonRun(a: readonly string[], b: readonly string[]): number {
  let best = 0;
  let previous = new Array<number>(b.length + 1).fill(0);
  for (const left of a) {
    const current = [0];
    for (const [index, right] of b.entries()) {
      const run = left === right ? (previous[index] ?? 0) + 1 : 0;
      current.push(run);
      if (run > best) best = run;
    }
    previous = current;
  }
  return best;
}

export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
