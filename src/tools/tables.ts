/** Puts tables together again from the passages that ingestion made of them. */
import { basename } from "node:path/posix";
import { cellsOf } from "../answering/plain-text.js";
import type { Passage } from "../retrieval/knowledge-base.js";
import { dateOf, numbersIn, type Table } from "../retrieval/table-query.js";
import { analyse } from "../text/analyse.js";
import { blocksOf } from "../text/passage-blocks.js";
import { linesIn } from "../text/sentences.js";
import { wordSet, wordsOf } from "../text/words.js";
import lists from "./table-words.json" with { type: "json" };

/** A table of a document, with the place of each row. */
export interface FoundTable extends Table {
  passage: Passage;
  /** Line of each row; absent where the format has none. */
  lines: readonly (number | undefined)[];
}

interface GrowingTable extends FoundTable {
  columns: string[];
  rows: Map<string, string>[];
  lines: (number | undefined)[];
}

/** Kinds whose headings are sheets, each of them one table. */
export const SHEETS = new Set(["csv", "xlsx", "opendocument"]);
/** Kinds whose rows are recognized by their place on the page, so that some may be missing. */
const UNSURE_KINDS = new Set(["pdf", "image"]);

export function mayHoldTable(passage: Passage): boolean {
  if (UNSURE_KINDS.has(passage.kind)) return false;
  return blocksOf(passage).some(({ form }) => form === "table" || form === "row");
}

/** Puts the tables of a document together again; one whose rows are not all certain is left out. */
export function tablesIn(passages: readonly Passage[]): FoundTable[] {
  const tables = new Map<string, GrowingTable>();
  const broken = new Set<string>();
  const lastLine = new Map<string, number>();
  const add = (
    key: string,
    passage: Passage,
    cells: Map<string, string>,
    at: number | undefined,
  ): void => {
    const isPlain = passage.kind === "xlsx";
    const table = tables.get(key) ?? { columns: [], rows: [], lines: [], passage, isPlain };
    tables.set(key, table);
    table.columns.push(...[...cells.keys()].filter((name) => !table.columns.includes(name)));
    table.rows.push(cells);
    table.lines.push(at);
  };
  /** Key of the table that the next row may go on with, below the same heading. */
  let open = "";
  let under = "";
  for (const passage of passages.filter(({ kind }) => !UNSURE_KINDS.has(kind))) {
    const { heading = "", text, startLine, endLine = 0, kind } = passage;
    const isSheet = SHEETS.has(kind) && startLine !== undefined;
    if (heading !== under) open = "";
    under = heading;
    const isVerbatim =
      startLine !== undefined && text.split("\n").length === endLine - startLine + 1;
    const lineAt = (place: number): number | undefined =>
      isVerbatim ? startLine + text.slice(0, place).split("\n").length - 1 : startLine;
    // The pieces of a row that was too long for a passage.
    if (isSheet && startLine <= (lastLine.get(heading) ?? 0)) broken.add(heading);
    if (isSheet) lastLine.set(heading, endLine);
    let section = passage;
    for (const block of blocksOf(passage)) {
      const [head, , ...rows] = linesIn(text, block);
      if (head === undefined) continue;
      if (block.form === "heading") {
        // A short section, which was joined to the one above it.
        const names = [passage.heading, head.text.replace(/^#+ /u, "")];
        section = { ...passage, heading: names.filter(Boolean).join(" > ") };
      }
      const { heading = "" } = section;
      if (block.form === "table") {
        const heads = barCells(head.text);
        const key = `${heading}\n${heads.join("|")}`;
        for (const row of rows) {
          const values = barCells(row.text);
          if (values.length > heads.length) broken.add(key);
          const pairs = heads.map((name, index) => [name, values[index] ?? ""] as const);
          const cells = new Map(pairs.filter(([, value]) => value !== ""));
          add(key, section, cells, lineAt(row.start));
        }
      } else if (block.form === "row") {
        const cells = cellsOfRow(text.slice(block.start, block.end));
        const [first] = cells?.keys() ?? [];
        if (isSheet) open = heading;
        // Each row of a table has a cell in the first column; else a new one begins.
        else if (first !== undefined && tables.get(open)?.columns[0] !== first)
          open = `${ROWS}${tables.size}`;
        if (cells === undefined) broken.add(open);
        else add(open, section, cells, lineAt(block.start));
      } else open = "";
    }
  }
  return [...tables].flatMap(([key, table]) => {
    const isTable = !key.startsWith(ROWS) || isSure(table);
    return (isTable && !broken.has(key) && withoutSum(table)) || [];
  });
}

/** Begins the keys of tables that are known by their rows only. */
const ROWS = "\t";

/** False for a list of names and values. */
function isSure({ rows, columns }: FoundTable): boolean {
  return rows.length > 1 && columns.length > 1 && rows.every((row) => row.size > 1);
}

/**
 * Leaves out a last row that sums up those above it; undefined for a table where others may do so
 * too, or where that is not certain. Such a row has fewer texts than others, or a word for it.
 */
function withoutSum(table: FoundTable): FoundTable | undefined {
  const { columns, rows, lines } = table;
  const numeric = columns.flatMap((column) => numbersOf(table, column) ?? []);
  const textsIn = (at: number): number =>
    (rows[at]?.size ?? 0) - numeric.filter((numbers) => numbers[at] !== null).length;
  const isNamed = (at: number): boolean =>
    [...(rows[at]?.values() ?? [])].some((cell) =>
      wordsOf(cell.toLowerCase()).some((word) => SUMS.has(word)),
    );
  const sums = numeric.map(sumsIn);
  const last = rows.length - 1;
  const mayBeSum = (at: number): boolean => isNamed(at) || textsIn(at) < textsIn(0);
  const isSum = (at: number): boolean => {
    const isAlone = at === last && at > 2 && textsIn(at) <= 1;
    return (mayBeSum(at) || isAlone) && sums.some((places) => places.has(at));
  };
  const [first, ...others] = [...rows.keys()].filter(isSum);
  if (first === undefined) return table;
  const isOfAll = numeric.some((numbers) => {
    const above = numbers.slice(0, last);
    return above.reduce((sum: number, each) => sum + (each ?? 0), 0) === numbers[last];
  });
  const isCertain = others.length === 0 && first === last && last > 1 && mayBeSum(last);
  if (!isCertain || !isOfAll) return undefined;
  return { ...table, rows: rows.slice(0, last), lines: lines.slice(0, last) };
}

/** Returns the places of numbers that are the sum of those right above them. */
function sumsIn(numbers: readonly (number | null)[]): ReadonlySet<number> {
  const places = new Set<number>();
  const totals = new Set<number>();
  let total = 0;
  for (const [at, number] of numbers.entries()) {
    totals.add(total);
    if (number !== null && number !== 0 && totals.has(total - number)) places.add(at);
    total += number ?? 0;
  }
  return places;
}

/** Returns the numbers of a column; undefined for one with texts. */
function numbersOf({ rows, isPlain = false }: FoundTable, column: string) {
  try {
    const cells = rows.map((row) => row.get(column) ?? "");
    return [numbersIn(cells, column, isPlain).keys];
  } catch {
    return undefined;
  }
}

export function columnValues({ rows }: FoundTable, column: string): string[] {
  return rows.flatMap((row) => row.get(column) ?? []);
}

/** True if no two rows have the same value. */
export function isKey(table: FoundTable, column: string): boolean {
  return new Set(columnValues(table, column)).size === table.rows.length;
}

/** Returns the unit that all numbers of a column have. */
export function unitOf(table: FoundTable, column: string): string | undefined {
  const values = columnValues(table, column);
  const [unit, another] = new Set(values.map((value) => value.replace(/[-−+\d.,'\s]/gu, "")));
  const isUnit = another === undefined && values.every((value) => /\d/u.test(value));
  return isUnit && /^(?:[%€$£¥]|\p{L}+)$/u.test(unit ?? "") ? unit : undefined;
}

/**
 * False if another cell has a value among other words, as "Sales and Support" does, and for a
 * column without its name if another has the same values, as towns of birth and of work.
 */
export function isClear(
  value: string,
  column: string,
  table: FoundTable,
  named: readonly string[],
): boolean {
  const plain = (text: string): string => ` ${wordsOf(text.toLowerCase()).join(" ")} `;
  const sought = plain(value);
  const texts = columnValues(table, column).filter((cell) => /\p{L}/u.test(cell));
  const values = new Set(texts.map(plain));
  return table.rows.every((row) =>
    [...row].every(([other, text]) => {
      const cell = plain(text);
      if (other !== column && (named.includes(column) || values.has(cell)))
        return named.includes(column);
      return cell === sought || !cell.includes(sought);
    }),
  );
}

export function areDates(values: readonly string[]): boolean {
  return values.length > 0 && values.every((value) => dateOf(value) !== undefined);
}

/** True for a column of dates or times that cannot be numbers. */
export function isTime(table: FoundTable, column: string): boolean {
  const values = columnValues(table, column);
  return areDates(values) && values.some((value) => /\D/u.test(value));
}

export const PERSON = termsOf(lists.people);
/** Names of columns that say when a row was, and nothing else. */
export const WHEN = wordSet(lists.when);
/** Words for a row that sums up others. */
const SUMS = wordSet(lists.sums);
/** Names of columns with people's names, and of those by which some may be people of the past. */
const [NAME, STATE] = [wordSet(lists.names), wordSet(lists.states)];

export function termsOf(words: string): ReadonlySet<string> {
  return new Set(analyse(words).map(({ term }) => term));
}

/** True if some rows may be people who have left; an end is often "–" or "present" for others. */
export function saysWhoLeft(table: FoundTable, column: string): boolean {
  const dates = columnValues(table, column).filter((value) => /\d/u.test(value));
  return (areDates(dates) && dates.length < table.rows.length) || STATE.has(column.toLowerCase());
}

/** True if each row is a person, once: the table is called "staff", or its first column is. */
export function hasPeople(table: FoundTable): boolean {
  const { passage, columns } = table;
  const [first = ""] = columns;
  const isPeople = (named: string): boolean => {
    const [term = "", another] = termsOf(named);
    return PERSON.has(term) && another === undefined;
  };
  const isName = (column: string): boolean => NAME.has(column.toLowerCase().replace(/[ _]/gu, ""));
  const name =
    passage.heading?.split(" > ").at(-1) ?? basename(passage.path).replace(/\.\w+$/u, "");
  return (
    (isPeople(name) || (isPeople(first) && isName(first))) &&
    columns.some(isName) &&
    isKey(table, first)
  );
}

export function byLength(names: Iterable<string>): string[] {
  return [...new Set(names)].sort((a, b) => b.length - a.length);
}

/** Returns the name of a column without a last word such as that of "Start date" or "Paid on". */
export function shortOf(column: string): string {
  const last = analyse(column).at(-1);
  const isLess = last !== undefined && (last.stop || WHEN.has(last.text.toLowerCase()));
  return isLess ? column.slice(0, last.start).trim() : column;
}

function barCells(row: string): string[] {
  return cellsOf(row).map((cell) => cell.replaceAll("`", ""));
}

/** Reads `Head: value; Head: value`; undefined for other text, and for a head that comes twice. */
function cellsOfRow(line: string): Map<string, string> | undefined {
  const cells = new Map<string, string>();
  let last: string | undefined;
  for (const piece of line.split("; ")) {
    const end = piece.indexOf(": ");
    if (end <= 0 && last === undefined) return undefined;
    if (end <= 0) {
      // A cell may hold a semicolon.
      cells.set(last ?? "", `${cells.get(last ?? "") ?? ""}; ${piece}`);
      continue;
    }
    let head = piece.slice(0, end);
    const named = last === undefined ? head.lastIndexOf(" — ") : -1;
    if (named > 0) cells.set("", head.slice(0, named));
    if (named > 0) head = head.slice(named + 3);
    if (cells.has(head)) return undefined;
    cells.set(head, piece.slice(end + 2).trim());
    last = head;
  }
  return cells;
}
