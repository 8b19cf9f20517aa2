/**
 * Decides if a number follows from others by one step: a sum, difference, product, share,
 * ratio, duration between dates or times, or a rate. Few operands only: among many, chance would
 * find a way to any number.
 */
import { baseOf, CURRENCIES, isComparable, states, type Quantity } from "./quantities.js";

const YEAR = 31_557_600;
const DAY = 86_400;
const MINUTE = 60;

/**
 * @param stated what the sources say
 * @param said what else the claim says, such as the "three" of "three nights cost 540 crowns"
 */
export function follows(
  claimed: Quantity,
  stated: readonly Quantity[],
  said: readonly Quantity[] = [],
): boolean {
  const fits = (base: number): boolean => states(claimed, base);
  const moments = said.filter(({ date, dimension }) => date !== undefined || dimension === "clock");
  const terms = [...stated, ...moments];
  const results = terms.flatMap((one, index) =>
    terms.slice(index + 1).flatMap((other) => pairResults(claimed, one, other)),
  );
  return (
    [...results, ...totalsOf(claimed, stated)].some(fits) ||
    stated.some((each) =>
      [...said, ...stated].some(
        (other) => other !== each && productsOf(each, other, claimed).some(fits),
      ),
    ) ||
    [...proportions(claimed, stated, said), ...exchanged(claimed, stated, said)].some(fits)
  );
}

/** Values in base units that two quantities give without a multiplication. */
function pairResults(claimed: Quantity, one: Quantity, other: Quantity): number[] {
  const { dimension } = claimed;
  if (one.date !== undefined && other.date !== undefined)
    return dimension === "time" || dimension === "" ? durations(claimed, one, other) : [];
  if (one.dimension === "clock" && other.dimension === "clock") {
    const apart = Math.abs(one.value - other.value);
    return dimension === "time" ? [apart * MINUTE, (1440 - apart) * MINUTE] : [];
  }
  const [moment, span] = one.dimension === "time" ? [other, one] : [one, other];
  if (span.dimension === "time" && moment.date !== undefined) {
    const years = baseOf(span) / YEAR;
    return dimension === "date" ? [moment.value - years, moment.value + years].map(Math.floor) : [];
  }
  if (span.dimension === "time" && moment.dimension === "clock") {
    const minutes = baseOf(span) / MINUTE;
    const ends = [moment.value + minutes, moment.value - minutes];
    return dimension === "clock" ? ends.map((each) => (each + 1440) % 1440) : [];
  }
  if (one.dimension !== other.dimension || !isComparable(one, other)) return [];
  const [a, b] = [baseOf(one), baseOf(other)];
  if (dimension === "share" && one.dimension !== "share")
    return [a / b, b / a, (b - a) / a, (a - b) / b].map((each) => Math.abs(100 * each));
  if (dimension === one.dimension) {
    // Half of a temperature is none, but two of them may be apart by some degrees.
    const shift = dimension === "temperature" ? claimed.offset : 0;
    const isOther = one.noun === undefined || one.noun !== other.noun;
    const ratios = dimension === "" && isOther ? [a / b, b / a] : [];
    // "One crown is 0.64 euros" states a rate, and nothing to add.
    const isRate = [one, other].some(({ value }) => value === 1);
    // 7 and 2.10 are 9.10, and not 9.
    const digit = Math.min(one.tolerance * one.factor, other.tolerance * other.factor);
    const isCoarse = claimed.tolerance * claimed.factor > digit * 1.000001;
    const sums = [a + b, Math.abs(a - b) + shift].filter(
      (sum) => !isCoarse || sum === baseOf(claimed),
    );
    return isRate ? ratios : [...sums, ...ratios];
  }
  return dimension === "" && claimed.noun === undefined ? [a / b, b / a] : [];
}

/** The sum of three or more quantities of a kind, all that there are: a column, a list. */
function totalsOf(
  { dimension, tolerance, factor }: Quantity,
  stated: readonly Quantity[],
): number[] {
  if (["date", "clock", "temperature"].includes(dimension)) return [];
  const alike = stated.filter((each) => each.dimension === dimension && each.per === undefined);
  return [...new Set(alike.map(({ noun }) => noun))].flatMap((noun) => {
    const parts = alike.filter((each) => each.noun === noun);
    const digit = Math.min(...parts.map((each) => each.tolerance * each.factor));
    const isCoarse = tolerance * factor > digit * 1.000001;
    return parts.length < 3 || isCoarse ? [] : [parts.reduce((sum, each) => sum + baseOf(each), 0)];
  });
}

/** What lies between two dates, in seconds; an age is counted in whole years. */
function durations(claimed: Quantity, one: Quantity, other: Quantity): number[] {
  const apart = Math.abs(one.value - other.value);
  const isExact = [one, other].every(({ date }) => date?.day !== undefined && date.year);
  const years = isExact ? [Math.floor(apart)] : [Math.floor(apart), Math.ceil(apart), apart - 1];
  if (claimed.dimension === "") return claimed.noun === undefined ? years : [];
  if (claimed.factor >= YEAR) return [...years, apart].map((each) => each * YEAR);
  return isExact ? [apart * YEAR, Math.round(apart * 365.25) * DAY] : [];
}

/** A count or a share of a quantity, or a rate times a duration. */
function productsOf(one: Quantity, other: Quantity, claimed: Quantity): number[] {
  if (one.date !== undefined || ["date", "clock", "temperature"].includes(one.dimension)) return [];
  const base = baseOf(one);
  // 60 litres at 15 litres a minute take 4 minutes.
  const isFlow = claimed.dimension === "time" && one.dimension === other.dimension;
  if (isFlow && other.per !== undefined) return [(base * other.per) / baseOf(other)];
  if (one.dimension !== claimed.dimension) return [];
  if (other.dimension === "share") {
    const share = other.value / 100;
    return [base * share, base * (1 - share), base * (1 + share)];
  }
  if (other.dimension === "" && other.value > 1) return [base * other.value, base / other.value];
  if (other.dimension === "time" && one.per !== undefined)
    return [(base * baseOf(other)) / one.per];
  return [];
}

/**
 * If `one` stands beside `other`, as in "a crown is 0.64 euros", more of one is more of the
 * other.
 */
function proportions(
  claimed: Quantity,
  stated: readonly Quantity[],
  said: readonly Quantity[],
): number[] {
  const target = stated.filter(({ dimension }) => dimension === claimed.dimension);
  return target.flatMap((result) =>
    stated.flatMap((unit) => {
      if (unit === result || unit.value === 0 || unit.date !== undefined) return [];
      const isUnit = unit.value === 1 && unit.dimension !== "";
      const amounts = isUnit ? [...stated, ...said] : said;
      return amounts
        .filter((amount) => amount !== unit && isAlike(amount, unit))
        .map((amount) => (baseOf(result) * baseOf(amount)) / baseOf(unit));
    }),
  );
}

/** Amounts of another currency at a rate without its unit: "EUR/USD 1.0843". */
function exchanged(
  { dimension }: Quantity,
  stated: readonly Quantity[],
  said: readonly Quantity[],
): number[] {
  if (!CURRENCIES.has(dimension)) return [];
  const rates = stated.filter(
    (each) => ["", dimension].includes(each.dimension) && !Number.isInteger(each.value),
  );
  return said
    .filter((each) => CURRENCIES.has(each.dimension) && each.dimension !== dimension)
    .flatMap((amount) =>
      rates.flatMap(({ value }) => [baseOf(amount) * value, baseOf(amount) / value]),
    );
}

function isAlike(one: Quantity, other: Quantity): boolean {
  return (
    one.dimension === other.dimension &&
    (one.dimension !== "" || (one.noun !== undefined && one.noun === other.noun))
  );
}
