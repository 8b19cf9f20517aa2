/** Makes of the unit that answers best a quotation that is understood on its own. */
import { FEW_WORDS, type ReadableUnit } from "./readable-units.js";

/** Verbatim but for its markup, from one place. Offsets in UTF-16 code units of the passage. */
export interface Quotation {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly kind: "sentence" | "list" | "row" | "code";
}

/** Longer lists are quoted by the item; steps make sense only together. */
const MOST_ITEMS = 15;
const LONGEST_LIST = 600;
const LONGEST_STEPS = 1_500;

/**
 * Returns a sentence, a row with its heads, or a whole list or code block with the line that
 * announces it.
 * @param units all of the passage
 */
export function quotationOf(
  unit: ReadableUnit,
  units: readonly ReadableUnit[],
  title: string,
): Quotation {
  const { start, end, shown, antecedent } = unit;
  switch (unit.kind) {
    case "row":
      return { start, end, text: shown, kind: "row" };
    case "sentence":
      return antecedent === undefined
        ? { start, end, text: shown, kind: "sentence" }
        : { start: antecedent.start, end, text: `${antecedent.text} ${shown}`, kind: "sentence" };
    case "lead":
    case "item":
    case "code":
      return blockOf(unit, units, title);
    default:
      return unit.kind satisfies never;
  }
}

function blockOf(unit: ReadableUnit, units: readonly ReadableUnit[], title: string): Quotation {
  const group = units.filter((other) => other.group === unit.group);
  const [first = unit] = group;
  const last = group.at(-1) ?? unit;
  const lead = first.kind === "lead" ? first.shown : undefined;
  const place = { start: first.start, end: last.end };
  if (last.kind === "code") {
    const text = lead === undefined ? last.shown : `${lead}\n\n${last.shown}`;
    return { ...place, text, kind: "code" };
  }
  const items = group.filter(({ kind }) => kind === "item");
  const intro = lead ?? unit.headings.at(-1) ?? title;
  const under = (lines: string): string => (intro === "" ? lines : `${intro}\n\n${lines}`);
  const whole = under(items.map(({ bullet = "-", shown }) => `${bullet} ${shown}`).join("\n"));
  const most = items.every(({ bullet }) => bullet !== "-") ? LONGEST_STEPS : LONGEST_LIST;
  const isShort = items.length <= MOST_ITEMS && whole.length <= most;
  if (unit.kind !== "item" || (isShort && items.length > 1))
    return { ...place, text: whole, kind: "list" };
  const { start, end, bullet = "-", shown } = unit;
  return shown.split(" ").length < FEW_WORDS
    ? { start, end, text: under(`${bullet} ${shown}`), kind: "list" }
    : { start, end, text: shown, kind: "sentence" };
}
