import { rowText, type Block } from "../../text/block.js";
import { attributesOf, markupTokens } from "../../text/markup.js";
import { requireSaneLength, titleFromName, type Loader } from "../document.js";
import { unzipTexts } from "./archive.js";
import { relations } from "./pptx.js";

const PARTS =
  /^xl\/(?:workbook\.xml|_rels\/workbook\.xml\.rels|sharedStrings\.xml|styles\.xml|worksheets\/[^/]+\.xml)$/;
const MAX_COLUMNS = 500;
const MAX_CELL = 5_000;

/** Loads a workbook: each row as `head: value` pairs under the name of its sheet. */
export const loadXlsx: Loader = async ({ bytes, name }) => {
  const parts = await unzipTexts(bytes, PARTS, "Excel workbook");
  const strings = sharedStrings(parts.get("xl/sharedStrings.xml") ?? "");
  const formats = cellFormats(parts.get("xl/styles.xml") ?? "");
  const targets = relations(parts.get("xl/_rels/workbook.xml.rels") ?? "");
  const blocks: Block[] = [];
  const seen = new Set<string>();
  let characters = 0;
  for (const token of markupTokens(parts.get("xl/workbook.xml") ?? "")) {
    if (token.kind !== "open" || token.name !== "sheet") continue;
    const sheet = attributesOf(token.attributes);
    const target = (targets.get(sheet.get("r:id") ?? "") ?? "").replace(/^\/?(?:xl\/)?/, "xl/");
    if (seen.has(target)) continue;
    seen.add(target);
    let head: readonly string[] | undefined;
    for (const { row, cells } of rowsOf(parts.get(target) ?? "", strings, formats)) {
      if (head === undefined) {
        head = cells;
        continue;
      }
      const text = rowText(head, cells);
      requireSaneLength((characters += text.length));
      const headings = [sheet.get("name") ?? ""].filter((each) => each !== "");
      blocks.push({ text, headings, startLine: row, endLine: row, form: "row" });
    }
    // A sheet of one row is not all head.
    if (head !== undefined && blocks.at(-1)?.headings[0] !== (sheet.get("name") ?? ""))
      blocks.push({
        text: head.filter((cell) => cell !== "").join("; "),
        headings: [sheet.get("name") ?? ""],
        startLine: 1,
        endLine: 1,
        form: "row",
      });
  }
  return { kind: "xlsx", title: titleFromName(name), blocks };
};

/** Rows that hold something, with their numbers. */
function* rowsOf(
  xml: string,
  strings: readonly string[],
  formats: readonly Format[],
): Generator<{ row: number; cells: string[] }> {
  let row = 0;
  let cells: string[] = [];
  let cell = { column: -1, type: "", format: "plain" as Format };
  let text = "";
  let inValue = false;
  for (const token of markupTokens(xml)) {
    if (token.kind === "text") {
      if (inValue) text += token.text.slice(0, MAX_CELL);
      continue;
    }
    const isOpening = token.kind === "open";
    if (token.name === "row" && isOpening) {
      row = Number(attributesOf(token.attributes).get("r") ?? row + 1);
      cells = [];
      cell = { column: -1, type: "", format: "plain" };
    } else if (token.name === "row") {
      if (cells.some((each) => each !== "" && each !== undefined))
        yield { row, cells: Array.from(cells, (each) => each ?? "") };
    } else if (token.name === "c" && isOpening) {
      const given = attributesOf(token.attributes);
      cell = {
        column: columnOf(given.get("r")) ?? cell.column + 1,
        type: given.get("t") ?? "",
        format: formats[Number(given.get("s") ?? -1)] ?? "plain",
      };
      text = "";
    } else if (token.name === "v" || token.name === "t") {
      inValue = isOpening && !token.isEmpty;
    } else if (token.name === "c" && text !== "" && cell.column < MAX_COLUMNS)
      cells[cell.column] = shown(text, cell, strings).slice(0, MAX_CELL);
  }
}

/** `B7` → 1 */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? "")?.[0];
  if (letters === undefined) return undefined;
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function shown(
  text: string,
  { type, format }: { type: string; format: Format },
  strings: readonly string[],
): string {
  if (type === "s") return strings[Number(text)] ?? "";
  if (type === "b") return text === "1" ? "TRUE" : "FALSE";
  const value = Number(text);
  if (type !== "" && type !== "n") return text.trim();
  if (text.trim() === "" || Number.isNaN(value)) return text.trim();
  if (format === "date" && value > 0 && value < 2_958_466) return dateOf(value);
  if (format === "percent") return `${Number((value * 100).toPrecision(12))}%`;
  return String(Number(value.toPrecision(15)));
}

/** Days since the last of 1899, by way of a leap day that 1900 never had (ECMA-376, 18.17.4.1). */
function dateOf(serial: number): string {
  const iso = new Date(Math.round((serial - 25_569) * 86_400) * 1_000).toISOString();
  return serial % 1 === 0 ? iso.slice(0, 10) : iso.slice(0, 16).replace("T", " ");
}

function sharedStrings(xml: string): string[] {
  const strings: string[] = [];
  let text = "";
  let inText = false;
  let inRuby = false;
  for (const token of markupTokens(xml)) {
    if (token.kind === "text") {
      if (inText && !inRuby) text += token.text;
    } else if (token.name === "t") inText = token.kind === "open" && !token.isEmpty;
    else if (token.name === "rph") inRuby = token.kind === "open";
    else if (token.name === "si") {
      if (token.kind === "close" || token.isEmpty) strings.push(text.trim());
      text = "";
    }
  }
  return strings;
}

type Format = "plain" | "date" | "percent";

/** What the numbers of each cell style are: built-in formats by number, others by their code. */
function cellFormats(xml: string): Format[] {
  const codes = new Map<string, string>([
    ["9", "0%"],
    ["10", "0.00%"],
    ...[14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47].map((id): [string, string] => [
      `${id}`,
      "d",
    ]),
  ]);
  const formats: Format[] = [];
  let inCells = false;
  for (const token of markupTokens(xml)) {
    if (token.kind === "text") continue;
    if (token.name === "cellxfs") inCells = token.kind === "open";
    if (token.kind === "close") continue;
    const given = attributesOf(token.attributes);
    if (token.name === "numfmt")
      codes.set(given.get("numfmtid") ?? "", given.get("formatcode") ?? "");
    if (token.name !== "xf" || !inCells) continue;
    const code = (codes.get(given.get("numfmtid") ?? "") ?? "").replace(
      /"[^"]*"|\[[^\]]*\]|\\./g,
      "",
    );
    formats.push(code.includes("%") ? "percent" : /[dmyh]/i.test(code) ? "date" : "plain");
  }
  return formats;
}
