/**
 * The smallest parts of a passage that may be quoted: sentences, list items, table rows and their
 * column heads, headings and code blocks, each with its exact place. Markdown is read by its lines
 * only: enough to keep markup out of sentences, and the same for plain text.
 */
import { memoize } from "../support/cache.js";
import { sentences } from "../text/sentences.js";
import { FOOTNOTE } from "./plain-text.js";

type UnitKind = "sentence" | "item" | "row" | "columns" | "heading" | "code";

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
}

const FENCE = /^\s*(```+|~~~+)/u;
const HEADING = /^\s{0,3}#{1,6}\s+\S/u;
/** 1 the number, where it has one; a task box belongs to the marker. */
const ITEM = /^\s*(?:[-*+•]|(\d{1,3})[.)])\s+(?:\[[ x]\]\s+)?(?=\S)/iu;
/** A head in bold that runs into its paragraph: "**Scores.** They …". */
const RUN_IN_HEAD = /^(\*\*|__)(?=\S)[^*_\n]{1,60}(?:[.?!]$|\1[.:?!]?$)/u;
const ROW_RULE = /^\s*\|?[\s:|-]*-[\s:|-]*\|?\s*$/u;
const RULE = /^\s*(?:[-*_=]\s*)+$/u;
const ENDED = /[.!?:;]["'”’)]*\s*$/u;

/** Cuts a passage into units in reading order, without rules, blank lines and fences. */
export const unitsOf: (passage: string) => readonly Unit[] = memoize({
  // Sentences are found as if there were no references to footnotes; offsets stay true.
  compute: (passage) =>
    readUnits(
      passage.replace(FOOTNOTE, ({ length }) => " ".repeat(length)),
      passage,
    ),
});

/** Does the same for an answer, whose `[1]` are citations and not footnotes. */
export const unitsOfAnswer = (answer: string): readonly Unit[] => readUnits(answer, answer);

/** @param plain `passage` with blanks for what must not disturb the sentences */
function readUnits(plain: string, passage: string): Unit[] {
  const lines = linesOf(passage);
  const units: Unit[] = [];
  let block = 0;
  let paragraph: Line[] = [];
  /** Lines that look like items but continue the line before, as "250. The …" in a PDF. */
  let wrapped: Line[] = [];
  let kind: "sentence" | "item" = "sentence";
  let lastNumber = 0;

  const add = (unitKind: UnitKind, from: number, to: number): void => {
    const text = passage.slice(from, to).trim();
    const start = to - passage.slice(from, to).trimStart().length;
    if (text !== "") units.push({ kind: unitKind, text, start, end: start + text.length, block });
  };
  const flush = (): void => {
    const from = paragraph[0]?.start;
    if (from === undefined) return;
    let source = plain.slice(from, paragraph.at(-1)?.end);
    for (const { start } of wrapped)
      source = `${source.slice(0, start - from - 1)} ${source.slice(start - from)}`;
    const spans = sentences(source);
    // A bold run-in head is not quoted alone.
    const [head, first] = spans;
    const runsIn = head !== undefined && first !== undefined && RUN_IN_HEAD.test(head.text);
    for (const span of runsIn ? spans.slice(1) : spans)
      add(kind, from + (runsIn && span === first ? head.start : span.start), from + span.end);
    paragraph = [];
    wrapped = [];
    kind = "sentence";
    block += 1;
  };
  const addBlock = (unitKind: UnitKind, from: number, to: number): void => {
    flush();
    add(unitKind, from, to);
    block += 1;
  };

  for (let index = begunInCode(lines) ? 1 : 0; index < lines.length; index += 1) {
    const line = lines[index];
    if (line === undefined) break;
    const next = lines[index + 1]?.text ?? "";
    const fence = FENCE.exec(line.text)?.[1];
    const item = ITEM.exec(line.text);
    const number = Number(item?.[1] ?? 0);
    const before = paragraph.at(-1);
    if (fence !== undefined) {
      const isEnd = ({ text }: Line, at: number): boolean =>
        at > index && text.trimStart().startsWith(fence);
      const last = lines.findIndex(isEnd);
      addBlock("code", line.start, (lines[last] ?? lines.at(-1) ?? line).end);
      if (last === -1) break;
      index = last;
    } else if (line.text.trim() === "" || RULE.test(line.text)) flush();
    else if (HEADING.test(line.text)) addBlock("heading", line.start, line.end);
    else if (isRow(line.text)) {
      flush();
      if (!ROW_RULE.test(line.text))
        add(ROW_RULE.test(next) ? "columns" : "row", line.start, line.end);
      if (!isRow(next)) block += 1;
    } else if (item === null) paragraph.push(line);
    // No list begins with 250: the sentence before leads up to the number.
    else if (
      number > 1 &&
      number !== lastNumber + 1 &&
      kind === "sentence" &&
      before &&
      !ENDED.test(before.text)
    ) {
      paragraph.push(line);
      wrapped.push(line);
    } else {
      flush();
      // Bullets between two steps count nothing.
      if (number > 0) lastNumber = number;
      kind = "item";
      const [marker] = item;
      paragraph.push({ ...line, start: line.start + marker.length });
    }
  }
  flush();
  return units;
}

function isRow(line: string): boolean {
  const inside = line.trim();
  return inside.length > 1 && inside.startsWith("|") && inside.endsWith("|");
}

/** A window of lines may begin with the fence that ends a block of code above it. */
function begunInCode([first, second, ...rest]: readonly Line[]): boolean {
  const fences = [first, second, ...rest].filter((line) => line && FENCE.test(line.text)).length;
  const isBare = first?.text.trim() === FENCE.exec(first?.text ?? "")?.[1];
  return fences % 2 === 1 && isBare && (second?.text ?? "").trim() === "";
}

function linesOf(text: string): Line[] {
  let start = 0;
  return text.split("\n").map((line) => {
    const own = { text: line, start, end: start + line.length };
    start = own.end + 1;
    return own;
  });
}
