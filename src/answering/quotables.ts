/** Cuts passages into what can be quoted as an answer: sentences, items, lists, rows and commands. */
import type { Reader } from "../reader/reader.js";
import { headingsOf, type Evidence } from "../state/evidence.js";
import { unitsOf, type Unit } from "./passage-units.js";
import { cellsOf, isLinkOnly, plainText, rowLine } from "./plain-text.js";

/** A quotation that can be read on its own. Offsets in UTF-16 code units of the passage. */
export interface Quotable {
  /** As shown to people: without markup, except in lists and code. */
  readonly text: string;
  /** The text that the reader compares with the question. */
  readonly scored: string;
  /** Headings above it, outermost first. */
  readonly headings: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly kind: "sentence" | "item" | "list" | "row" | "code";
}

/** Longer lists are quoted item by item. */
const LONGEST_LIST = { items: 15, characters: 1_500 };
/** Shorter texts need the heading or the line above them to make sense. */
const FEW_WORDS = 5;
/** A value, as in "Default: `info`". */
const VALUE = /[`\d]/u;
/** First words that refer to the sentence before. */
const PRONOUNS = new Set(
  "it its he his she her they their this these those that such both er sie es dies diese dieser dieses diesem diesen il elle ils elles cela esto este esta".split(
    " ",
  ),
);
const GOES_ON = new Set("then also however therefore thus but and so instead otherwise".split(" "));

/** A quotation with the reader's probability that it answers the question, 0–1. */
interface ReadQuotable extends Quotable {
  readonly value: number;
}

/** The scored quotations of each passage, by the id of its evidence. */
export type Readings = ReadonlyMap<string, readonly ReadQuotable[]>;

/** Scores the quotations of some passages, for both the strips and the keyless answer. */
export async function readQuotables({
  question,
  items,
  reader,
  signal,
}: {
  question: string;
  items: readonly Pick<Evidence, "id" | "text" | "title" | "source">[];
  reader: Reader;
  signal?: AbortSignal;
}): Promise<Readings> {
  const quotables = items.map((item) => quotablesOf(item));
  const { passages } = await reader.relevance({
    question,
    passages: items.flatMap(({ title }, index) =>
      (quotables[index] ?? []).map(({ headings, scored: text }) => ({ title, headings, text })),
    ),
    unit: "sentence",
    signal,
  });
  let next = 0;
  return new Map(
    items.map(({ id }, index) => [
      id,
      (quotables[index] ?? []).map((own) => ({ ...own, value: passages[next++]?.value ?? 0 })),
    ]),
  );
}

/** Returns the quotations of one passage in reading order. */
export function quotablesOf(item: Pick<Evidence, "text" | "title" | "source">): Quotable[] {
  const units = unitsOf(item.text);
  const above = headingsOf(item);
  const found: Quotable[] = [];
  let headings = above;
  let heads: string[] = [];
  for (const [index, unit] of units.entries()) {
    const before = units[index - 1];
    const next = units[index + 1];
    const { start, end, kind } = unit;
    switch (kind) {
      case "heading":
        headings = [...above, plainText(unit.text)];
        break;
      case "columns":
        heads = cellsOf(unit.text).map(plainText);
        break;
      case "row": {
        const text = rowLine(heads, cellsOf(unit.text).map(plainText));
        if (text !== "") found.push({ start, end, text, scored: text, headings, kind });
        break;
      }
      case "code": {
        if (before === undefined || !leadsUp(before)) break;
        const text = `${plainText(before.text)}\n\n${unit.text}`;
        found.push({
          start: before.start,
          end,
          text,
          scored: plainText(before.text),
          headings,
          kind,
        });
        break;
      }
      case "item":
        if (before?.kind !== "item")
          found.push(...listFrom({ passage: item.text, units, first: index, headings }));
        break;
      case "sentence": {
        const isLead = leadsUp(unit) && (next?.kind === "item" || next?.kind === "code");
        const isTold = plainText(unit.text).split(" ").length > 2 || VALUE.test(unit.text);
        if (isTold && !isLead && !asks(unit.text) && !isLinkOnly(unit.text))
          found.push({
            ...sentenceOf(unit, before, headings.at(-1) ?? item.title),
            headings,
            kind,
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
  unit: Unit,
  before: Unit | undefined,
  title: string,
): Pick<Quotable, "text" | "scored" | "start" | "end"> {
  const { start, end } = unit;
  const text = plainText(unit.text);
  if (title !== "" && text.split(" ").length < FEW_WORDS && VALUE.test(text)) {
    const told = `${title}: ${text}`;
    return { start, end, text: told, scored: told };
  }
  const neighbor = before?.block === unit.block ? plainText(before.text) : undefined;
  // In an FAQ the question above helps to find the answer.
  const scored = neighbor !== undefined && asks(neighbor) ? `${neighbor} ${text}` : text;
  const isPronoun = PRONOUNS.has(firstWord(text));
  if (!isPronoun && !GOES_ON.has(firstWord(text))) return { start, end, text, scored };
  if (before !== undefined && neighbor !== undefined && !PRONOUNS.has(firstWord(neighbor)))
    return { start: before.start, end, text: `${neighbor} ${text}`, scored };
  return { start, end, text: isPronoun && title !== "" ? `${title}: ${text}` : text, scored };
}

function firstWord(text: string): string {
  const [run = ""] = text.toLowerCase().split(" ", 1);
  return run.endsWith(",") ? run.slice(0, -1) : run;
}

/** Quotes the list that begins here: steps as a whole, other lists also item by item. */
function listFrom({
  passage,
  units,
  first,
  headings,
}: {
  passage: string;
  units: readonly Unit[];
  first: number;
  headings: readonly string[];
}): Quotable[] {
  const last = units.findIndex(({ kind }, index) => index > first && kind !== "item");
  const items = itemsOf(passage, units.slice(first, last === -1 ? units.length : last));
  const before = units[first - 1];
  const lead = before && (leadsUp(before) || before.kind === "heading") ? before : undefined;
  const intro = lead === undefined ? headings.at(-1) : plainText(lead.text);
  const under = (lines: string): string => (intro === undefined ? lines : `${intro}\n\n${lines}`);
  const single = items.map(({ bullet, text, start, end }): Quotable => ({
    text: text.split(" ").length < FEW_WORDS ? under(`${bullet} ${text}`) : text,
    scored: intro === undefined ? text : `${intro} ${text}`,
    headings,
    start,
    end,
    kind: "item",
  }));
  const whole: Quotable = {
    text: under(items.map(({ bullet, text }) => `${bullet} ${text}`).join("\n")),
    scored: [intro ?? "", ...items.map(({ text }) => text)].join(" ").trim(),
    headings,
    start: lead?.start ?? items[0]?.start ?? 0,
    end: items.at(-1)?.end ?? 0,
    kind: "list",
  };
  const { length } = items;
  if (length < 2 || length > LONGEST_LIST.items || whole.text.length > LONGEST_LIST.characters)
    return single;
  return items.every(({ bullet }) => bullet !== "-") ? [whole] : [whole, ...single];
}

interface Item {
  /** `-`, or the number of a step. */
  bullet: string;
  text: string;
  start: number;
  end: number;
}

/** Joins the sentences of each item. */
function itemsOf(passage: string, units: readonly Unit[]): Item[] {
  const items = new Map<number, Item>();
  for (const { block, text, start, end } of units) {
    const known = items.get(block);
    const [, bullet = "-"] = /(\d{1,3}[.)])\s+$/u.exec(passage.slice(0, start).slice(-8)) ?? [];
    items.set(
      block,
      known === undefined
        ? { bullet, text: plainText(text), start, end }
        : { ...known, text: `${known.text} ${plainText(text)}`, end },
    );
  }
  return [...items.values()];
}

/** True for a line like "They used:", which needs what follows. */
export function leadsUp({ kind, text }: Unit): boolean {
  return kind === "sentence" && (text.endsWith(":") || text.endsWith("："));
}

function asks(text: string): boolean {
  return text.endsWith("?") || text.endsWith("？");
}
