/**
 * Checks the numbers of a claim: each is in a source, in this or another unit, or follows by
 * one step of arithmetic from those near the words of the claim, or from what follows so.
 */
import { memoize, once } from "../support/cache.js";
import { contentTerms, idf } from "../text/analyse.js";
import { notationOf, type Notation } from "../text/literals.js";
import { wordsOf } from "../text/words.js";
import { follows } from "./arithmetic.js";
import { unitsOf } from "../text/sentences.js";
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
const NAMES: Readonly<Record<string, string>> = { date: "date", clock: "time" };

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
    readonly stated: readonly Statements[];
    /** What the claim cites: only with these numbers is computed. */
    readonly near: readonly Statements[];
  },
): Figures {
  if (claim.quantities.length === 0) return { absent: [], misread: [], isComputed: false };
  const absent: string[] = [];
  const misread: string[] = [];
  const known = claim.quantities.map((quantity) => {
    const before = claim.text.slice(Math.max(0, quantity.start - 40), quantity.start);
    const words = wordsOf(before.toLowerCase());
    const isRounded = [-1, -2].some((from) => ROUNDED.has(words.slice(from).join(" ")));
    const looseness = isRounded ? LOOSENESS : 0;
    const inUnits = (each: Quantity): boolean => isSame(quantity, each, looseness);
    // Parts of codes, versions and formatted data.
    const mayBeRun = UNMEASURED.has(quantity.dimension) && !quantity.per;
    const isRun = ({ runs }: Statements): boolean => mayBeRun && runs.has(quantity.text);
    const standsIn = (all: readonly Statements[]): boolean =>
      all.some((each) => isRun(each) || each.quantities.some(inUnits));
    const isAlike = (each: Quantity): boolean => inUnits(each) && isWrittenAlike(quantity, each);
    const isStated = standsIn(sources.stated);
    const isConverted =
      isStated && !sources.stated.some((each) => isRun(each) || each.quantities.some(isAlike));
    return { quantity, isRounded, isStated, isConverted, isNear: standsIn(sources.near) };
  });
  const said = known.flatMap(({ quantity, isStated }) =>
    isStated || isCount(quantity) ? [quantity] : [],
  );
  const operands = once(() =>
    nearestFacts(claim, sources.near, NEAREST)
      .flatMap(({ quantities }) => quantities)
      .slice(0, OPERANDS),
  );
  /** What follows so far, such as the sum of which another number is a share. */
  const computed: Quantity[] = [];
  for (const { quantity, isRounded, isStated, isNear } of known) {
    if (isNear || isCount(quantity)) continue;
    const others = said.filter((each) => each !== quantity);
    const isRepeated = others.some((other) => !isCount(other) && isSame(quantity, other));
    const looseness = isRounded ? COMPUTED_LOOSENESS : 0;
    const all = isStated ? [] : sources.stated.flatMap(({ quantities }) => quantities);
    const twin = all.find((each) => isMisread(quantity, each));
    const given = (): Quantity[] => [...operands(), ...computed.slice(-1)];
    if (isRepeated || (!twin && follows(quantity, given(), others, looseness)))
      computed.push(quantity);
    else if (twin !== undefined) misread.push(`${quantity.text}: a source says ${twin.text}`);
    else if (!isStated)
      absent.push(`the ${NAMES[quantity.dimension] ?? "number"} ${quantity.text}`);
  }
  const isComputed = computed.length > 0 || known.some(({ isConverted }) => isConverted);
  return { absent, misread, isComputed };
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

/** The same number of another unit: 41 feet for 41 metres. */
function isMisread(claimed: Quantity, stated: Quantity): boolean {
  if (claimed.value !== stated.value) return false;
  if (claimed.dimension === "")
    return claimed.per !== stated.per && claimed.noun !== undefined && claimed.noun === stated.noun;
  const isCurrency = CURRENCIES.has(claimed.dimension) && CURRENCIES.has(stated.dimension);
  return claimed.dimension === stated.dimension || isCurrency;
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
export const factOf = memoize<Fact, Notation>({
  compute: (text, notation) => {
    return { text, terms: new Set(contentTerms(text)), quantities: quantitiesIn(text, notation) };
  },
});

/** In reading order. */
export const factsOf: (text: string, blocks?: string) => readonly Fact[] = memoize({
  compute: (passage, blocks) => {
    let heads: string[] = [];
    const notation = notationOf(passage);
    return unitsOf({ text: passage, blocks }).flatMap(({ kind, text }) => {
      if (kind === "columns") heads = cellsOf(text);
      if (kind === "columns") return [];
      return factOf(kind === "row" ? plainRow(heads, text) : plainText(text), notation);
    });
  },
});

/** Facts with what is looked up in them for every claim. */
export interface Statements {
  readonly facts: readonly Fact[];
  /** Each once. */
  readonly quantities: readonly Quantity[];
  /** Digits side by side. */
  readonly runs: ReadonlySet<string>;
  /** Places of the facts that hold a term. */
  readonly places: ReadonlyMap<string, readonly number[]>;
}

export function statementsOf(facts: readonly Fact[]): Statements {
  const quantities = new Map<string, Quantity>();
  const runs = new Set<string>();
  const places = new Map<string, number[]>();
  for (const [place, fact] of facts.entries()) {
    for (const quantity of fact.quantities)
      quantities.set(JSON.stringify({ ...quantity, start: 0, end: 0 }), quantity);
    for (const run of fact.text.match(DIGITS) ?? []) runs.add(run);
    for (const term of fact.terms) {
      const others = places.get(term);
      if (others === undefined) places.set(term, [place]);
      else others.push(place);
    }
  }
  return { facts, quantities: [...quantities.values()], runs, places };
}

/**
 * Returns the facts that share most with a claim, by rarity of the terms, best first, then those
 * behind them, which may go on with "it"; if none shares anything, the first: "1 EUR = 1.08 USD".
 */
export function nearestFacts(claim: Fact, sources: readonly Statements[], most: number): Fact[] {
  const measured: { shared: number; fact: Fact; behind: readonly Fact[] }[] = [];
  for (const { facts, places } of sources) {
    const masses = new Float64Array(facts.length);
    for (const term of claim.terms)
      for (const place of places.get(term) ?? []) masses[place] = (masses[place] ?? 0) + idf(term);
    for (const [place, fact] of facts.entries()) {
      const shared = masses[place] ?? 0;
      if (shared <= (measured[most - 1]?.shared ?? -1)) continue;
      measured.push({ shared, fact, behind: facts.slice(place + 1, place + 2) });
      measured.sort((one, other) => other.shared - one.shared).splice(most);
    }
  }
  const sharing = measured.filter(({ shared }) => shared > 0);
  const nearest = sharing.length > 0 ? sharing : measured;
  const behind = nearest.flatMap((each) => each.behind);
  return [...new Set([...nearest.map(({ fact }) => fact), ...behind])];
}
