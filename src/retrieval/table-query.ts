/** Filters and sums the rows of a table in SQL, exactly, or says why it cannot. */
import { z } from "zod";
import { fold } from "../text/analyse.js";
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
        value: z.string(),
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

const BOUNDS = { above: ">", at_least: ">=", below: "<", at_most: "<=" } as const;

/** @throws Error with one line for a column that does not exist or whose numbers are in doubt */
export async function queryTable(
  { columns, rows, isPlain = false }: Table,
  { where, compute, column }: TableQuery,
): Promise<TableResult> {
  const cellsIn = (name: string): string[] => rows.map((row) => row.get(name) ?? "");
  const conditions: string[] = [];
  const values: (string | number | null)[] = [];
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
      if (value.trim() === "") throw new Error(`${name} is compared with nothing`);
      const { keys } = numbersIn(cellsIn(name), name, isPlain, value);
      values.push(keys.pop() ?? null);
      conditions.push(`${store(keys)} ${BOUNDS[test]} ?`);
    }
  }
  const isNumeric = compute !== "rows" && compute !== "count";
  if (isNumeric && column === undefined) throw new Error(`a column is needed for ${compute}`);
  const name = isNumeric ? columnNamed(column ?? "", columns) : "";
  const isOne = compute === "highest" || compute === "lowest";
  const cells = cellsIn(name);
  const { keys, decimals, unit } = numbersIn(cells, name, isPlain);
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

/** Whole numbers, of the last decimal; null for empty cells. */
interface Keys {
  keys: (number | null)[];
  decimals: number;
  unit: string;
}

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
): Keys {
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
