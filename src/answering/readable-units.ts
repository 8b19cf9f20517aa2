/** Cuts passages into the units that a reader scores, and has them read together. */
import type { PassageReading, Reader } from "../reader/reader.js";
import { asPassage, headingsOf, type Evidence } from "../state/evidence.js";
import type { Range } from "../text/passage-blocks.js";
import { asks, unitsOf, type Unit } from "../text/sentences.js";
import { cellsOf, isLinkOnly, plainRow, plainText } from "./plain-text.js";
import { wordSet } from "../text/words.js";

/** A unit that may be quoted, with its place in the passage. */
export interface ReadableUnit extends Range {
  /** `lead`: a line that announces the list or code block behind it. */
  readonly kind: "sentence" | "lead" | "item" | "row" | "code";
  /** As shown to people: without markup, except in code. */
  readonly display: string;
  /** As it is understood alone, for the reader. */
  readonly text: string;
  /** Headings of the passage that are above it, outermost first. */
  readonly headings: readonly string[];
  /** Number of the table, list or code block, with its lead, to which it belongs. */
  readonly group?: number;
  /** Of an item: `-`, or the number of a step. */
  readonly bullet?: string;
  /** What a sentence that refers back refers to. */
  readonly antecedent?: string;
}

/** A unit with the probability that it is the answer, 0–1. */
export type ReadUnit = ReadableUnit & { readonly value: number };

/** The units of each passage with their values, by the id of its evidence. */
export type Readings = ReadonlyMap<string, readonly ReadUnit[]>;

export interface Read extends Pick<PassageReading, "confidence"> {
  readonly readings: Readings;
  /** Best first, each with the probability that it answers. */
  readonly order: readonly { readonly id: string; readonly value: number }[];
}

/** Reads passages together with the question; for strips, quotations and closest passages. */
export async function readPassages({
  question,
  items,
  reader,
  signal,
}: {
  question: string;
  items: readonly Evidence[];
  reader: Reader;
  signal?: AbortSignal;
}): Promise<Read> {
  const passages = items.map((item) => ({ ...asPassage(item), units: readableUnits(item) }));
  const reading = await reader.read({ question, passages, signal });
  const unitsOfItem = (index: number): ReadUnit[] => {
    const values = reading.passages[index]?.units ?? [];
    return (passages[index]?.units ?? []).map((unit, at) => ({ ...unit, value: values[at] ?? 0 }));
  };
  const readings = new Map(items.map(({ id }, index) => [id, unitsOfItem(index)]));
  const order = reading.order.flatMap((index) => {
    const item = items[index];
    return item ? [{ id: item.id, value: reading.passages[index]?.value ?? 0 }] : [];
  });
  return { readings, order, confidence: reading.confidence };
}

/** Shorter texts need the heading or the line above them to make sense. */
export const FEW_WORDS = 5;
/** A value, as in "Default: `info`". */
const VALUE = /[`\d]/u;
/** First words that refer to the sentence before. */
const PRONOUNS = wordSet(
  "it its he his she her they their this these those that such both er sie es dies diese " +
    "dieser dieses diesem diesen il elle ils elles cela esto este esta",
);
const GOES_ON = wordSet("then also however therefore thus but and so instead otherwise");

/** Returns the units of one passage in reading order, without what is never an answer. */
export function readableUnits(
  item: Pick<Evidence, "text" | "blocks" | "title" | "source">,
): ReadableUnit[] {
  const units = unitsOf(item);
  const found: ReadableUnit[] = [];
  let headings: string[] = [];
  let heads: string[] = [];
  let group = 0;
  for (const [index, unit] of units.entries()) {
    const before = units[index - 1];
    const { start, end, kind } = unit;
    const lead = before !== undefined && announces(before, unit) ? before : undefined;
    switch (kind) {
      case "heading":
        headings = [plainText(unit.text)];
        break;
      case "columns":
        heads = cellsOf(unit.text);
        group += 1;
        break;
      case "row": {
        const text = plainRow(heads, unit.text);
        if (text !== "") found.push({ start, end, kind, display: text, text, headings, group });
        break;
      }
      case "code": {
        if (lead === undefined) group += 1;
        const text = lead === undefined ? unit.text : `${plainText(lead.text)}\n${unit.text}`;
        found.push({ start, end, kind, display: unit.text, text, headings, group });
        break;
      }
      case "item": {
        const display = plainText(unit.text);
        const open = found.at(-1);
        // The sentences of an item are one unit.
        if (before?.kind === "item" && before.block === unit.block && open !== undefined)
          found.splice(-1, 1, {
            ...open,
            end,
            display: `${open.display} ${display}`,
            text: `${open.text} ${display}`,
          });
        else {
          if (lead === undefined && before?.kind !== "item") group += 1;
          const first = units.findLast(({ kind: other }, at) => at < index && other !== "item");
          const intro =
            first && leadsUp(first)
              ? plainText(first.text)
              : (headings.at(-1) ?? headingsOf(item).at(-1) ?? "");
          const mark = item.text.slice(item.text.lastIndexOf("\n", start - 1) + 1, start).trim();
          const bullet = Number.isNaN(Number.parseInt(mark)) ? "-" : mark;
          const text = `${intro} ${display}`.trim();
          found.push({ start, end, kind, display, text, headings, group, bullet });
        }
        break;
      }
      case "sentence": {
        const next = units[index + 1];
        const display = plainText(unit.text);
        if (next !== undefined && announces(unit, next)) {
          group += 1;
          found.push({ start, end, kind: "lead", display, text: display, headings, group });
          break;
        }
        const hasContent = display.split(" ").length > 2 || VALUE.test(unit.text);
        if (hasContent && !asks(unit.text) && !isLinkOnly(unit.text))
          found.push({
            ...sentenceOf(unit, before, headings.at(-1) ?? headingsOf(item).at(-1) ?? item.title),
            headings,
          });
        break;
      }
      default:
        kind satisfies never;
    }
  }
  return found;
}

/**
 * Completes a sentence that refers back with the one before it or its title, and a short one with a
 * value with its title.
 */
function sentenceOf(
  { start, end, text: written, block }: Unit,
  before: Unit | undefined,
  title: string,
): Omit<ReadableUnit, "headings"> {
  const kind = "sentence";
  const text = plainText(written);
  const titled = title === "" ? text : `${title}: ${text}`;
  if (text.split(" ").length < FEW_WORDS && VALUE.test(text))
    return { start, end, kind, display: titled, text: titled };
  const neighbor = before?.block === block ? plainText(before.text) : undefined;
  // In an FAQ the question above helps to find the answer.
  const read = neighbor !== undefined && asks(neighbor) ? `${neighbor} ${text}` : text;
  const isPronoun = PRONOUNS.has(firstWord(text));
  const unit = { start, end, kind, text: read } as const;
  if (!isPronoun && !GOES_ON.has(firstWord(text))) return { ...unit, display: text };
  if (neighbor !== undefined && !PRONOUNS.has(firstWord(neighbor)))
    return { ...unit, text: `${neighbor} ${text}`, display: text, antecedent: neighbor };
  return { ...unit, display: isPronoun ? titled : text };
}

function firstWord(text: string): string {
  const [run = ""] = text.toLowerCase().split(" ", 1);
  return run.endsWith(",") ? run.slice(0, -1) : run;
}

function announces(before: Unit, { kind }: Unit): boolean {
  return leadsUp(before) && (kind === "item" || kind === "code");
}

/** True for a line like "They used:", which needs what follows. */
export function leadsUp({ kind, text }: Unit): boolean {
  return kind === "sentence" && (text.endsWith(":") || text.endsWith("："));
}
