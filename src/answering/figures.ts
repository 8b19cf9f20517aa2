/**
 * Checks the numbers of a claim: each is in a source, in this or another unit, or follows by
 * one step of arithmetic from those near the words of the claim.
 */
import { memoize } from "../support/cache.js";
import { contentTerms, idf } from "../text/analyse.js";
import { wordsOf } from "../text/words.js";
import { follows } from "./arithmetic.js";
import { unitsOf } from "./passage-units.js";
import { cellsOf, plainRow, plainText } from "./plain-text.js";
import { CURRENCIES, isSame, quantitiesIn, type Quantity } from "./quantities.js";

/** Small whole numbers only count things: "two ways", "step 3". */
const COUNTS_UP_TO = 12;
/** Behind these words a number may differ a little. */
const ROUNDED = new Set(
  "about around approximately approx roughly nearly almost over some circa ca etwa rund environ"
    .split(" ")
    .concat("more than", "less than", "up to"),
);
const LOOSENESS = 0.06;
/** The same for a number that is computed. */
const COMPUTED_LOOSENESS = 0.03;
/** Facts whose numbers are computed with, and numbers at most. */
const NEAREST = 4;
const OPERANDS = 12;

const DIGITS = /\d+/gu;
const UNMEASURED = new Set(["", "date"]);

export interface Figures {
  /** In no source: `the number 42`. */
  readonly absent: readonly string[];
  /** In a source, but of another unit: `41 feet: a source says 41 metres`. */
  readonly misread: readonly string[];
  /** True if a number appears in a source in another unit, or follows from its numbers. */
  readonly isComputed: boolean;
}

export function checkFigures(
  claim: Fact,
  sources: {
    /** All that is known, the question too. */
    readonly stated: readonly Fact[];
    /** What the claim cites: only with these numbers is computed. */
    readonly near: readonly Fact[];
  },
): Figures {
  if (claim.quantities.length === 0) return { absent: [], misread: [], isComputed: false };
  const absent: string[] = [];
  const misread: string[] = [];
  const stated = numbersOf(sources.stated);
  const near = numbersOf(sources.near);
  const known = claim.quantities.map((quantity) => {
    const isRounded = isApproximate(claim.text, quantity);
    const looseness = isRounded ? LOOSENESS : 0;
    const inUnits = (each: Quantity): boolean => isSame(quantity, each, looseness);
    // Parts of codes, versions and formatted data.
    const mayBeRun = UNMEASURED.has(quantity.dimension) && !quantity.per;
    const standsIn = ({ quantities, runs }: Numbers): boolean =>
      (mayBeRun && runs.has(quantity.text)) || quantities.some(inUnits);
    const isStated = standsIn(stated);
    const isConverted =
      isStated &&
      !(mayBeRun && stated.runs.has(quantity.text)) &&
      !stated.quantities.some((each) => inUnits(each) && isWrittenAlike(quantity, each));
    return { quantity, isRounded, isStated, isConverted, isNear: standsIn(near) };
  });
  const said = known.flatMap(({ quantity, isStated }) =>
    isStated || isCount(quantity) ? [quantity] : [],
  );
  const operands = nearestFacts(claim, sources.near, NEAREST)
    .flatMap(({ quantities }) => quantities)
    .slice(0, OPERANDS);
  let isComputed = known.some(({ isConverted }) => isConverted);
  for (const { quantity, isRounded, isStated, isNear } of known) {
    if (isNear || isCount(quantity)) continue;
    const others = said.filter((each) => each !== quantity);
    const isRepeated = others.some((other) => !isCount(other) && isSame(quantity, other));
    const looseness = isRounded ? COMPUTED_LOOSENESS : 0;
    const twin = isStated ? undefined : stated.quantities.find((each) => isMisread(quantity, each));
    if (isRepeated || (!twin && follows(quantity, operands, others, looseness))) isComputed = true;
    else if (twin !== undefined) misread.push(`${quantity.text}: a source says ${twin.text}`);
    else if (!isStated) absent.push(`the ${nameOf(quantity)} ${quantity.text}`);
  }
  return { absent, misread, isComputed };
}

interface Numbers {
  readonly quantities: readonly Quantity[];
  /** Digits side by side. */
  readonly runs: ReadonlySet<string>;
}

function numbersOf(facts: readonly Fact[]): Numbers {
  return {
    quantities: facts.flatMap(({ quantities }) => quantities),
    runs: new Set(facts.flatMap(({ text }) => text.match(DIGITS) ?? [])),
  };
}

/** True for the same number in the same unit; "6 pm" is written differently from "18:00". */
function isWrittenAlike(one: Quantity, other: Quantity): boolean {
  if (one.per !== other.per) return false;
  if (one.date !== undefined || one.dimension === "" || other.dimension === "") return true;
  if (one.dimension === "clock") return one.text === other.text;
  return one.value === other.value && one.factor === other.factor && one.isSum === other.isSum;
}

function isCount({ dimension, value, per, isWord }: Quantity): boolean {
  if (value === 1 || isWord === true) return true;
  return dimension === "" && per === undefined && Number.isInteger(value) && value <= COUNTS_UP_TO;
}

function isApproximate(text: string, { start }: Quantity): boolean {
  const before = wordsOf(text.slice(Math.max(0, start - 40), start).toLowerCase());
  return [-1, -2].some((from) => ROUNDED.has(before.slice(from).join(" ")));
}

/** The same number of another unit: 41 feet for 41 metres. */
function isMisread(claimed: Quantity, stated: Quantity): boolean {
  if (claimed.value !== stated.value) return false;
  if (claimed.dimension === "")
    return claimed.per !== stated.per && claimed.noun !== undefined && claimed.noun === stated.noun;
  const isCurrency = CURRENCIES.has(claimed.dimension) && CURRENCIES.has(stated.dimension);
  return claimed.dimension === stated.dimension || isCurrency;
}

function nameOf({ dimension }: Quantity): string {
  if (dimension === "date") return "date";
  return dimension === "clock" ? "time" : "number";
}

/** A statement that a claim is compared with: a sentence, an item or a row. */
export interface Fact {
  /** Without markup; a row with the heads of its columns. */
  readonly text: string;
  /** Content terms. */
  readonly terms: ReadonlySet<string>;
  readonly quantities: readonly Quantity[];
}

/** Of a text on one line. */
export const factOf: (text: string) => Fact = memoize({
  compute: (text) => {
    return { text, terms: new Set(contentTerms(text)), quantities: quantitiesIn(text) };
  },
});

/** In reading order. */
export const factsOf: (text: string, blocks?: string) => readonly Fact[] = memoize({
  compute: (passage, blocks) => {
    let heads: string[] = [];
    return unitsOf({ text: passage, blocks }).flatMap(({ kind, text }) => {
      if (kind === "columns") heads = cellsOf(text);
      if (kind === "columns") return [];
      const isRow = kind === "row";
      return factOf(isRow ? plainRow(heads, text) : plainText(text));
    });
  },
});

/**
 * Returns the facts that share most with a claim, by rarity of the terms, best first, then those
 * behind them, which may go on with "it"; the first facts if none shares anything: "1 EUR = 1.08 USD".
 */
function nearestFacts(claim: Fact, facts: readonly Fact[], most: number): Fact[] {
  const measured = facts.map((fact, index) => ({ fact, index, shared: sharedMass(claim, fact) }));
  const sharing = measured.filter(({ shared }) => shared > 0);
  const nearest = (sharing.length > 0 ? sharing : measured)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, most);
  const behind = nearest.flatMap(({ index }) => facts[index + 1] ?? []);
  return [...new Set([...nearest.map(({ fact }) => fact), ...behind])];
}

function sharedMass(claim: Fact, { terms }: Fact): number {
  let mass = 0;
  for (const term of claim.terms) if (terms.has(term)) mass += idf(term);
  return mass;
}
