/** Lines of a page of a PDF, and the tables that they make. */
import { rowText } from "../../text/block.js";
import { oneLine, RUNS } from "../../text/words.js";

/** Text of a line without a wide gap inside. */
export interface Cell {
  text: string;
  left: number;
  right: number;
}

/** A line of a page; `y` grows upwards. */
export interface Line extends Cell {
  y: number;
  /** Font size in points, rounded to halves. */
  size: number;
  /** At least one; those of a table are aligned. */
  cells: readonly Cell[];
}

interface TextItem {
  str: string;
  transform: number[];
  width: number;
  height: number;
  hasEOL: boolean;
}

/** A gap this many times the font size separates cells; spaces of justified text may be as wide. */
const CELL_GAP = 0.6;

/** Bullets of fonts of symbols, which have no names. */
const SYMBOLS = /[\ue000-\uf8ff]/gu;

/** Dots that lead the eye to a number. */
const DOTS = /(?:\. ?){4,}/gu;
const LEADER = " … ";

/** True for a line of a table of contents, or of prices. */
export function hasLeader({ text }: Cell): boolean {
  return text.includes(LEADER);
}

function textOf({ text }: Cell): string {
  return oneLine(oneLine(text.replace(SYMBOLS, "•")).replace(DOTS, LEADER));
}

/** @param cells from left to right */
export function printedLine(cells: readonly Cell[], { y, size }: Pick<Line, "y" | "size">): Line {
  const text = cells.map((cell) => cell.text).join(" ");
  const [left, right] = [cells[0]?.left ?? 0, Math.max(...cells.map((cell) => cell.right))];
  return { text, left, right, y, size, cells };
}

export function printedLines(items: readonly TextItem[]): Line[] {
  const lines: Line[] = [];
  let cells: Cell[] = [];
  let at = { y: 0, size: 0 };
  /** Characters of the item that gives the line its size. */
  let longest = 0;
  const close = (): void => {
    const written = cells
      .map((cell) => ({ ...cell, text: textOf(cell) }))
      .filter(({ text }) => text !== "");
    if (written.length > 0) lines.push(printedLine(written, at));
    cells = [];
  };
  for (const { str, transform, width, height, hasEOL } of items) {
    const [, , slant = 0, scale = 0, x = 0, y = 0] = transform;
    const size = Math.round(Math.hypot(slant, scale) * 2) / 2;
    if (cells.length > 0 && Math.abs(y - at.y) > Math.max(height, 4) / 2) close();
    if (str !== "") {
      if (cells.length === 0) longest = 0;
      const length = str.trim().length;
      at = { y, size: length > longest || cells.length === 0 ? size : at.size };
      longest = Math.max(longest, length);
      const cell = cells.at(-1);
      // A space may be as wide as the gap that it stands for.
      const right = length === 0 ? (cell?.right ?? x) : x + width;
      if (cell !== undefined && (length === 0 || x - cell.right <= size * CELL_GAP)) {
        cell.text += str;
        cell.right = Math.max(cell.right, right);
      } else cells.push({ text: str, left: x, right });
    }
    if (hasEOL) close();
  }
  close();
  return lines;
}

/** Fewer rows are no table. */
const LEAST_ROWS = 3;
/** Two columns of longer texts are columns of a page. */
const LONG_CELL = 40;
/** In font sizes: rows further apart are not of one table; cells may be centered beside others. */
const WIDEST_GAP = 3.5;
const HIGHEST_JUMP = 2.5;

/**
 * Reads the table that begins at a line, if one does: at least three rows whose cells stand in
 * columns. A line without its first column goes on with the row above.
 */
export function tableAt(lines: readonly Line[], start: number): WrittenTable | undefined {
  const heads = lines[start];
  const table = tableFrom(lines, start);
  if (table !== undefined) return written(table, heads);
  // Heads may be closer to each other than cells, and are then told apart by the columns below.
  const next = lines[start + 1];
  // A sentence has no gap.
  if (heads === undefined || next === undefined || heads.cells.length < 2) return undefined;
  const below = isNextRow(heads, next) ? tableFrom(lines, start + 1) : undefined;
  const over = below && headsOver(heads, below.columns);
  return over && below && written({ ...below, rows: [over, ...below.rows] }, heads);
}

/** Reads rows at the top of a page that go on with a table of the page before, if they do. */
export function tableBelow(heads: Line, lines: readonly Line[]): WrittenTable | undefined {
  const [first] = lines;
  if (first === undefined || !DIGIT.test(first.text)) return undefined;
  const table = tableAt([{ ...heads, y: first.y + first.size }, ...lines], 0);
  return table?.heads && { ...table, end: table.end - 1 };
}

interface WrittenTable {
  /** Each with the heads of its columns. */
  rows: string[];
  /** The line that holds the heads, if one does. */
  heads?: Line | undefined;
  /** The line after the last. */
  end: number;
}

interface Table {
  rows: string[][];
  columns: readonly Column[];
  end: number;
}

function isNextRow(line: Line, next: Line): boolean {
  const gap = line.y - next.y;
  const isNear = gap <= next.size * WIDEST_GAP && gap >= -next.size * HIGHEST_JUMP;
  return isNear && line.size === next.size;
}

/** Parts a line before words that begin where a column does, or after those that end with one. */
function headsOver({ cells, size }: Line, columns: readonly Column[]): string[] | undefined {
  const words = cells.flatMap(({ text, left, right }) => {
    const width = (right - left) / text.length;
    return [...text.matchAll(RUNS)].map(({ 0: word, index }) => ({
      word,
      left: left + index * width,
      right: left + (index + word.length) * width,
    }));
  });
  const starts = columns.map((column, at) => {
    const before = columns[at - 1];
    if (before === undefined) return 0;
    const off = words.map(({ left }, index) => {
      const end = words[index - 1]?.right ?? Infinity;
      return Math.min(Math.abs(left - column.left), Math.abs(end - before.right));
    });
    const least = Math.min(...off);
    return least > size ? -1 : off.indexOf(least);
  });
  const texts = starts.map((start, at) =>
    words.slice(start, starts[at + 1]).map((each) => each.word),
  );
  const areHeads = starts.every((start, at) => at === 0 || start > (starts[at - 1] ?? 0));
  return areHeads ? texts.map((each) => each.join(" ")) : undefined;
}

/** Takes the columns from the row with the most cells, since others have some that were joined. */
function tableFrom(lines: readonly Line[], start: number): Table | undefined {
  if ((lines[start]?.cells.length ?? 0) < 2) return undefined;
  const run = lines.findIndex((line, at) => at > start && !isNextRow(lines[at - 1] ?? line, line));
  const rows = lines.slice(start, run === -1 ? undefined : run);
  const [widest] = rows.toSorted((a, b) => b.cells.length - a.cells.length);
  return rowsAt(lines, start, widest?.cells) ?? rowsAt(lines, start);
}

function rowsAt(
  lines: readonly Line[],
  start: number,
  likely: readonly Cell[] = [],
): Table | undefined {
  let columns = merged(likely.map(asColumn));
  let most = columns.length;
  let end = start;
  const taken: (readonly Cell[])[] = [];
  for (let line = lines[end]; line !== undefined; line = lines[(end += 1)]) {
    const above = lines[end - 1];
    if (end > start && above !== undefined && !isNextRow(above, line)) break;
    const cells = separated(line.cells, columns);
    const wider = merged([...columns, ...cells.map(asColumn)]);
    most = Math.max(most, cells.length);
    const places = cells.map((cell) => columnOf(cell, wider));
    const isAligned = new Set(places).size === places.length && !places.includes(-1);
    if (!isAligned || wider.length < most) break;
    columns = wider;
    taken.push(cells);
  }
  const rows: { cells: string[]; end: number }[] = [];
  taken.forEach((line, at) => {
    const cells = columns.map(() => "");
    for (const cell of line) cells[columnOf(cell, columns)] = cell.text;
    const row = rows.at(-1);
    if (row === undefined || cells[0] !== "") return rows.push({ cells, end: start + at + 1 });
    row.cells = row.cells.map((text, column) => `${text} ${cells[column] ?? ""}`.trim());
    row.end = start + at + 1;
    return rows.length;
  });
  // A line below a table may begin where its first column does.
  const last = rows.findLastIndex(({ cells }) => cells.filter(Boolean).length > 1);
  const table = rows.slice(0, last + 1).map(({ cells }) => cells);
  if (table.length < LEAST_ROWS || (columns.length === 2 && areLong(table))) return undefined;
  return { rows: table, columns, end: rows[last]?.end ?? end };
}

/**
 * Parts cells that are so close that they were read as one, at the spaces nearest to the gaps of
 * the columns above. Only what begins with a number is parted from its neighbor: text has a space
 * near any gap.
 */
function separated(cells: readonly Cell[], columns: readonly Column[]): readonly Cell[] {
  return cells.flatMap((cell, position) => {
    const { text, left, right } = cell;
    const over = columns.filter((column) => left < column.right && right > column.left);
    const width = (right - left) / text.length;
    const spaces = text.split("").flatMap((sign, at) => (sign === " " ? [at] : []));
    const cuts = over.slice(1).map((column, at) => {
      const [from, to] = [over[at]?.right ?? left, column.left];
      const off = (space: number): number =>
        Math.abs(left + (space + 0.5) * width - (from + to) / 2);
      const near = spaces
        .filter((space) => off(space) < (to - from + width) / 2)
        .toSorted((a, b) => off(a) - off(b));
      return near.find((space) => NUMBER.test(text.slice(space + 1))) ?? near[0] ?? -1;
    });
    const parts = [-1, ...cuts].map((cut, at) => {
      const end = cuts[at] ?? text.length;
      const place = { left: left + (cut + 1) * width, right: left + end * width };
      return { ...place, text: text.slice(cut + 1, end) };
    });
    const areApart = parts.slice(1).every((part, at) => {
      const before = parts[at]?.text ?? "";
      if (NUMBER.test(before)) return true;
      const isSure = position === 0 || DIGIT.test(before) || over[at + 1]?.hasNumbers === true;
      return NUMBER.test(part.text) && isSure;
    });
    return cuts.includes(-1) || !areApart ? [cell] : parts;
  });
}

const DIGIT = /\d/u;
/** With a sign and a currency before it. */
const NUMBER = /^[-+−(]?\s?\p{Sc}?\s?\d/u;

interface Column extends Pick<Cell, "left" | "right"> {
  hasNumbers: boolean;
}

function asColumn({ left, right, text }: Cell): Column {
  return { left, right, hasNumbers: NUMBER.test(text) };
}

/** Joins what overlaps, from left to right. */
function merged(parts: readonly Column[]): Column[] {
  const columns: Column[] = [];
  for (const part of parts.toSorted((a, b) => a.left - b.left)) {
    const last = columns.at(-1);
    if (last !== undefined && part.left < last.right) {
      last.right = Math.max(last.right, part.right);
      last.hasNumbers ||= part.hasNumbers;
    } else columns.push({ ...part });
  }
  return columns;
}

/** Returns the only column that a cell overlaps; -1 for none, or for several. */
function columnOf({ left, right }: Cell, columns: readonly Column[]): number {
  const overlaps = (column: Column): boolean => left < column.right && right > column.left;
  const first = columns.findIndex(overlaps);
  return first === columns.findLastIndex(overlaps) ? first : -1;
}

function areLong(rows: readonly (readonly string[])[]): boolean {
  const texts = rows.flat();
  return texts.reduce((sum, text) => sum + text.length, 0) > texts.length * LONG_CELL;
}

function written({ rows, end }: Table, first: Line | undefined): WrittenTable {
  const [head = [], ...rest] = rows;
  const hasDigit = (cell: string): boolean => DIGIT.test(cell);
  // Heads are words above numbers, or above at least three columns.
  const isHead =
    head.every((cell) => cell !== "" && !hasDigit(cell)) &&
    (head.length > 2 || rest.every((cells) => cells.slice(1).some(hasDigit)));
  if (isHead) return { rows: rest.map((cells) => rowText(head, cells)), heads: first, end };
  const texts = rows.map((cells) =>
    cells.length === 2 ? cells.join(": ") : cells.filter(Boolean).join("; "),
  );
  return { rows: texts, end };
}
