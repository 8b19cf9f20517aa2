/** A claim laid against every run of sentences of its evidence, words of one family counted as nearly equal. */
import type { ClaimTerms } from "./claim-overlap.js";
import { kinship, FAMILY_LETTERS } from "./kinship.js";
import type { PreparedSentence, PreparedText } from "./prepared-text.js";
import { termWeight, WINDOW_SENTENCES } from "./prepared-text.js";

/** The beginning of a text names what it is about: a word found only there counts this much. */
const BEGINNING = 0.7;
/**
 * The best of many runs covers some of any claim by chance. Chance grows with the logarithm of their number, in the unit of the weights; words
 * on the same topic are likelier than rarity says, hence more than 1 (chosen on labelled claims, anything from 1 to 3 does nearly as well).
 */
const CHANCE = 2;
/** Coverage of the claim counts this many times as much as precision of the run (the β of an F-measure). */
const COVERAGE_OVER_PRECISION = 2;

export interface ClaimAlignment {
  /**
   * −1 to 1: share of the claim, weighted by rarity, that the best run of sentences covers, less what the best of so many in its text covers by
   * chance. Other texts beside it take nothing from it: an answer may have many sources.
   */
  information: number;
  /** 0–1: F-measure of the run that matches best, neither leaving out much of the claim nor saying much else. */
  agreement: number;
  /** The run that covers most; empty when nothing matches. */
  window: readonly PreparedSentence[];
  /** The single sentence that covers most. */
  sentence: PreparedSentence | undefined;
}

/** Lays a claim along evidence texts. Without evidence `information` is −1 and the window empty. */
export function alignClaim(terms: ClaimTerms, evidence: readonly PreparedText[]): ClaimAlignment {
  const names = [...terms.weights.keys()];
  const weights = names.map(termWeight);
  const mass = weights.reduce((total, weight) => total + weight, 0);
  const found: ClaimAlignment = { information: -1, agreement: 0, window: [], sentence: undefined };
  let [covered, coveredAlone] = [0, 0];
  for (const text of evidence) {
    const count = text.sentences.length;
    const matches = names.map((term) => matchesOf(term, text));
    let coveredHere = 0;
    for (let from = 0; from < count; from += 1) {
      const best = matches.map((row) => BEGINNING * (row[0] ?? 0));
      for (let extra = 0; extra < WINDOW_SENTENCES && from + extra < count; extra += 1) {
        let sum = 0;
        for (let index = 0; index < matches.length; index += 1) {
          const here = matches[index]?.[from + extra] ?? 0;
          if (here > (best[index] ?? 0)) best[index] = here;
          sum += (weights[index] ?? 0) * (best[index] ?? 0);
        }
        if (extra === 0 && sum > coveredAlone)
          [coveredAlone, found.sentence] = [sum, text.sentences[from]];
        if (sum > coveredHere) coveredHere = sum;
        if (sum > covered + 1e-9)
          [covered, found.window] = [sum, text.sentences.slice(from, from + extra + 1)];
        found.agreement = Math.max(
          found.agreement,
          fMeasure(sum, mass, text.windowMass[extra]?.[from] ?? 0),
        );
      }
    }
    if (mass > 0)
      found.information = Math.max(
        found.information,
        (coveredHere - CHANCE * Math.log(1 + count)) / mass,
      );
  }
  return found;
}

/** How well each sentence matches a term, 0–1. */
function matchesOf(term: string, text: PreparedText): Float64Array {
  const row = new Float64Array(text.sentences.length);
  for (const other of text.families.get(term.slice(0, FAMILY_LETTERS)) ?? []) {
    const match = kinship(term, other);
    if (match === 0 || match === 1) continue;
    for (const place of text.places.get(other) ?? []) row[place] = Math.max(row[place] ?? 0, match);
  }
  for (const place of text.places.get(term) ?? []) row[place] = 1;
  return row;
}

function fMeasure(matched: number, claimMass: number, windowMass: number): number {
  if (matched === 0 || claimMass === 0 || windowMass === 0) return 0;
  const recall = matched / claimMass;
  const precision = Math.min(1, matched / windowMass);
  const emphasis = COVERAGE_OVER_PRECISION ** 2;
  return ((1 + emphasis) * recall * precision) / (recall + emphasis * precision);
}
