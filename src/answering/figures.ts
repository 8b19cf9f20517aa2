/**
 * Checks the numbers of a claim: each stands in a source, in this or another unit, or follows by one
 * step of arithmetic from those that stand near the words of the claim.
 */
import { wordsOf } from "../text/words.js";
import { follows } from "./arithmetic.js";
import { nearestFacts, type Fact } from "./facts.js";
import { isSame, type Quantity } from "./quantities.js";

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
const COMPUTED_LOOSENESS = 0.02;
/** Facts whose numbers are computed with, and numbers at most. */
const NEAREST = 3;
const OPERANDS = 10;

const DIGITS = /\d+/gu;
const UNMEASURED = new Set(["", "date"]);
const CURRENCIES = new Set("euro dollar sterling yen crown franc yuan".split(" "));

export interface Figures {
  /** In no source: `the number 42`. */
  readonly absent: readonly string[];
  /** In a source, but of another unit: `41 feet: a source says 41 metres`. */
  readonly misread: readonly string[];
  /** In no source, but following from one by arithmetic; as written. */
  readonly computed: readonly string[];
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
  if (claim.quantities.length === 0) return { absent: [], misread: [], computed: [] };
  const absent: string[] = [];
  const misread: string[] = [];
  const computed: string[] = [];
  const stated = sources.stated.flatMap(({ quantities }) => quantities);
  const runs = new Set(sources.stated.flatMap(({ text }) => text.match(DIGITS) ?? []));
  const known = claim.quantities.map((quantity) => {
    const isRounded = isApproximate(claim.text, quantity);
    // Parts of codes, versions and formatted data.
    const isRun = UNMEASURED.has(quantity.dimension) && !quantity.per && runs.has(quantity.text);
    const isStated =
      isRun || stated.some((each) => isSame(quantity, each, isRounded ? LOOSENESS : 0));
    return { quantity, isRounded, isStated };
  });
  const said = known.flatMap(({ quantity, isStated }) =>
    isStated || isCount(quantity) ? [quantity] : [],
  );
  for (const { quantity, isRounded, isStated } of known) {
    if (isStated || isCount(quantity)) continue;
    const twin = stated.find((each) => isMisread(quantity, each));
    if (twin !== undefined) {
      misread.push(`${quantity.text}: a source says ${twin.text}`);
      continue;
    }
    const operands = nearestFacts(claim, sources.near, NEAREST)
      .flatMap(({ quantities }) => quantities)
      .slice(0, OPERANDS);
    const others = said.filter((each) => each !== quantity);
    const looseness = isRounded ? COMPUTED_LOOSENESS : 0;
    if (follows(quantity, operands, others, looseness)) computed.push(quantity.text);
    else absent.push(`the ${nameOf(quantity)} ${quantity.text}`);
  }
  return { absent, misread, computed };
}

function isCount({ dimension, value, per }: Quantity): boolean {
  if (value === 1) return true;
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
