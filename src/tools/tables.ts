/** Puts tables together again from the passages that ingestion made of them. */
import type { Passage } from "../retrieval/knowledge-base.js";
import type { Table } from "../retrieval/table-query.js";

/** A table of a document, with the place of each row. */
export interface FoundTable extends Table {
  passage: Passage;
  /** Line of each row; absent where the format has none. */
  lines: readonly (number | undefined)[];
}

/** Kinds of which every line is a row, written as `Head: value; Head: value`. */
const ROW_KINDS = new Set(["csv", "xlsx", "opendocument"]);
/** Kinds whose rows are recognized by their place on the page, so that some may be missing. */
const UNSURE_KINDS = new Set(["pdf", "image"]);
const RULE = /^\s*\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)*\|?\s*$/u;

/** True for a passage that may be a part of a table. */
export function mayHoldTable({ kind, text }: Passage): boolean {
  if (UNSURE_KINDS.has(kind)) return false;
  const isRow = (line: string): boolean => (cellsOfRow(line)?.size ?? 0) > 1;
  return text.split("\n").some((line) => RULE.test(line) || isRow(line));
}

/** Puts the tables of a document together again; one whose rows are not all certain is left out. */
export function tablesIn(passages: readonly Passage[]): FoundTable[] {
  const tables = new Map<
    string,
    FoundTable & { rows: Map<string, string>[]; lines: (number | undefined)[] }
  >();
  const broken = new Set<string>();
  const lastLine = new Map<string, number>();
  const add = (
    key: string,
    passage: Passage,
    cells: Map<string, string>,
    at: number | undefined,
  ): void => {
    const known = tables.get(key);
    const isPlain = passage.kind === "xlsx";
    const table = known ?? { columns: [], rows: [], lines: [], passage, isPlain };
    const columns = [...new Set([...table.columns, ...cells.keys()])];
    tables.set(key, { ...table, columns, rows: table.rows, lines: table.lines });
    table.rows.push(cells);
    table.lines.push(at);
  };
  /** Key of the table that the next row of a text may go on with. */
  let open = "";
  const addRowsOfText = (passage: Passage): void => {
    for (const part of passage.text.split("\n\n")) {
      const rows = part.split("\n").map(cellsOfRow);
      for (const row of rows) {
        const [first] = row?.keys() ?? [];
        const isRow = first !== undefined && rows.every((each) => each !== undefined);
        // Each row of a table has a cell in the first column; else a new one begins.
        if (!isRow) open = "";
        else if (tables.get(open)?.columns[0] !== first) open = `rows ${tables.size}`;
        if (isRow && row !== undefined) add(open, passage, row, undefined);
      }
    }
  };
  for (const passage of passages) {
    const { heading = "", text, startLine, endLine, kind } = passage;
    const lines = text.split("\n");
    const isVerbatim = startLine !== undefined && lines.length === (endLine ?? 0) - startLine + 1;
    const placeOf = (at: number): number | undefined => (isVerbatim ? startLine + at : startLine);
    if (UNSURE_KINDS.has(kind)) continue;
    // Formats without lines write rows in the same way, between other text.
    if (startLine === undefined) addRowsOfText(passage);
    else if (ROW_KINDS.has(kind)) {
      // The pieces of a row that was too long for a passage.
      if (startLine <= (lastLine.get(heading) ?? 0)) broken.add(heading);
      if (endLine !== undefined) lastLine.set(heading, endLine);
      lines.forEach((line, at) => {
        const cells = cellsOfRow(line);
        if (cells !== undefined) add(heading, passage, cells, placeOf(at));
        else if (tables.has(heading) && line.trim() !== "") broken.add(heading);
      });
    } else
      for (const [at, line] of lines.entries()) {
        if (at === 0 || !RULE.test(line)) continue;
        const heads = barCells(lines[at - 1] ?? "");
        const key = `${heading}\n${heads.join("|")}`;
        for (let row = at + 1; lines[row]?.includes("|") === true; row++) {
          const values = barCells(lines[row] ?? "");
          if (values.length > heads.length) broken.add(key);
          const pairs = heads.map((head, index) => [head, values[index] ?? ""] as const);
          add(key, passage, new Map(pairs.filter(([, value]) => value !== "")), placeOf(row));
        }
      }
  }
  return [...tables].flatMap(([key, table]) => {
    const isTable = table.passage.startLine !== undefined || isSure(table);
    return isTable && !broken.has(key) ? [table] : [];
  });
}

/** False for what may be sentences with colons. */
function isSure({ rows, columns }: FoundTable): boolean {
  return rows.length > 1 && columns.length > 1 && rows.every((row) => row.size > 1);
}

function barCells(row: string): string[] {
  return row
    .trim()
    .replace(/^\||\|$/gu, "")
    .split(/(?<!\\)\|/u)
    .map((cell) => cell.replace(/[*`]/gu, "").trim());
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
