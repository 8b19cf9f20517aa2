/** The blocks of a passage: as ingestion found them, or else as Markdown's parser does. */
import MarkdownParser from "markdown-it";
import type Token from "markdown-it/lib/token.mjs";
import type { Block } from "./block.js";
import { hasWords } from "./words.js";

/** A place in a text: `text.slice(start, end)`, in UTF-16 code units. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export type BlockSpan = Range & Pick<Block, "form">;

/** A text with its blocks, if they are known: the first letter of each form, and its start. */
export interface BlockText {
  readonly text: string;
  /** @example "h0 p12 i80" */
  readonly blocks?: string | undefined;
}

const FORMS = ["paragraph", "heading", "item", "code", "table", "row", "lines"] as const;
type Begun = Pick<BlockSpan, "form" | "start">;

/** Returns the blocks as they were found when the text was read, else reads it as Markdown. */
export function blocksOf({ text, blocks = "" }: BlockText): BlockSpan[] {
  const known = blocks.split(" ").flatMap((written): Begun[] => {
    const form = FORMS.find((each) => each.charAt(0) === written.charAt(0));
    const start = Number(written.slice(1));
    const isPlace = Number.isInteger(start) && start >= 0 && start < text.length;
    return form !== undefined && isPlace ? [{ form, start }] : [];
  });
  if (known.length === 0) return readBlocks(text);
  return known.map(({ form, start }, index) => {
    const next = known[index + 1]?.start;
    // The mark of an item is before its start.
    const lineStart = next === undefined ? 0 : text.lastIndexOf("\n", next - 1) + 1;
    const end = lineStart > start ? lineStart : next;
    return { form, start, end: start + text.slice(start, end).trimEnd().length };
  });
}

/** Joins blocks to the text of a passage, which keeps them. */
export function joinBlocks(blocks: readonly Pick<Block, "text" | "form">[]) {
  let text = "";
  const spans: Begun[] = [];
  for (const [index, { form, text: written }] of blocks.entries()) {
    const isClose = blocks[index - 1]?.form === form && (form === "item" || form === "row");
    if (index > 0) text += isClose ? "\n" : "\n\n";
    // An item may hold others, as Markdown.
    const indent = written.length - written.trimStart().length;
    const inner = form === "item" ? readBlocks(written.slice(indent)) : [];
    if (inner[0]?.form !== "item") spans.push({ form, start: text.length });
    else
      for (const { form, start } of inner)
        spans.push({ form, start: text.length + indent + start });
    text += written;
  }
  return { text, blocks: packed(spans) };
}

/** Cuts a part out of a text, with its blocks and without white space around it. */
export function sliceBlocks(whole: BlockText, start: number, to: number): BlockText {
  const part = whole.text.slice(start, to);
  const from = start + part.length - part.trimStart().length;
  const text = part.trim();
  if (whole.blocks === undefined) return { text };
  const spans = blocksOf(whole)
    .filter((block) => block.end > from && block.start < to)
    .map(({ form, start: begun }): Begun => {
      // A table without its head is lines.
      const isCut = form === "table" && begun < from;
      return { form: isCut ? "lines" : form, start: Math.max(0, begun - from) };
    });
  return { text, blocks: packed(spans) };
}

function packed(spans: readonly Begun[]): string {
  return spans.map(({ form, start }) => `${form.charAt(0)}${start}`).join(" ");
}

/**
 * Reads blocks only. What looks like a definition of a link may be a citation, a sentence above a
 * rule is no heading, and what is indented is part of a list that was cut off above.
 */
const reader = new MarkdownParser().disable(["reference", "lheading", "code"]);

/** Bullets of other programs, which Markdown does not know. */
const BULLET = /^(\s*)[•‣▪●○](?=\s)/gmu;
/** What ends a year, which is no item's number: "1889. It opened." */
const AFTER_YEAR = /(?<=\d{4})[.)](?=\s|$)/gu;
/** Characters of the name of a value. */
const LONGEST_NAME = 60;
const TASK_BOXES = ["[ ] ", "[x] ", "[X] "];

/**
 * Reads the blocks of a text of unknown origin, such as an answer or a web result, as Markdown.
 * Each line with a letter or digit is in one of them, since an answer's claims are looked for
 * there.
 */
export function readBlocks(text: string): BlockSpan[] {
  const source = text.replaceAll("\r", " ").replace(BULLET, "$1-").replace(AFTER_YEAR, ",");
  const lines = linesOf(source);
  const tokens: Token[] = [];
  reader.block.parse(source, reader, {}, tokens);
  const spans: BlockSpan[] = [];
  const isRead = new Set<Span>();
  /** @param start the end of the marks before the block */
  const add = (form: BlockSpan["form"], taken: readonly Span[], start = taken[0]?.start): void => {
    const end = taken.at(-1)?.end;
    if (start !== undefined && end !== undefined) spans.push({ form, start, end });
  };
  const addEach = (form: BlockSpan["form"], taken: readonly Span[]): void => {
    for (const line of taken) add(form, [line]);
  };
  for (const [at, { type, map, markup }] of tokens.entries()) {
    const taken = LEAVES.has(type) ? lines.slice(...(map ?? [0, 0])) : [];
    const [first, second] = taken;
    if (first === undefined) continue;
    for (const line of taken) isRead.add(line);
    if (type === "fence") {
      const isOpen = taken.length < 2 || taken.at(-1)?.text.startsWith(markup) !== true;
      // A part of a document may begin with the fence that ends the code above it.
      if (isOpen && first.text === markup && first === lines[0] && second?.text === "")
        return readBlocks(" ".repeat(first.end) + text.slice(first.end));
      add("code", taken, source.indexOf(markup, first.start));
    } else if (type === "heading_open") add("heading", taken);
    else if (type === "table_open") {
      // Text right below a table is one more row for Markdown.
      const after = [...taken, undefined].findIndex((line) => line?.text.includes("|") !== true);
      add("table", taken.slice(0, after));
      add("paragraph", taken.slice(after));
    } else if (taken.every(({ text }) => /^\|.*\|$/su.test(text))) {
      // Bars in code make a head too wide for Markdown.
      if (second !== undefined && !hasWords(second.text)) add("table", taken);
      else addEach("row", taken);
    } else if (type !== "hr") {
      // The content begins behind the marks of lists and quotations, and ends its line.
      const [content = ""] = tokens[at + 1]?.content.split("\n", 1) ?? [];
      const start = first.end - content.trimEnd().length;
      const hasBox = TASK_BOXES.includes(source.slice(start, start + 4));
      if (tokens[at - 1]?.type === "list_item_open") add("item", taken, start + (hasBox ? 4 : 0));
      // Wrapped lines are one paragraph, but values of their own are not.
      else if (taken.length > 1 && taken.every(isValue)) addEach("paragraph", taken);
      else add("paragraph", taken, start);
    }
  }
  // Markdown's parser skips what is nested too deeply.
  addEach(
    "paragraph",
    lines.filter((line) => !isRead.has(line) && hasWords(line.text)),
  );
  return spans.sort((a, b) => a.start - b.start);
}

const LEAVES = new Set(["paragraph_open", "heading_open", "fence", "table_open", "hr"]);

/** A piece of a text: `text === source.slice(start, end)`. */
export interface Span extends Range {
  readonly text: string;
}

/** True for a line such as "Opening hours: 9 to 5". */
function isValue({ text }: Span): boolean {
  const name = text.indexOf(": ");
  return name > 0 && name < LONGEST_NAME;
}

/** Returns the lines of a text without the white space round them, each with its place. */
export function linesOf(text: string, from = 0): Span[] {
  let at = from;
  return text.split("\n").map((line) => {
    const bare = line.trim();
    const start = at + line.length - line.trimStart().length;
    at += line.length + 1;
    return { text: bare, start, end: start + bare.length };
  });
}
