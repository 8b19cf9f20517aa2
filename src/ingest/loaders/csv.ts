import { decodeText } from "../decode-text.js";
import { LoadError, titleFromName, type Block, type Loader } from "../document.js";

const DELIMITERS = [",", ";", "\t", "|"];

/** Loads CSV and TSV: each row as `header: value` pairs, so that it can be understood without the header line. */
export const loadCsv: Loader = async ({ bytes, name }) => {
  const { parse } = await import("csv-parse/sync");
  const source = decodeText(bytes);
  const rows: unknown = parseRows(() =>
    parse(source, {
      bom: true,
      delimiter: delimiterOf(source),
      info: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    }),
  );
  const records = Array.isArray(rows) ? rows.flatMap(recordOf) : [];
  const [header, ...rest] = records;
  if (header === undefined) return { kind: "csv", title: titleFromName(name), blocks: [] };
  let before = header.lastLine;
  const blocks = rest.flatMap(({ cells, lastLine }): Block[] => {
    const startLine = before + 1;
    before = lastLine;
    const text = rowText(header.cells, cells);
    return text === "" ? [] : [{ text, headings: [], startLine, endLine: lastLine, form: "row" }];
  });
  return { kind: "csv", title: titleFromName(name), blocks };
};

function parseRows(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    throw new LoadError(
      `it is not valid CSV (${error instanceof Error ? error.message.slice(0, 120) : "unreadable"})`,
    );
  }
}

function recordOf(value: unknown): { cells: string[]; lastLine: number }[] {
  if (typeof value !== "object" || value === null || !("record" in value) || !("info" in value))
    return [];
  const { record, info } = value;
  if (!Array.isArray(record) || typeof info !== "object" || info === null || !("lines" in info))
    return [];
  return [{ cells: record.map((cell) => String(cell).trim()), lastLine: Number(info.lines) }];
}

function rowText(header: readonly string[], cells: readonly string[]): string {
  return cells
    .flatMap((cell, index) =>
      cell === ""
        ? []
        : [`${header[index] || `column ${index + 1}`}: ${cell.replace(/\s*\n\s*/g, " ")}`],
    )
    .join("; ");
}

/** The one that is most frequent in the first line. */
function delimiterOf(source: string): string {
  const first = source.slice(0, source.indexOf("\n") + 1 || undefined);
  const counts = DELIMITERS.map((delimiter) => first.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}
