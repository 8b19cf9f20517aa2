/**
 * The answer without a model: one quotation from the passage that answers best, verbatim, with its
 * citation, if its calibrated confidence earns it.
 */
import type { Reader } from "../reader/reader.js";
import type { Evidence } from "../state/evidence.js";
import cutoffs from "./answer-cutoffs.json" with { type: "json" };
import { markSentence } from "./citations.js";
import type { ContextWindow } from "./context-window.js";
import { asQuotation, looksLikeAnOrder } from "./plain-text.js";
import { FEW_WORDS, readPassages, type Read, type ReadableUnit } from "./readable-units.js";

/** Characters of a quotation that can still be read as an answer. */
const MAX_CHARACTERS = 1_500;

/**
 * Returns the quotation with its `[n]`; an empty text if nothing may be asserted.
 * @param read the evidence as it was read already, to cut strips
 * @param leastConfidence below which nothing is asserted; the fitted one by default
 */
export async function extractAnswer({
  question,
  window,
  evidence,
  reader,
  read,
  leastConfidence = cutoffs.answer,
  signal,
}: {
  question: string;
  window: Pick<ContextWindow, "sources">;
  evidence: readonly Evidence[];
  reader: Reader;
  read?: Read;
  leastConfidence?: number;
  signal?: AbortSignal;
}): Promise<string> {
  const { readings, order, confidence } =
    read ?? (await readPassages({ question, items: evidence, reader, signal }));
  if (confidence < leastConfidence) return "";
  const first = evidence.find(({ id }) => id === order[0]?.id);
  const source = window.sources.find(({ evidenceId }) => evidenceId === first?.id);
  const units = readings.get(first?.id ?? "") ?? [];
  const [best] = units.toSorted((a, b) => b.value - a.value);
  if (first === undefined || source === undefined || best === undefined) return "";
  const quotation = quotationOf(best, units, first.title);
  return quotation.text.length > MAX_CHARACTERS ? "" : cited(quotation, source.marker);
}

function cited({ text, kind }: Quotation, marker: number): string {
  // A code block is visibly a quotation.
  if (kind === "code") return `${text}\n\n[${marker}]`;
  return looksLikeAnOrder(text) ? `${asQuotation(text)} [${marker}]` : markSentence(text, [marker]);
}

/** Verbatim but for its markup, from one place. Offsets in UTF-16 code units of the passage. */
interface Quotation {
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
