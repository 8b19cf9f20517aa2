/** How much of a claim stands in the evidence, and where: the raw material of the features and of the contradiction rules. */
import { analyse } from "../../text/analyse.js";
import { idf } from "../../text/background.js";
import type { PreparedSentence, PreparedText } from "./prepared-text.js";
import { WINDOW_SENTENCES } from "./prepared-text.js";

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

/** The claim alone: `[3]` behind it is no part of it, nor is the number of an item in a list. */
export function bareClaim(claim: string): string {
  return claim
    .replace(/\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\]/gu, " ")
    .replace(/(^|\n)\s*\d{1,2}(?:[.)]\s|\s*$)/gu, "$1 ");
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
export function bestWindow(
  terms: ClaimTerms,
  evidence: readonly PreparedText[],
  size = WINDOW_SENTENCES,
): EvidenceWindow | undefined {
  if (terms.mass === 0) return undefined;
  let best: EvidenceWindow | undefined;
  const weights = [...terms.weights.values()];
  for (const [index, text] of evidence.entries()) {
    const count = text.sentences.length;
    const stands = [...terms.weights.keys()].map((term) => {
      const row = new Uint8Array(count);
      for (const place of text.places.get(term) ?? []) row[place] = 1;
      return row;
    });
    const covered = new Uint8Array(weights.length);
    for (let from = 0; from < count; from += 1) {
      covered.fill(0);
      for (let length = 1; length <= size && from + length <= count; length += 1) {
        let mass = 0;
        for (let at = 0; at < weights.length; at += 1) {
          if (stands[at]?.[from + length - 1] === 1) covered[at] = 1;
          if (covered[at] === 1) mass += weights[at] ?? 0;
        }
        const coverage = mass / terms.mass;
        const gain = coverage - (best?.coverage ?? 0);
        const shorter = best !== undefined && gain > -1e-9 && length < best.sentences.length;
        if (gain > 1e-9 || shorter)
          best = {
            evidence: index,
            sentences: text.sentences.slice(from, from + length),
            coverage,
          };
      }
    }
  }
  return best;
}

/** Length of the longest run of `a` that stands unbroken in `b`. */
export function commonRun(a: readonly string[], b: readonly string[]): number {
  let best = 0;
  // Of the runs that end at the word before in `a`, the length of each by where it ends in `b`; read from the back, so that one row does.
  const runs = new Uint32Array(b.length + 1);
  for (const left of a) {
    for (let at = b.length; at > 0; at -= 1) {
      const run = left === b[at - 1] ? (runs[at - 1] ?? 0) + 1 : 0;
      runs[at] = run;
      if (run > best) best = run;
    }
  }
  return best;
}

/** The sum of any numbers; 0 of none. */
export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
