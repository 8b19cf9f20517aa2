/** Cuts a passage into the statements that a claim is compared with: sentences, items and rows. */
import { memoize } from "../support/cache.js";
import { analyse, type Token } from "../text/analyse.js";
import { idf } from "../text/background.js";
import { unitsOf } from "./passage-units.js";
import { cellsOf, plainText, rowLine } from "./plain-text.js";
import { quantitiesIn, type Quantity } from "./quantities.js";

export interface Fact {
  /** Without markup; a row with the heads of its columns. */
  readonly text: string;
  readonly tokens: readonly Token[];
  /** Content terms. */
  readonly terms: ReadonlySet<string>;
  readonly quantities: readonly Quantity[];
}

/** Of a text on one line. */
export const factOf: (text: string) => Fact = memoize({
  compute: (text) => {
    const tokens = analyse(text);
    const terms = new Set(tokens.flatMap(({ stop, term }) => (stop ? [] : [term])));
    return { text, tokens, terms, quantities: quantitiesIn(text) };
  },
});

/** In reading order. */
export const factsOf: (passage: string) => readonly Fact[] = memoize({
  compute: (passage) => {
    let heads: string[] = [];
    return unitsOf(passage).flatMap(({ kind, text }) => {
      if (kind === "columns") heads = cellsOf(text).map(plainText);
      if (kind === "columns") return [];
      const isRow = kind === "row";
      return factOf(isRow ? rowLine(heads, cellsOf(text).map(plainText)) : plainText(text));
    });
  },
});

/**
 * Returns the facts that share most with a claim, by rarity of the terms, best first, each with the
 * one behind it, which may go on with "it".
 */
export function nearestFacts(claim: Fact, facts: readonly Fact[], most: number): Fact[] {
  const nearest = facts
    .map((fact, index) => ({ index, shared: sharedMass(claim, fact) }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, most);
  return [...new Set(nearest.flatMap(({ index }) => facts.slice(index, index + 2)))];
}

function sharedMass(claim: Fact, { terms }: Fact): number {
  let mass = 0;
  for (const term of claim.terms) if (terms.has(term)) mass += idf(term);
  return mass;
}
