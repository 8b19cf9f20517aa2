/**
 * Recognizes the text of scanned pages with the programs `tesseract` and, for PDFs, `pdftoppm`,
 * where they are installed.
 */
import { execFile } from "node:child_process";
import { parentPort } from "node:worker_threads";
import type { Block } from "../../text/block.js";
import { descendants, parseMarkup, textOf, type Element } from "../../text/markup.js";
import { hasWords } from "../../text/words.js";
import { codeOf } from "../../support/errors.js";
import { LoadError } from "../document.js";
import { printedLine, type Cell, type Line } from "./pdf-lines.js";

/** Pixels of a page's longer side: 200 to the inch on A4, which most scanners deliver. */
const PAGE_PIXELS = "2400";
const MAX_PAGES = 1_000;
const PAGE_MS = 60_000;
const MAX_BYTES = 100_000_000;
/** More languages than these, and only English is looked for: each takes its time. */
const MAX_LANGUAGES = 5;
/** In percent; words that the program is less sure of are named with the passage. */
const DOUBTFUL = 60;

/** First characters of PNG, JPEG and TIFF, and of what `pdftoppm` draws. */
const IMAGES = ["\u0089PNG", "\u00ff\u00d8\u00ff", "II*\0", "MM\0*", "P5"];

/** What a user does about a scan that cannot be read. */
export const HOW_TO_READ = "install tesseract and poppler (pdftoppm), then ingest it again";

export interface ScannedPage {
  lines: Line[];
  scan: NonNullable<Block["scan"]>;
}

/**
 * Recognizes pages of a PDF.
 * @param numbers of the pages, from 1
 * @returns none where a program is not installed
 */
export async function recognizePages(
  pdf: Uint8Array,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, ScannedPage>> {
  if (numbers.length > MAX_PAGES) throw new LoadError(`it has more than ${MAX_PAGES} scans`);
  const pages = new Map<number, ScannedPage>();
  for (const number of numbers) {
    const place = ["-f", String(number), "-l", String(number)];
    const image = await output("pdftoppm", ["-gray", "-scale-to", PAGE_PIXELS, ...place, "-"], pdf);
    const recognized = image && (await recognizeImage(image));
    if (recognized === undefined) return new Map();
    for (const page of recognized) pages.set(number, page);
  }
  return pages;
}

/**
 * Recognizes the text of an image, which may hold several pages.
 * @returns undefined where the program is not installed
 */
export async function recognizeImage(image: Uint8Array): Promise<ScannedPage[] | undefined> {
  // It takes what it does not know for a list of files, and would read these.
  const start = Buffer.from(image.subarray(0, 4)).toString("latin1");
  if (!IMAGES.some((each) => start.startsWith(each))) throw new LoadError("it is not an image");
  const listed = await output("tesseract", ["--list-langs"]);
  if (listed === undefined) return undefined;
  const [, ...installed] = listed.toString().trim().split("\n");
  const languages = installed.filter((each) => each !== "osd" && each !== "equ");
  const chosen = languages.length > MAX_LANGUAGES ? ["eng"] : languages;
  const args = ["-", "-", "-l", chosen.join("+"), "hocr"];
  const page = (await output("tesseract", args, image))?.toString() ?? "";
  // The time that reading a file may take starts again.
  parentPort?.postMessage("page");
  return descendants(parseMarkup(page, { isXml: true }))
    .filter(isOf("ocr_page"))
    .map(pageOf);
}

/** Returns what a program prints; undefined if it is not installed. */
function output(
  program: string,
  args: readonly string[],
  input: Uint8Array = new Uint8Array(),
): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    // Threads of tesseract wait for each other longer than they work.
    const env = { ...process.env, OMP_THREAD_LIMIT: "1" };
    const limits = { maxBuffer: MAX_BYTES, timeout: PAGE_MS, killSignal: "SIGKILL" } as const;
    const child = execFile(program, args, { ...limits, env, encoding: "buffer" }, (error, text) => {
      if (error === null) resolve(text);
      else if (codeOf(error) === "ENOENT") resolve(undefined);
      else reject(new LoadError(`${program} could not read a scan of it`));
    });
    // A program that ends early leaves its input unread.
    child.stdin?.on("error", () => undefined).end(input);
  });
}

const isOf =
  (name: string) =>
  ({ attributes }: Element): boolean =>
    attributes.get("class") === name;

const isLine = ({ children }: Element): boolean =>
  children.some((child) => typeof child !== "string" && isOf("ocrx_word")(child));

/** Reads a property of hOCR: `bbox 135 152 707 215; baseline -0.017 0; x_size 63.4`. */
function numbersOf({ attributes }: Element, name: string): number[] {
  const written = attributes.get("title")?.split("; ") ?? [];
  const found = written.find((each) => each.startsWith(`${name} `)) ?? "";
  return found.split(" ").slice(1).map(Number);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Font size that the text of each page is brought to, in points. */
const TEXT_SIZE = 12;
/** Sizes are measured: those within a quarter of the text's count as one. */
const SIZES = 4;
/** A wider gap, in font sizes, separates cells. */
const CELL_GAP = 1;
/** Ruled lines beside a word. */
const RULES = /^[|]+|[|]+$/gu;
/** Shorter lines, on average over a block, are cells of a table. */
const CELL_CHARACTERS = 30;

function pageOf(page: Element): ScannedPage {
  const below = descendants(page);
  const lines = below.filter(isLine);
  const slope = median(lines.map((line) => numbersOf(line, "baseline")[0] ?? 0));
  const usual = median(lines.map((line) => numbersOf(line, "x_size")[0] ?? 0)) || TEXT_SIZE;
  const scale = TEXT_SIZE / usual;
  const wordsIn = (elements: readonly Element[]): RecognizedWord[] =>
    elements.filter(isOf("ocrx_word")).map((word) => wordOf(word, scale));
  const words = wordsIn(below);
  const read = (line: Element): Line => {
    const [left = 0, , , bottom = 0] = numbersOf(line, "bbox").map((each) => each * scale);
    const [height = usual] = numbersOf(line, "x_size");
    const [, offset = 0] = numbersOf(line, "baseline");
    const written = wordsIn(descendants(line));
    const cells = cellsOf(written.filter((word, at) => !isSpeck(word, at)));
    // Ruled lines through the row of a table make it look like larger print.
    const isRow = cells.length > 2 || median(written.map(({ sure }) => sure)) < DOUBTFUL;
    const size = isRow ? TEXT_SIZE : (Math.round((height / usual) * SIZES) / SIZES) * TEXT_SIZE;
    return rowOf(cells, { y: slope * left - bottom - offset * scale, size });
  };
  const blocks = below.filter(isOf("ocr_carea")).map((block) =>
    descendants(block)
      .filter(isLine)
      .map(read)
      .filter(({ text }) => text !== ""),
  );
  const mean = words.reduce((sum, { sure }) => sum + sure, 0) / Math.max(1, words.length);
  const doubtful = words.filter(({ sure }) => sure < DOUBTFUL).map(({ text }) => text);
  const scan = { confidence: Math.round(mean) / 100, doubtful: doubtful.filter(hasWords) };
  return { lines: withRows(blocks), scan };
}

interface RecognizedWord extends Cell {
  /** In percent. */
  sure: number;
}

function wordOf(word: Element, scale: number): RecognizedWord {
  const [left = 0, , right = 0] = numbersOf(word, "bbox").map((each) => each * scale);
  const [sure = 0] = numbersOf(word, "x_wconf");
  return { text: textOf(word).trim(), left, right, sure };
}

/** True for dust and ruled lines that were taken for signs. A first sign may mark an item. */
function isSpeck({ text, sure }: RecognizedWord, at: number): boolean {
  return sure < DOUBTFUL && at > 0 && !hasWords(text);
}

function cellsOf(words: readonly Cell[]): Cell[] {
  const cells: Cell[] = [];
  for (const { text: recognized, left, right } of words) {
    const text = recognized.replace(RULES, "");
    const cell = cells.at(-1);
    if (cell !== undefined && left - cell.right <= TEXT_SIZE * CELL_GAP) {
      cell.text = `${cell.text} ${text}`.trim();
      cell.right = Math.max(cell.right, right);
    } else cells.push({ text, left, right });
  }
  return cells.filter(({ text }) => text !== "");
}

/** Joins what is at one height in blocks of short lines: a table is recognized by columns. */
function withRows(blocks: readonly Line[][]): Line[] {
  const lines: Line[] = [];
  let cells: Line[] = [];
  const close = (): void => {
    const rows: Line[] = [];
    for (const line of cells.toSorted((a, b) => b.y - a.y)) {
      const above = rows.at(-1);
      if (above === undefined || above.y - line.y > above.size / 2) rows.push(line);
      else rows[rows.length - 1] = rowOf([...above.cells, ...line.cells], above);
    }
    lines.push(...rows);
    cells = [];
  };
  for (const block of blocks) {
    const characters = block.reduce((sum, { text }) => sum + text.length, 0);
    if (characters < block.length * CELL_CHARACTERS) cells.push(...block);
    else {
      close();
      lines.push(...block);
    }
  }
  close();
  return lines;
}

function rowOf(cells: readonly Cell[], place: Pick<Line, "y" | "size">): Line {
  return printedLine(
    cells.toSorted((a, b) => a.left - b.left),
    place,
  );
}
