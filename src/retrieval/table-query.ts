/** Filters and sums the rows of a table in SQL, exactly, or says why it cannot. */
import { z } from "zod";
import { fold } from "../text/analyse.js";
import { extractDates } from "../text/literals.js";
import { oneLine } from "../text/words.js";
import { openInMemory } from "./sqlite/database.js";

export interface Table {
  columns: readonly string[];
  /** Cells by column; empty ones are absent. */
  rows: readonly ReadonlyMap<string, string>[];
  /** True if numbers are written with a decimal point and without groups, as in a workbook. */
  isPlain?: boolean;
}

export const TableQuerySchema = z.object({
  where: z
    .array(
      z.object({
        column: z.string(),
        test: z.enum(["is", "is_not", "contains", "above", "at_least", "below", "at_most"]),
        value: z.string().describe("May name a column to compare with"),
      }),
    )
    .max(8)
    .default([])
    .describe("Rows that pass all of these; none means all rows"),
  compute: z.enum(["rows", "count", "sum", "average", "highest", "lowest"]),
  column: z.string().optional().describe("The column of numbers, for all but rows and count"),
});
export type TableQuery = z.output<typeof TableQuerySchema>;

export interface TableResult {
  /** The computed number as it is shown, with its unit; absent for `rows`. */
  value?: string;
  /** Positions of the rows that passed, those with the value for `highest` and `lowest`. */
  rows: number[];
  passed: number;
  /** Rows that passed, but have an empty cell in the column. */
  empty: number;
}

export const BOUNDS = { above: ">", at_least: ">=", below: "<", at_most: "<=" } as const;

/** @throws Error with one line for a column that does not exist or whose numbers are in doubt */
export async function queryTable(
  { columns, rows, isPlain = false }: Table,
  { where, compute, column }: TableQuery,
): Promise<TableResult> {
  const cellsIn = (name: string): string[] => rows.map((row) => row.get(name) ?? "");
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const stored: (string | number | null)[][] = [];
  const store = (cells: (string | number | null)[]): string => `c${stored.push(cells) - 1}`;
  for (const { column: named, test, value } of where) {
    const name = columnNamed(named, columns);
    if (test === "is" || test === "is_not" || test === "contains") {
      const cell = store(cellsIn(name).map(plain));
      conditions.push(
        test === "contains" ? `instr(${cell}, ?)` : `${cell} ${test === "is" ? "=" : "<>"} ?`,
      );
      values.push(plain(value));
    } else {
      const isColumn = columns.includes(value);
      const compared = isColumn ? cellsIn(value) : [];
      const bounded = [...cellsIn(name), ...compared];
      const { keys } = readCells(bounded, name, isPlain, isColumn ? "" : value);
      const cell = store(keys.slice(0, rows.length));
      if (isColumn) {
        conditions.push(`${cell} ${BOUNDS[test]} ${store(keys.slice(rows.length))}`);
        continue;
      }
      const bound = keys.at(-1) ?? "";
      if (value.trim() === "") throw new Error(`${name} is compared with nothing`);
      conditions.push(`${cell} ${BOUNDS[test]} ?`);
      // "After 2020" and "at most 2020" are beyond all days of 2020.
      const isEnd = test === "above" || test === "at_most";
      values.push(typeof bound === "string" && isEnd ? `${bound}~` : bound);
    }
  }
  const isNumeric = compute !== "rows" && compute !== "count";
  if (isNumeric && column === undefined) throw new Error(`a column is needed for ${compute}`);
  const name = isNumeric ? columnNamed(column ?? "", columns) : "";
  const isOne = compute === "highest" || compute === "lowest";
  const cells = cellsIn(name);
  const { keys, decimals, unit } = isOne
    ? readCells(cells, name, isPlain)
    : numbersIn(cells, name, isPlain);
  const target = store(keys);
  const database = await openInMemory();
  try {
    const names = stored.map((_, at) => `c${at}`);
    database.exec(`CREATE TABLE cells (at INTEGER PRIMARY KEY, ${names.join(", ")})`);
    database.transaction(() => {
      for (const at of rows.keys())
        database.insert("cells", {
          at,
          ...Object.fromEntries(names.map((key, index) => [key, stored[index]?.[at] ?? null])),
        });
    });
    const passing = ["true", ...conditions].join(" AND ");
    const select = (what: string): Record<string, unknown>[] =>
      database.all(`SELECT ${what} FROM cells WHERE ${passing} ORDER BY at`, values);
    const all = select("at").map(({ at }) => Number(at));
    if (compute === "rows") return { rows: all, passed: all.length, empty: 0 };
    if (compute === "count")
      return { rows: all, passed: all.length, empty: 0, value: all.length.toLocaleString("en") };
    const [computed = {}] = select(
      `count(${target}) AS filled, sum(${target}) AS total, ` +
        `min(${target}) AS lowest, max(${target}) AS highest`,
    );
    const filled = Number(computed["filled"]);
    if (filled === 0) throw new Error(`no row that passes has a number in ${name}`);
    const extreme = isOne ? computed[compute] : undefined;
    const found = all.filter((at) => (isOne ? keys[at] === extreme : keys[at] !== null));
    const passed = { rows: found, passed: all.length, empty: all.length - filled };
    if (typeof extreme === "string") return { ...passed, value: cells[found[0] ?? 0] };
    const scaled = Number(extreme ?? computed["total"]);
    if (!Number.isSafeInteger(scaled)) throw new Error(`the numbers in ${name} are too large`);
    const isMean = compute === "average";
    const result = (scaled / 10 ** decimals / (isMean ? filled : 1)).toLocaleString("en", {
      minimumFractionDigits: !isMean && decimals === 2 ? 2 : 0,
      maximumFractionDigits: isMean ? decimals + 2 : decimals,
    });
    return { ...passed, value: [result, unit].filter(Boolean).join(" ") };
  } finally {
    database.close();
  }
}

/** Compares cells whatever their case, accents and spacing. */
function plain(cell: string): string {
  return fold(oneLine(cell));
}

/** Finds a column by its name, or the only one whose name contains it or is part of it. */
function columnNamed(named: string, columns: readonly string[]): string {
  const plainName = plain(named);
  const exact = columns.filter((column) => plain(column) === plainName);
  const similar = columns.filter(
    (column) =>
      plainName !== "" && (plain(column).includes(plainName) || plainName.includes(plain(column))),
  );
  const [found, another] = exact.length > 0 ? exact : similar;
  if (found !== undefined && another === undefined) return found;
  throw new Error(`there is no column "${named}"; the columns are ${columns.join(", ")}`);
}

/** What compares as the cells do; null for empty ones. Numbers are whole, of the last decimal. */
interface Keys<Key = number | string> {
  keys: (Key | null)[];
  decimals: number;
  unit: string;
}

/**
 * Reads cells as dates or times of day if all are, else as numbers; years alone are numbers.
 * @param bound is compared with them, and read as the last one
 * @throws Error if they are neither, or one is a part of another, as a year is of its days
 */
function readCells(cells: readonly string[], column: string, isPlain = false, bound = ""): Keys {
  const times = cells.map((cell) => (cell.trim() === "" ? null : dateOf(cell)));
  const known = times.flatMap((time) => time ?? []);
  const isTime = !times.includes(undefined) && known.some((time) => /\D/u.test(time));
  const end = dateOf(bound);
  if (!isTime || (bound !== "" && end === undefined))
    return numbersIn(cells, column, isPlain, bound);
  const isPart = (one = "", of = ""): boolean => one !== of && of.startsWith(one);
  const sorted = known.toSorted();
  const isUnsure = sorted.some((time, at) => {
    const isMixed = time.startsWith("T") !== (end ?? sorted[0])?.startsWith("T");
    return isMixed || isPart(time, end ?? sorted[at + 1]);
  });
  if (isUnsure) throw new Error(`not all dates in ${column} can be compared`);
  const keys = times.map((time) => time ?? null);
  return { keys: end === undefined ? keys : [...keys, end], decimals: 0, unit: "" };
}

/**
 * Reads a date, a month, a year or a time of day, so that the texts compare as the times do;
 * undefined for anything else, and for 03/04/2020, which may be in March or April.
 * @example dateOf("1 March 2020") // "2020-03-01"
 */
export function dateOf(text: string): string | undefined {
  const cell = text.trim().replace(/^(\d\d?)\.(\d\d?)\.(\d{4})\b/u, "$3-$2-$1");
  if (/^[12]\d{3}(?:-(?:0[1-9]|1[0-2]))?$/u.test(cell)) return cell;
  const [, day = "", clock] = /^(.*?)[T ]?((?<![\d:])\d?\d:\d\d)?$/u.exec(cell) ?? [];
  const time = clock === undefined ? "" : `T${clock.padStart(5, "0")}`;
  const [date] = extractDates(day);
  if (date?.year === undefined || date.text !== day) return day === "" && time ? time : undefined;
  const parts = [date.month, date.day].flatMap((part) => part ?? []);
  return [date.year, ...parts.map((part) => String(part).padStart(2, "0"))].join("-") + time;
}

/** Matches a number or a date to compare with, in a sentence. */
export const BOUND =
  String.raw`(?:(?:\d{1,2}\s+)?\p{L}+\s+(?:\d{1,2},\s+)?\d{4}|` +
  String.raw`(?:[€$£¥]\s?)?\d[\d.,:/-]*(?<=\d)(?:\s?[%€$£¥])?)(?![\p{L}\d])`;

/** Groups: currency before, sign, currency again, figures, unit behind. */
const NUMBER =
  /^([€$£¥]|[A-Z]{3}\b)?\s?([-−+]?)\s?([€$£¥])?(\d[\d.,'\s]*?)\s?(%|[€$£¥]|\p{L}{1,12})?$/u;
const POINT = /^(?:[1-9]\d{0,2}(?:[,'\s]\d{3})+|\d+)(?:\.(\d+))?$/u;
const COMMA = /^(?:[1-9]\d{0,2}(?:[.'\s]\d{3})+|\d+)(?:,(\d+))?$/u;

/**
 * Reads all numbers of a column as whole numbers of its smallest decimal; null for empty cells.
 * The bound may lack their unit.
 * @throws Error if a cell is no number, or it is not clear whether 1.234 is more than a thousand
 */
export function numbersIn(
  cells: readonly string[],
  column: string,
  isPlain = false,
  bound = "",
): Keys<number> {
  const read = [...cells, ...(bound === "" ? [] : [bound])].map((cell, at) => {
    if (cell.trim() === "") return undefined;
    const [, before, sign = "", inner, figures = "", after] = NUMBER.exec(cell.trim()) ?? [];
    if (figures === "")
      throw new Error(`not all of ${column} are numbers, so nothing is computed: "${cell}"`);
    const unit = before ?? inner ?? after ?? (at === cells.length ? undefined : "");
    return { figures, unit, isBelow: sign === "-" || sign === "−" };
  });
  const filled = read.flatMap((each) => each ?? []);
  const units = [...new Set(filled.flatMap(({ unit }) => unit ?? []))];
  if (units.length > 1)
    throw new Error(
      `the numbers in ${column} have several units: ` +
        units.map((unit) => unit || "none").join(", "),
    );
  const ways = [POINT, COMMA].filter((way) => filled.every(({ figures }) => way.test(figures)));
  const isGrouped = filled.some(({ figures }) => figures.includes(".") || figures.includes(","));
  const [way] = ways;
  if (way === undefined || (ways.length > 1 && isGrouped && !isPlain))
    throw new Error(
      `it is not clear how the numbers in ${column} are written, so nothing is computed`,
    );
  const fractionOf = (figures: string): string => way.exec(figures)?.[1] ?? "";
  const decimals = Math.max(0, ...filled.map(({ figures }) => fractionOf(figures).length));
  const keys = read.map((each) => {
    if (each === undefined) return null;
    const fraction = fractionOf(each.figures);
    const whole = fraction === "" ? each.figures : each.figures.slice(0, -fraction.length - 1);
    const number = Number(whole.replace(/\D/gu, "") + fraction.padEnd(decimals, "0"));
    if (!Number.isSafeInteger(number)) throw new Error(`a number in ${column} is too large`);
    return each.isBelow ? -number : number;
  });
  return { keys, decimals, unit: units[0] ?? "" };
}
