/**
 * The smallest parts of a passage that may be quoted: sentences, list items, table rows and their
 * column heads, headings and code blocks, each with its exact place. Markdown is read by its lines
 * only: enough to keep markup out of sentences, and the same for plain text.
 */
import { memoize } from "../support/cache.js";
import { sentences } from "../text/sentences.js";
import { FOOTNOTE } from "./plain-text.js";

export type UnitKind = "sentence" | "item" | "row" | "columns" | "heading" | "code";

/** `text === passage.slice(start, end)`, offsets in UTF-16 code units. */
export interface Unit {
  kind: UnitKind;
  text: string;
  start: number;
  end: number;
  /** Number of the paragraph, list item, table or code block to which it belongs, from 0. */
  block: number;
}

interface Line {
  text: string;
  start: number;
  end: number;
  /** It goes on with the line before, although it looks like an item: "250. The …" of a PDF. */
  goesOn?: boolean;
}

const FENCE = /^\s*(```+|~~~+)/u;
const HEADING = /^\s{0,3}#{1,6}\s+\S/u;
const ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)/u;
/** A head in bold that runs into its paragraph: "**Scores.** They …". */
const RUN_IN_HEAD = /^(\*\*|__)(?=\S)[^*_\n]{1,60}(?:[.?!]$|\1[.:?!]?$)/u;
const ROW = /^\s*\|.*\|\s*$/u;
const ROW_RULE = /^\s*\|?[\s:|-]*-[\s:|-]*\|?\s*$/u;
const RULE = /^\s*(?:[-*_=]\s*){3,}$/u;

/** Cuts a passage in its units, in reading order. Rules, blank lines and fences belong to none. */
export const unitsOf: (passage: string) => readonly Unit[] = memoize({
  // Sentences are found as if there were no references to footnotes; offsets stay true.
  compute: (passage) =>
    readUnits(
      passage.replace(FOOTNOTE, ({ length }) => " ".repeat(length)),
      passage,
    ),
});

/** The same for an answer, whose `[1]` are no footnotes. */
export const unitsOfAnswer = (answer: string): readonly Unit[] => readUnits(answer, answer);

/** @param plain `passage` with blanks for what must not disturb the sentences */
function readUnits(plain: string, passage: string): Unit[] {
  const lines = linesOf(passage);
  const units: Unit[] = [];
  let block = 0;
  let paragraph: Line[] = [];
  let kind: "sentence" | "item" = "sentence";
  let lastNumber = 0;

  const add = (unitKind: UnitKind, start: number, end: number): void => {
    const text = passage.slice(start, end);
    const lead = text.length - text.trimStart().length;
    const trimmed = text.trim();
    if (trimmed === "") return;
    units.push({
      kind: unitKind,
      text: trimmed,
      start: start + lead,
      end: start + lead + trimmed.length,
      block,
    });
  };
  const flush = (): void => {
    if (paragraph.length === 0) return;
    const from = paragraph[0]?.start ?? 0;
    let source = plain.slice(from, paragraph.at(-1)?.end);
    for (const { start } of paragraph.filter(({ goesOn }) => goesOn === true))
      source = `${source.slice(0, start - from - 1)} ${source.slice(start - from)}`;
    const spans = sentences(source);
    // A head that runs into its paragraph says nothing without what follows.
    const [head, first] = spans;
    const runsIn = head !== undefined && first !== undefined && RUN_IN_HEAD.test(head.text);
    for (const [index, span] of spans.entries()) {
      if (runsIn && index === 0) continue;
      add(kind, from + (runsIn && index === 1 ? head.start : span.start), from + span.end);
    }
    paragraph = [];
    kind = "sentence";
    block += 1;
  };

  for (let index = begunInCode(lines) ? 1 : 0; index < lines.length; index += 1) {
    const line = lines[index];
    if (line === undefined) break;
    const fence = FENCE.exec(line.text)?.[1];
    if (fence !== undefined) {
      flush();
      let last = index + 1;
      while (last < lines.length && !(lines[last]?.text.trimStart().startsWith(fence) ?? false))
        last += 1;
      add("code", line.start, (lines[last] ?? lines[lines.length - 1] ?? line).end);
      block += 1;
      index = last;
    } else if (line.text.trim() === "" || RULE.test(line.text)) {
      flush();
    } else if (HEADING.test(line.text)) {
      flush();
      add("heading", line.start, line.end);
      block += 1;
    } else if (ROW.test(line.text)) {
      flush();
      if (!ROW_RULE.test(line.text))
        add(ROW_RULE.test(lines[index + 1]?.text ?? "") ? "columns" : "row", line.start, line.end);
      if (!ROW.test(lines[index + 1]?.text ?? "")) block += 1;
    } else if (ITEM.test(line.text) && !isWrappedNumber(line, paragraph.at(-1), lastNumber)) {
      flush();
      lastNumber = Number(/\d+/u.exec(line.text.slice(0, 6))?.[0] ?? 0);
      kind = "item";
      const marker = ITEM.exec(line.text)?.[0].length ?? 0;
      paragraph.push({ text: line.text.slice(marker), start: line.start + marker, end: line.end });
    } else {
      paragraph.push({ ...line, goesOn: ITEM.test(line.text) });
    }
  }
  flush();
  return units;
}

/** A number at the start of a line that the line before leads up to: no list begins with 250. */
function isWrappedNumber(line: Line, before: Line | undefined, lastNumber: number): boolean {
  const number = /^\s*(\d{1,3})[.)]\s/u.exec(line.text)?.[1];
  if (number === undefined || before === undefined) return false;
  const follows = Number(number) === 1 || Number(number) === lastNumber + 1;
  return !follows && !/[.!?:;]["'”’)]*\s*$/u.test(before.text);
}

/** A window of lines may begin with the fence that ends a block of code above it. */
function begunInCode(lines: readonly Line[]): boolean {
  const fences = lines.filter(({ text }) => FENCE.test(text)).length;
  return (
    fences % 2 === 1 &&
    /^\s*(?:```+|~~~+)\s*$/u.test(lines[0]?.text ?? "") &&
    (lines[1]?.text ?? "").trim() === ""
  );
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const match of text.matchAll(/\r\n|\n|\r|\u2028|\u2029|$/gu)) {
    lines.push({ text: text.slice(start, match.index), start, end: match.index });
    start = match.index + match[0].length;
  }
  return lines;
}
