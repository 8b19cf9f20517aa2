import { decodeText } from "../../text/decode-text.js";
import type { Loader } from "../document.js";
import { rowBlocks, type Row } from "./sheets.js";

const DELIMITERS = [",", ";", "\t", "|"];
/** Cells of a row that are read. */
const MAX_COLUMNS = 1_000;

/** Loads CSV and TSV row by row. */
export const loadCsv: Loader = async (bytes) => ({ blocks: rowBlocks(rowsOf(decodeText(bytes))) });

/**
 * A quoted cell with its doubled quotes, or anything up to the next delimiter (RFC 4180, relaxed).
 */
function* rowsOf(source: string): Generator<Row> {
  const delimiter = delimiterOf(source);
  let cells: string[] = [];
  let line = 1;
  let startLine = 1;
  for (let at = 0; at < source.length;) {
    let end = at;
    let cell = "";
    if (source[at] === '"') {
      end = closingQuote(source, at + 1);
      cell = source.slice(at + 1, end).replaceAll('""', '"');
      line += cell.split("\n").length - 1;
      end += 1;
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

/** A quote that is never closed is a cell to the end of its line. */
function closingQuote(source: string, from: number): number {
  let at = source.indexOf('"', from);
  while (at !== -1 && source[at + 1] === '"') at = source.indexOf('"', at + 2);
  if (at !== -1) return at;
  const lineEnd = source.indexOf("\n", from);
  return (lineEnd === -1 ? source.length : lineEnd) - 1;
}

/** The one that is most frequent in the first line. */
function delimiterOf(source: string): string {
  const first = source.slice(0, source.indexOf("\n") + 1 || undefined);
  const counts = DELIMITERS.map((delimiter) => first.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}
