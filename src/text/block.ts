import { cutText, oneLine } from "./one-line.js";

/** A unit of a document: a paragraph, a list item, a row, a code block. */
export interface Block {
  text: string;
  /** Outermost first. Passages never cross from one heading to another. */
  headings: readonly string[];
  /** First line in the source, from 1. The text then has the same line breaks as the source. */
  startLine?: number;
  endLine?: number;
  page?: number;
  /**
   * `code` and `table` are kept whole if they fit; `item` and `row` are joined by one line break,
   * everything else by an empty line.
   */
  form: "paragraph" | "item" | "code" | "table" | "row";
}

/** Titles and headings are copied into every passage below them, so longer ones are cut. */
export const MAX_HEADING = 200;

export class HeadingPath {
  private path: { level: number; text: string }[] = [];

  get texts(): string[] {
    return this.path.map(({ text }) => text);
  }

  /** Replaces the headings of its level and below. Returns false for text too long for a heading. */
  enter(level: number, text: string): boolean {
    this.path = this.path.filter((heading) => heading.level < level);
    if (text.length > MAX_HEADING) return false;
    if (text !== "") this.path.push({ level, text });
    return true;
  }
}

/**
 * Writes a row so that it can be understood by itself: `Head: value; Head: value`. If the first head
 * is empty, the first cell names the row.
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

export function joinBlocks(blocks: readonly Pick<Block, "text" | "form">[]): string {
  return blocks.reduce((text, block, index) => {
    const before = blocks[index - 1];
    if (before === undefined) return block.text;
    const isClose = before.form === block.form && (block.form === "item" || block.form === "row");
    return `${text}${isClose ? "\n" : "\n\n"}${block.text}`;
  }, "");
}

export function lengthOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { text }) => sum + text.length, 0);
}

/** Tables with longer cells lay out a page and hold no data. */
const LAYOUT_CELL = 400;

interface TableRow {
  cells: string[];
  heads: number;
}

/** Bounds for the rows or columns that a cell spans, and for the text repeated there. */
const MAX_SPAN = 20;
const MAX_REPEATED = 80;

/** Collects the cells of a table and writes its rows. */
export class TableReader {
  private readonly all: TableRow[] = [];
  private isOpen = false;
  private isHead = false;
  private columns = 1;
  private rowsDown = 1;
  private isMerged = false;
  /** Cells of rows above that reach down, by column. */
  private readonly reachDown: { text: string; rows: number }[] = [];

  /**
   * @param name `tr`, `td` or `th`
   * @param spans the attributes `colspan` and `rowspan`, and `vmerge` of a cell that belongs to the
   *   one above it, as in office files
   */
  open(name: string, spans?: ReadonlyMap<string, string>): void {
    this.isOpen = name !== "tr";
    this.isHead = name === "th";
    this.columns = spanOf(spans?.get("colspan"));
    this.rowsDown = spanOf(spans?.get("rowspan"));
    this.isMerged = spans?.has("vmerge") ?? false;
    const last = this.all.at(-1);
    if (name === "tr" && last !== undefined) this.takeFromAbove(last);
    const row = name === "tr" || last === undefined ? { cells: [], heads: 0 } : last;
    if (row !== last) this.all.push(row);
    if (name === "th") row.heads += 1;
  }

  /** Ends the open cell with this text; returns the text if no cell is open. */
  take(given: string): string {
    const row = this.all.at(-1);
    if (!this.isOpen || row === undefined) return given;
    this.isOpen = false;
    this.takeFromAbove(row);
    const above = this.all.at(-2)?.cells[row.cells.length] ?? "";
    const text = this.isMerged && above.length <= MAX_REPEATED ? above : given;
    const again = text.length > MAX_REPEATED ? "" : text;
    const isHead = this.isHead || this.all.length === 1;
    for (let column = 0; column < this.columns; column++) {
      const isFirst = column === 0;
      if (this.rowsDown > 1)
        this.reachDown[row.cells.length] = { text: isFirst ? again : "", rows: this.rowsDown - 1 };
      if (isFirst) row.cells.push(text);
      else row.cells.push(isHead ? again : "");
    }
    return "";
  }

  private takeFromAbove({ cells }: TableRow): void {
    for (let above = this.reachDown[cells.length]; above !== undefined && above.rows > 0;) {
      above.rows -= 1;
      cells.push(above.text);
      above = this.reachDown[cells.length];
    }
  }

  /** Returns rows with the heads of their columns, or the cells of a layout as paragraphs. */
  rows(): [text: string, form: Block["form"]][] {
    const last = this.all.at(-1);
    if (last !== undefined) this.takeFromAbove(last);
    const rows = this.all.filter(({ cells }) => cells.some((cell) => cell !== ""));
    const [head, ...rest] = rows;
    if (head === undefined) return [];
    const isLayout = rows.some(
      ({ cells }) => cells.length < 2 || cells.some((cell) => cell.length > LAYOUT_CELL),
    );
    if (rows.every(({ cells, heads }) => cells.length === 2 && heads === 1))
      return rows.map(({ cells: [name = "", value = ""] }) =>
        name === value ? [name, "paragraph"] : [`${withoutColon(name)}: ${value}`, "row"],
      );
    if (rest.length === 0 || (isLayout && head.heads === 0))
      return rows.flatMap(({ cells }) =>
        cells
          .filter((cell) => cell !== "")
          .map((cell): [string, Block["form"]] => [cell, "paragraph"]),
      );
    return rest.map(({ cells }) => [rowText(head.cells, cells), "row"]);
  }
}

function spanOf(value: string | undefined): number {
  return Math.min(MAX_SPAN, Math.max(1, Math.floor(Number(value)) || 1));
}
