/**
 * Checks the numbers of a claim: each is in a source, in this or another unit, or follows by
 * one step of arithmetic from those near the words of the claim, or from what follows so.
 */
import { memoize, once } from "../support/cache.js";
import { contentTerms, idf } from "../text/analyse.js";
import { notationOf, type Notation } from "../text/literals.js";
import { follows } from "./arithmetic.js";
import { unitsOf } from "../text/sentences.js";
import { cellsOf, plainRow, plainText } from "./plain-text.js";
import { isSame, quantitiesIn, type Quantity } from "./quantities.js";

/** Small whole numbers only count things: "two ways", "step 3". */
const COUNTS_UP_TO = 12;
/** Facts whose numbers are computed with, and numbers at most. */
const NEAREST = 4;
const OPERANDS = 12;

const DIGITS = /\d+/gu;
const UNMEASURED = new Set(["", "date"]);
const NAMES: Readonly<Record<string, string>> = { date: "date", clock: "time" };

export interface Figures {
  /** In no source, or of another unit there: `the number 42`. */
  readonly absent: readonly string[];
  /** True if a number appears in a source in another unit, or follows from its numbers. */
  readonly isComputed: boolean;
}

/**
 * @param stated all that is known, the question too
 * @param near what the claim cites: only with these numbers is computed
 */
export function checkFigures(
  claim: Fact,
  { stated, near }: Readonly<Record<"stated" | "near", readonly Statements[]>>,
): Figures {
  const absent: string[] = [];
  /** What follows so far, such as the sum of which another number is a share. */
  const computed: Quantity[] = [];
  let isConverted = false;
  const operands = once(() =>
    nearestFacts(claim, near, NEAREST)
      .flatMap(({ quantities }) => quantities)
      .slice(0, OPERANDS),
  );
  /** "12 months cost 240 euros", where a month costs 20. */
  const hasTotal = (span: Quantity): boolean =>
    span.dimension === "time" &&
    operands().some(
      (rate) => rate.per && claim.quantities.some((total) => follows(total, [rate], [span])),
    );
  const said = claim.quantities.filter(
    (each) => isCount(each) || standsIn(each, stated) || hasTotal(each),
  );
  for (const quantity of claim.quantities) {
    if (isCount(quantity)) continue;
    const isStated = said.includes(quantity);
    if (isStated && !standsIn(quantity, stated, isWrittenAlike)) isConverted = true;
    if (standsIn(quantity, near)) continue;
    const others = said.filter((each) => each !== quantity);
    const isRepeated = others.some((other) => !isCount(other) && isSame(quantity, other));
    if (isRepeated || follows(quantity, [...operands(), ...computed.slice(-1)], others))
      computed.push(quantity);
    else if (!isStated)
      absent.push(`the ${NAMES[quantity.dimension] ?? "number"} ${quantity.text}`);
  }
  return { absent, isComputed: isConverted || computed.length > 0 };
}

/** True for a number that a source has, or for digits side by side there, as in a code. */
function standsIn(
  quantity: Quantity,
  sources: readonly Statements[],
  isAlike: (one: Quantity, other: Quantity) => boolean = isSame,
): boolean {
  const mayBeRun = UNMEASURED.has(quantity.dimension) && !quantity.per;
  return sources.some(
    ({ runs, quantities }) =>
      (mayBeRun && runs.has(quantity.text)) || quantities.some((each) => isAlike(quantity, each)),
  );
}

/** True for the same number in the same unit; "6 pm" is written differently from "18:00". */
function isWrittenAlike(one: Quantity, other: Quantity): boolean {
  if (!isSame(one, other) || one.per !== other.per) return false;
  if (one.date !== undefined || one.dimension === "" || other.dimension === "") return true;
  if (one.dimension === "clock") return one.text === other.text;
  return one.value === other.value && one.factor === other.factor && one.isSum === other.isSum;
}

function isCount({ dimension, value, per, isWord }: Quantity): boolean {
  if (value === 1 || isWord === true) return true;
  return dimension === "" && per === undefined && Number.isInteger(value) && value <= COUNTS_UP_TO;
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
