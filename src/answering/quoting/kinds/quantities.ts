/** Quantities with what they measure: "9.4 kg" is a mass, "every three months" a frequency. English, German, French, Spanish and Chinese. */
import type { QuantityKind } from "./quantity-units.js";
import { behindCount, FREQUENCY_BEFORE, standingAlone } from "./quantity-units.js";

/** A quantity as it stands in the text. */
export interface FoundQuantity {
  kind: QuantityKind;
  start: number;
  end: number;
}

const FIGURES = "[-−]?\\d+(?:[.,'’\\u00a0\\u202f]\\d+)*";
const WORDS =
  "(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-[a-z]+)?|" +
  "hundreds?|thousands?|half an?|several|many|few|ein(?:e[nmrs]?)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|hundert|tausend|mehrere|" +
  "une?|deux|trois|quatre|cinq|sept|huit|neuf|dix|douze|quinze|vingt|trente|cent|mille|plusieurs|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|quince|" +
  "veinte|treinta|cien|mil|varios)";
const SCALE =
  "(?:\\s?(?:hundred|thousand|million(?:en|s)?|millones|(?:b|tr)illion|milliarden?|milliards?)(?![a-zäöü])(?:\\s(?:de\\s|d[’']))?)?";
const HAN = "(?:\\d[\\d.,]*|[零〇一二两三四五六七八九十百千万亿半几]+)[百千万亿]*(?:多|余)?个?";

/** In small letters: patterns in any case take ten times as long to be made ready. */
const COUNT = new RegExp(
  `(?<![a-zäöüß\\d])(?:${FIGURES}|${WORDS}(?![\\p{L}\\d]))${SCALE}|${HAN}`,
  "gu",
);
/** Between two counts with one unit: "23 and 29 °C". */
const JOINS = /^\s?(?:-|–|×|x|to|and|or|bis|und|oder|à|et|ou|a|y|o|到|至)\s?$/u;

/** Quantities of these kinds in order; one stretch may be of several ("two years": a duration and an age). Pure. */
export function quantitiesIn(text: string, kinds: readonly QuantityKind[]): FoundQuantity[] {
  // A letter that grows when it is made small would shift all offsets.
  const small = text.toLowerCase();
  const read = small.length === text.length ? small : text;
  const counts = countsIn(read);
  const found = withWhatHides(kinds).flatMap((kind) => [
    ...counts.flatMap((count) => measured(read, count, kind)),
    ...standingAlone(kind).flatMap((pattern) =>
      [...read.matchAll(pattern)].map(({ index, 0: match }) => ({
        kind,
        start: index,
        end: index + match.trimEnd().length,
      })),
    ),
  ]);
  return found
    .filter(
      (one) =>
        kinds.includes(one.kind) &&
        !found.some(
          (other) => isWithin(one, other) && (other.kind === one.kind || hides(other, one)),
        ),
    )
    .sort((a, b) => a.start - b.start);
}

interface Stretch {
  start: number;
  end: number;
}

function countsIn(text: string): Stretch[] {
  const counts: Stretch[] = [];
  for (const { index, 0: match } of text.matchAll(COUNT)) {
    const before = counts.at(-1);
    const joins =
      before !== undefined &&
      JOINS.test(text.slice(before.end, index)) &&
      isOneSpan(text.slice(before.start, before.end), match);
    const start = joins ? before.start : index;
    counts.push({ start, end: index + match.trimEnd().length });
  }
  return counts;
}

/** "From 90 % in 2004 to 60 %": a year and a share are no span. */
function isOneSpan(before: string, count: string): boolean {
  return !/^[12]\d{3}$/u.test(before) || /^[12]\d{3}\s*$/u.test(count);
}

/** The quantity that a count makes with what stands behind it. */
function measured(text: string, { start, end }: Stretch, kind: QuantityKind): FoundQuantity[] {
  return behindCount(kind).flatMap((pattern) => {
    pattern.lastIndex = end;
    const match = pattern.exec(text);
    if (match === null) return [];
    const found = { kind, start, end: end + match[0].trimEnd().length };
    if (kind !== "frequency" || match.groups?.period === undefined) return [found];
    // "Three months" are a duration, "every three months" a frequency.
    const lead = FREQUENCY_BEFORE.exec(text.slice(Math.max(0, start - 20), start));
    return lead === null ? [] : [{ ...found, start: start - lead[0].length }];
  });
}

/** The kinds with those whose quantities hold some of theirs. */
function withWhatHides(kinds: readonly QuantityKind[]): QuantityKind[] {
  return [...new Set(kinds.flatMap((kind) => [kind, ...(HIDDEN_IN[kind] ?? [])]))];
}

/** "9 square metres" is no length, "24 kilometres per hour" neither, and "every three months" lasts no three months. */
const HIDDEN_IN: Readonly<Partial<Record<QuantityKind, readonly QuantityKind[]>>> = {
  length: ["area", "speed"],
  duration: ["frequency"],
  age: ["frequency"],
};

function hides(other: FoundQuantity, one: FoundQuantity): boolean {
  return HIDDEN_IN[one.kind]?.includes(other.kind) === true;
}

function isWithin(one: FoundQuantity, other: FoundQuantity): boolean {
  return (
    other.start <= one.start &&
    one.end <= other.end &&
    other.end - other.start > one.end - one.start
  );
}
