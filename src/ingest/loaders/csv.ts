import { decodeText } from "../../text/decode-text.js";
import type { Loader } from "../document.js";
import { rowBlocks, type Row } from "./sheets.js";

const DELIMITERS = [",", ";", "\t", "|"];
/** Further cells of a row are ignored. */
const MAX_COLUMNS = 1_000;

/** Loads CSV and TSV row by row. */
export const loadCsv: Loader = async (bytes) => ({ blocks: rowBlocks(rowsOf(decodeText(bytes))) });

/** RFC 4180, relaxed: a cell is quoted, or runs up to the next delimiter. */
function* rowsOf(source: string): Generator<Row> {
  // Excel may name the delimiter in a first line of its own.
  const [named = "", given] = /^sep=(.)\n/.exec(source) ?? [];
  const delimiter = given ?? delimiterOf(source);
  let cells: string[] = [];
  let startLine = named === "" ? 1 : 2;
  let line = startLine;
  for (let at = named.length; at < source.length;) {
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
    if (cells.length < MAX_COLUMNS) cells.push(cell.trim());
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
