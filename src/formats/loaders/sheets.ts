/** Rows of tables as `head: value` pairs: Excel workbooks, CSV and TSV. */
import { readMetadata } from "../../state/metadata.js";
import { MAX_REPEATED, rowText, type Block } from "../../text/block.js";
import { decodeText } from "../../text/decode-text.js";
import { descendants, type Element } from "../../text/markup.js";
import { requireSaneLength, type Loader } from "../document.js";
import { statedIn, xmlProperties } from "../metadata.js";
import { elements, relations, unzipTexts } from "./archive.js";

export interface Row {
  cells: readonly string[];
  /** Rows that a merged cell takes, by its column. */
  spans?: ReadonlyMap<number, number> | undefined;
  startLine: number;
  endLine: number;
}

/** More rows of a single cell are a table of one column. */
const MAX_ABOVE = 10;

/**
 * Writes out rows. The first one names the columns, unless it is the only one; what is above a
 * table in rows of a single cell, such as its title, is text.
 */
export function rowBlocks(given: Iterable<Row>, sheet = "") {
  const written = [...given];
  const at = headIn(written);
  const rows = [...written.slice(0, at + 1), ...filledDown(written.slice(at + 1))];
  const head = rows[at]?.cells ?? [];
  const isTable = at + 1 < rows.length;
  const headings = sheet === "" ? [] : [sheet];
  // A workbook of 3 KB can repeat a text until the memory is full, which takes seconds.
  let characters = 0;
  const blocks = rows.flatMap(({ cells, startLine, endLine }, index): Block[] => {
    if (index === at && isTable) return [];
    const text = index > at ? rowText(head, cells) : cells.filter(Boolean).join("; ");
    requireSaneLength((characters += text.length));
    const form = index < at ? "paragraph" : "row";
    return text === "" ? [] : [{ text, headings, startLine, endLine, form }];
  });
  return { blocks, columns: isTable ? head : [] };
}

/** Repeats short cells in all rows that they take, since each row is read by itself. */
function* filledDown(rows: readonly Row[]): Generator<Row> {
  const reaching = new Map<number, { text: string; end: number }>();
  for (const row of rows) {
    const cells = [...row.cells];
    for (const [column, { text, end }] of reaching)
      if (row.startLine <= end) cells[column] ||= text;
    for (const [column, count] of row.spans ?? []) {
      const text = cells[column] ?? "";
      const end = row.startLine + count - 1;
      if (text.length <= MAX_REPEATED) reaching.set(column, { text, end });
    }
    yield { ...row, cells: Array.from(cells, (each) => each ?? "") };
  }
}

/** Returns where the first row of several cells is, or the one above it if its corner is empty. */
function headIn(rows: readonly Row[]): number {
  const first = rows.findIndex(({ cells }) => cells.filter(Boolean).length > 1);
  if (first < 1 || first > MAX_ABOVE) return 0;
  const [above, row] = rows.slice(first - 1, first + 1).map(({ cells }) => cells);
  const column = above?.findIndex(Boolean) ?? -1;
  const isCorner = column > 0 && row?.findLastIndex(Boolean) === column;
  return isCorner ? first - 1 : first;
}

const MAX_COLUMNS = 500;
const MAX_CELL = 5_000;

/** Loads an Excel workbook sheet by sheet, each once. */
export const loadXlsx: Loader = async (bytes) => {
  const parts = await unzipTexts(bytes, "Excel workbook");
  const strings = sharedStrings(parts.get("xl/sharedStrings.xml"));
  const formats = cellFormats(parts.get("xl/styles.xml"));
  const [workbook] = elements(parts.get("xl/workbook.xml"), "workbookpr");
  const isFrom1904 = ["1", "true"].includes(workbook?.attributes.get("date1904") ?? "");
  const dayZero = isFrom1904 ? DAY_ZERO_OF_1904 : DAY_ZERO;
  const targets = relations(parts.get("xl/_rels/workbook.xml.rels"), "xl");
  const sheets = new Map<string, string>();
  for (const { attributes: sheet } of elements(parts.get("xl/workbook.xml"), "sheet")) {
    const target = targets.get(sheet.get("r:id")) ?? "";
    if (!sheets.has(target)) sheets.set(target, sheet.get("name") ?? "");
  }
  const blocks = [...sheets].flatMap(
    ([target, name]) =>
      rowBlocks(xlsxRows(parts.get(target), { strings, formats, dayZero }), name).blocks,
  );
  return { blocks, metadata: xmlProperties(statedIn(parts)) };
};

interface Workbook {
  strings: readonly string[];
  formats: readonly Format[];
  /** Origin of dates, in days since 1970. */
  dayZero: number;
}

function* xlsxRows(xml = "", workbook: Workbook): Generator<Row> {
  let number = 0;
  const merged = mergedIn(xml);
  // Piece by piece: a sheet may have a million rows.
  for (const piece of xml.split("</row>"))
    for (const row of elements(piece, "row")) {
      number = Number(row.attributes.get("r")) || number + 1;
      const cells: string[] = [];
      let column = -1;
      for (const cell of descendants(row).filter(({ name }) => name === "c")) {
        column = columnOf(cell.attributes.get("r")) ?? column + 1;
        const text = displayOf(cell, workbook).slice(0, MAX_CELL);
        if (text !== "" && column < MAX_COLUMNS) cells[column] = text;
      }
      // Omitted cells are holes.
      const all = Array.from(cells, (each) => each ?? "");
      const place = { startLine: number, endLine: number };
      if (all.some(Boolean)) yield { cells: all, spans: merged.get(number), ...place };
    }
}

/** Returns the numbers of rows that merged cells take, by the first row and the column. */
function mergedIn(xml: string): Map<number, Map<number, number>> {
  const merged = new Map<number, Map<number, number>>();
  for (const { attributes } of elements(xml.slice(xml.lastIndexOf("</row>")), "mergecell")) {
    const [from = "", to = ""] = attributes.get("ref")?.split(":") ?? [];
    const [first = 0, last = 0] = [from, to].map((each) => Number(each.replace(/\D/g, "")));
    const row = merged.get(first) ?? new Map<number, number>();
    merged.set(first, row.set(columnOf(from) ?? 0, last - first + 1));
  }
  return merged;
}

/** Returns the text of a cell or a shared string, without phonetic hints (`rPh`) and formulas. */
function writtenIn({ name, children }: Element): string {
  const texts = children.map((child) => {
    if (typeof child !== "string") return child.name === "rph" ? "" : writtenIn(child);
    return name === "v" || name === "t" ? child : "";
  });
  return texts.join("");
}

/** `B7` → 1 */
function columnOf(reference = ""): number | undefined {
  const letters = Array.from(reference).filter((sign) => sign >= "A" && sign <= "Z");
  if (letters.length === 0) return undefined;
  return letters.reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function displayOf(cell: Element, { strings, formats, dayZero }: Workbook): string {
  const text = writtenIn(cell).trim();
  const type = cell.attributes.get("t") ?? "n";
  const format = formats[Number(cell.attributes.get("s") ?? -1)];
  if (type === "s") return strings[Number(text)] ?? "";
  if (type === "b") return text === "1" ? "TRUE" : "FALSE";
  const value = Number(text);
  if (type !== "n" || text === "" || Number.isNaN(value)) return text;
  if (format === "date" && value > 0 && value < 2_958_466) return dateOf(value, dayZero);
  if (format === "duration" && value >= 0) return durationOf(value);
  if (format === "percent") return `${Number((value * 100).toPrecision(12))}%`;
  return String(Number(value.toPrecision(15)));
}

/** 1899-12-30, since dates count a leap day that 1900 never had (ECMA-376, 18.17.4.1). */
const DAY_ZERO = -25_569;
/** Workbooks may count from 1904. */
const DAY_ZERO_OF_1904 = DAY_ZERO + 1_462;

/** Formats a date; below 1 it is a time of day. */
function dateOf(days: number, dayZero: number): string {
  const iso = new Date(Math.round((days + dayZero) * 86_400) * 1_000).toISOString();
  if (days < 1) return iso.slice(11, 16);
  return days % 1 === 0 ? iso.slice(0, 10) : iso.slice(0, 16).replace("T", " ");
}

/** `30:15:00` for 30 hours and a quarter. */
function durationOf(days: number): string {
  const seconds = Math.round(days * 86_400);
  const rest = new Date((seconds % 3_600) * 1_000).toISOString().slice(14, 19);
  return `${Math.floor(seconds / 3_600)}:${rest}`;
}

/** Returns the texts that cells refer to by number. */
function sharedStrings(xml = ""): string[] {
  const strings = xml.split("</si>").flatMap((piece) => elements(piece, "si"));
  return strings.map((each) => writtenIn(each).trim());
}

type Format = "plain" | "date" | "duration" | "percent";

/** Numbers of built-in formats (ECMA-376, 18.8.30). */
const BUILT_IN: Readonly<Record<Exclude<Format, "plain">, readonly number[]>> = {
  date: [14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 47],
  duration: [46],
  percent: [9, 10],
};
/** Literal parts of a format code. */
const LITERAL = /"[^"]*"|\[[^\]]*\]|[\\_*]./g;
/** `[h]:mm` counts hours on beyond a day. */
const ELAPSED = /\[(?:h+|m+|s+)\]/i;

/** Returns the format of each cell style: built-in ones by number, others by their code. */
function cellFormats(xml = ""): Format[] {
  const codes = new Map(
    elements(xml, "numfmt").map(({ attributes: each }) => [
      each.get("numfmtid"),
      each.get("formatcode") ?? "",
    ]),
  );
  const styles = xml.slice(Math.max(0, xml.indexOf("<cellXfs")), xml.indexOf("</cellXfs>"));
  return elements(styles, "xf").map(({ attributes: style }) => {
    const id = style.get("numfmtid");
    const written = codes.get(id) ?? "";
    if (BUILT_IN.duration.includes(Number(id)) || ELAPSED.test(written)) return "duration";
    const code = written.replace(LITERAL, "");
    if (BUILT_IN.percent.includes(Number(id)) || code.includes("%")) return "percent";
    return BUILT_IN.date.includes(Number(id)) || /[dmyh]/i.test(code) ? "date" : "plain";
  });
}

const DELIMITERS = [",", ";", "\t", "|"];
/** Further cells of a row are ignored. */
const MAX_CSV_COLUMNS = 1_000;

/** Loads CSV and TSV row by row; the names of the columns are metadata. */
export const loadCsv: Loader = async (bytes) => {
  const { blocks, columns } = rowBlocks(rowsOf(decodeText(bytes)));
  return { blocks, metadata: readMetadata({ columns }) };
};

/** RFC 4180, relaxed: a cell is quoted, or runs up to the next delimiter. */
function* rowsOf(source: string): Generator<Row> {
  // Excel may name the delimiter in a first line of its own.
  const isNamed = source.startsWith("sep=") && source[5] === "\n";
  const delimiter = isNamed ? source[4] : delimiterOf(source);
  let cells: string[] = [];
  let startLine = isNamed ? 2 : 1;
  let line = startLine;
  for (let at = isNamed ? 6 : 0; at < source.length;) {
    const close = source[at] === '"' ? closingQuote(source, at + 1) : -1;
    let cell = "";
    let end = at;
    if (close !== -1) {
      cell = source.slice(at + 1, close).replaceAll('""', '"');
      line += cell.split("\n").length - 1;
      end = close + 1;
    }
    const from = end;
    while (end < source.length && source[end] !== delimiter && source[end] !== "\n") end += 1;
    cell += source.slice(from, end);
    if (cells.length < MAX_CSV_COLUMNS) cells.push(cell.trim());
    at = end + 1;
    if (source[end] === delimiter && at < source.length) continue;
    if (cells.some((each) => each !== "")) yield { cells, startLine, endLine: line };
    line += 1;
    startLine = line;
    cells = [];
  }
}

/** Returns -1 for a quote that is never closed; it then counts as plain text. */
function closingQuote(source: string, from: number): number {
  let at = source.indexOf('"', from);
  while (at !== -1 && source[at + 1] === '"') at = source.indexOf('"', at + 2);
  return at;
}

/** Lines that are compared to find the delimiter, and their characters. */
const SAMPLE_LINES = 20;
const SAMPLE = 20_000;

/**
 * Returns the delimiter that most lines have as often as the line before, outside of quotes. The
 * first line counts for itself too, but less: it may be a title.
 */
function delimiterOf(source: string): string {
  const unquoted = source.slice(0, SAMPLE).split('"');
  const text = unquoted.filter((_, at) => at % 2 === 0).join("");
  const lines = text.split("\n", SAMPLE_LINES);
  const scores = DELIMITERS.map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter).length - 1);
    const alike = counts.filter((count, at) => count > 0 && count === counts[at - 1]);
    return alike.length + (counts[0] ?? 0) / 2;
  });
  return DELIMITERS[scores.indexOf(Math.max(...scores))] ?? ",";
}
