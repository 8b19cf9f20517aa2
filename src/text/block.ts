import { cutText, oneLine } from "./words.js";

/** A unit of a document: a paragraph, a list item, a row, a code block. */
export interface Block {
  text: string;
  /** Outermost first. Passages never cross from one heading to another. */
  headings: readonly string[];
  /** First line in the source, from 1. The text then has the same line breaks as the source. */
  startLine?: number;
  endLine?: number;
  page?: number;
  /** Of recognized text: how sure its page was read, 0 to 1, and which words are in doubt. */
  scan?: { confidence: number; doubtful: readonly string[] };
  /**
   * `item` and `row` are joined by one line break, everything else by an empty line; `code`,
   * `table` and `lines`, each a statement of its own, are kept whole if they fit.
   */
  form: "paragraph" | "heading" | "item" | "code" | "table" | "row" | "lines";
}

/** Titles and headings are copied into every passage below them, so longer ones are cut. */
export const MAX_HEADING = 200;

export class HeadingPath {
  private path: { level: number; text: string }[] = [];

  get texts(): string[] {
    return this.path.map(({ text }) => text);
  }

  /** Returns a function that leaves the headings entered since. */
  mark(): () => void {
    const { path } = this;
    return () => (this.path = path);
  }

  /** Replaces the headings of its level and below. False for text too long for a heading. */
  enter(level: number, text: string): boolean {
    this.path = this.path.filter((heading) => heading.level < level);
    if (text.length > MAX_HEADING) return false;
    if (text !== "") this.path = [...this.path, { level, text }];
    return true;
  }
}

/**
 * Writes a row so that it can be understood by itself: `Head: value; Head: value`. If the first
 * head is empty, the first cell names the row.
 */
export function rowText(head: readonly string[], cells: readonly string[]): string {
  const names = head.map((name) => cutText(withoutColon(name), 80));
  const named = names[0] === "" && head.length > 1 && (cells[0] ?? "") !== "";
  const pairs = cells.flatMap((cell, index) => {
    if (cell === "" || (named && index === 0)) return [];
    return [`${names[index] || `column ${index + 1}`}: ${oneLine(cell)}`];
  });
  return named ? `${cells[0] ?? ""} — ${pairs.join("; ")}` : pairs.join("; ");
}

function withoutColon(name: string): string {
  return name.endsWith(":") ? name.slice(0, -1).trimEnd() : name;
}

export function lengthOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { text }) => sum + text.length, 0);
}

/** Tables with longer cells lay out a page and hold no data. */
const LAYOUT_CELL = 400;
/** Bounds for the rows or columns that a cell spans, and for the text repeated there. */
const MAX_SPAN = 20;
export const MAX_REPEATED = 80;

export interface TableCell {
  text: string;
  isHead: boolean;
  /** Columns and rows that the cell spans; 1 if it is no number. */
  columns: number;
  rows: number;
  /** True if it belongs to the one above it, as in office files. */
  isMerged: boolean;
}

/** Returns rows with the heads of their columns, or the cells of a layout as paragraphs. */
export function tableRows(
  table: readonly (readonly TableCell[])[],
): [text: string, form: Block["form"]][] {
  const all = gridOf(table).filter(({ cells }) => cells.some((cell) => cell !== ""));
  const rows = all.filter(({ isTitle }) => !isTitle);
  const [head] = rows;
  const isLayout = rows.some(
    ({ cells }) => cells.length < 2 || cells.some((cell) => cell.length > LAYOUT_CELL),
  );
  const isPairs = rows.every(({ cells, heads }) => cells.length === 2 && heads === 1);
  // Parts with titles from the first row on: none says what the columns are.
  const isInParts = all[0]?.isTitle === true && rows.length < all.length - 1;
  const isHeadless = isPairs || (isInParts && head?.heads === 0);
  if (head === undefined || (!isHeadless && (rows.length === 1 || (isLayout && head.heads === 0))))
    return all.flatMap(({ cells }) =>
      cells.filter(Boolean).map((cell): [string, Block["form"]] => [cell, "paragraph"]),
    );
  return all.flatMap((row): [string, Block["form"]][] => {
    const [name = "", ...values] = row.cells.filter(Boolean);
    if (row.isTitle) return [[name, "paragraph"]];
    if (!isHeadless) return row === head ? [] : [[rowText(head.cells, row.cells), "row"]];
    return [[[withoutColon(name), values.join("; ")].filter(Boolean).join(": "), "row"]];
  });
}

/** Repeats what spans several columns or rows where it counts: heads, and short cells downwards. */
function gridOf(table: readonly (readonly TableCell[])[]) {
  /** Cells of rows above that reach down, by column. */
  const reaching: { text: string; rows: number }[] = [];
  let above: readonly string[] = [];
  return table.map((row, index) => {
    const cells: string[] = [];
    const takeFromAbove = (): void => {
      for (let cell = reaching[cells.length]; cell !== undefined && cell.rows > 0;) {
        cell.rows -= 1;
        cells.push(cell.text);
        cell = reaching[cells.length];
      }
    };
    for (const { text: written, isHead, isMerged, columns, rows } of row) {
      takeFromAbove();
      const over = above[cells.length] ?? "";
      const text = isMerged && over.length <= MAX_REPEATED ? over : written;
      const again = text.length > MAX_REPEATED ? "" : text;
      for (let column = 0; column < spanOf(columns); column++) {
        const down = column === 0 ? again : "";
        if (spanOf(rows) > 1) reaching[cells.length] = { text: down, rows: spanOf(rows) - 1 };
        cells.push(column === 0 ? text : isHead || index === 0 ? again : "");
      }
    }
    takeFromAbove();
    above = cells;
    const heads = row.filter(({ isHead }) => isHead).length;
    // A cell across the table is the title of the rows below it.
    return { cells, heads, isTitle: row.length === 1 && cells.length > 1 };
  });
}

function spanOf(value: number): number {
  return Math.min(MAX_SPAN, Math.max(1, Math.floor(value) || 1));
}
