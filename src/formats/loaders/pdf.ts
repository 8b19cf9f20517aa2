/** PDF: pages with text, and those that are scans. */
import { HeadingPath, type Block } from "../../text/block.js";
import { oneLine } from "../../text/words.js";
import { LoadError, type Loader } from "../document.js";
import { hasLeader, printedLines, tableAt, tableBelow, type Line } from "./pdf-lines.js";
import { pdfProperties } from "../metadata.js";
import { compoundsIn, endsEvenly, layoutOf, paragraphsOf } from "./pdf-paragraphs.js";
import { paragraphs } from "./text.js";
import { HOW_TO_READ, recognizeImage, recognizePages, type ScannedPage } from "./scans.js";

/** Loads a PDF page by page: headings by font size, lines joined to paragraphs. */
export const loadPdf: Loader = async (bytes) => {
  const { pages, title, metadata, scans } = await readPages(bytes).catch((error: unknown) => {
    if (error instanceof LoadError) throw error;
    const reason = error instanceof Error ? error.message : "unreadable";
    throw new LoadError(
      reason.toLowerCase().includes("password")
        ? "it is protected by a password"
        : `it is not a readable PDF (${reason.slice(0, 100)})`,
    );
  });
  const recognized = await recognizePages(bytes, scans);
  for (const [number, { lines }] of recognized) pages[number - 1] = lines;
  const { first, blocks } = blocksOf(withoutRunningLines(pages), recognized);
  const unread = scans.filter((number) => !recognized.has(number)).join(", ");
  if (blocks.length === 0)
    throw new LoadError(unread === "" ? "it holds no text" : `its pages are scans: ${HOW_TO_READ}`);
  const note = unread === "" ? undefined : `pages that are scans (${unread}): ${HOW_TO_READ}`;
  return { title: title || first, blocks, metadata, note };
};

export const loadImage: Loader = async (bytes) => {
  const recognized = await recognizeImage(bytes);
  if (recognized === undefined)
    throw new LoadError(`it is an image of text: ${HOW_TO_READ}`, "unknown");
  const pages = new Map(recognized.map((page, index) => [index + 1, page]));
  const { first, blocks } = blocksOf(
    recognized.map(({ lines }) => lines),
    pages,
  );
  if (blocks.length === 0) throw new LoadError("no text was recognized in it", "empty");
  return { title: first, blocks };
};

/** @returns `first`: the first heading, unless text precedes it */
function blocksOf(pages: readonly Line[][], scans: ReadonlyMap<number, ScannedPage>) {
  const [printed, scanned] = [false, true].map((isScan) =>
    headingLevels(pages.filter((_, index) => scans.has(index + 1) === isScan).flat()),
  );
  const written = compoundsIn(pages.flat());
  const path = new HeadingPath();
  const blocks: Block[] = [];
  /** A heading without text below it so far. */
  let bare: { block: Block; level: number } | undefined;
  let first: string | undefined;
  /** Heads of a table that may go on. */
  let open: Line | undefined;
  pages.forEach((lines, index) => {
    const page = index + 1;
    const scan = scans.get(page)?.scan;
    const levels = scan === undefined ? printed : scanned;
    const blockOf = (text: string): Block => ({
      ...{ text, headings: path.texts, page, form: "paragraph" },
      ...(scan && { scan }),
    });
    const { parts, heads } = withTables(lines, open);
    open = heads;
    for (const { run, layout, size, rows } of parts.flatMap(runsOf)) {
      const level = levels?.get(size);
      if (level === undefined || rows !== undefined || run.some(hasLeader)) {
        const read = rows?.map((text) => ({ text, form: "row" as const }));
        const added = read ?? paragraphsOf(run, layout, written).flatMap(paragraphs);
        for (const { text, form } of added) blocks.push({ ...blockOf(text), form });
        bare = undefined;
        continue;
      }
      for (const heading of paragraphsOf(run, { ...layout, gap: size }, written)) {
        const text = oneLine(heading);
        // Nothing but headings: a cover, or figures in large print.
        if (bare !== undefined && bare.level >= level) blocks.push(bare.block);
        path.enter(level, "");
        const block = blockOf(text);
        const isHeading = path.enter(level, text);
        // Large print that is too long for a heading is text.
        if (!isHeading) blocks.push(block);
        bare = isHeading ? { block, level } : undefined;
        if (isHeading && level === 1 && blocks.length === 0) first ??= text;
      }
    }
  });
  if (bare !== undefined) blocks.push(bare.block);
  return { first, blocks };
}

interface Part {
  lines: Line[];
  rows?: string[];
}

/** @param heads of the table that ended the page before */
function withTables(lines: readonly Line[], heads?: Line): { parts: Part[]; heads?: Line } {
  const parts: Part[] = [];
  let open: Line | undefined;
  for (let at = 0; at < lines.length;) {
    const table = (at === 0 && heads && tableBelow(heads, lines)) || tableAt(lines, at);
    const last = parts.at(-1);
    const line = lines.slice(at, at + 1);
    open = table?.end === lines.length ? table.heads : undefined;
    if (table !== undefined) parts.push({ lines: line, rows: table.rows });
    else if (last !== undefined && last.rows === undefined) last.lines.push(...line);
    else parts.push({ lines: line });
    at = table?.end ?? at + 1;
  }
  return { parts, ...(open && { heads: open }) };
}

/** Cuts text where a column of the page begins, and where the font size changes. */
function runsOf({ lines, rows }: Part) {
  const columns = cutBefore(lines, (line, before) => line.y > before.y + line.size);
  return columns.flatMap((column) => {
    const ofOneSize = cutBefore(column, (line, before) => line.size !== before.size);
    return ofOneSize.map((run) => {
      const size = run[0]?.size ?? 0;
      // A title may be wider than the column below it.
      const likeIt = column.filter((line) => line.size === size);
      return { run, rows, size, layout: layoutOf(endsEvenly(run) ? run : likeIt) };
    });
  });
}

/** Font size of a heading, relative to that of the text. */
const LARGER = 1.15;

/** Maps font sizes of headings to levels, the largest to 1. The most common size is the text's. */
function headingLevels(lines: readonly Line[]): ReadonlyMap<number, number> {
  const characters = new Map<number, number>();
  for (const { size, text } of lines)
    characters.set(size, (characters.get(size) ?? 0) + text.length);
  const [[textSize] = [0]] = [...characters].sort(([, a], [, b]) => b - a);
  const larger = [...characters.keys()].filter((size) => size >= textSize * LARGER);
  return new Map(larger.sort((a, b) => b - a).map((size, index) => [size, index + 1]));
}

function cutBefore(lines: readonly Line[], isNew: (line: Line, before: Line) => boolean): Line[][] {
  const parts: Line[][] = [];
  for (const line of lines) {
    const part = parts.at(-1);
    const before = part?.at(-1);
    if (before === undefined || isNew(line, before)) parts.push([line]);
    else part?.push(line);
  }
  return parts;
}

/** Placeholder titles written by programs: "(anonymous)", "Untitled-1". */
const UNNAMED = ["(", "untitled"];

async function readPages(bytes: Uint8Array) {
  const { getDocumentProxy, getResolvedPDFJS } = await import("unpdf");
  const { OPS } = await getResolvedPDFJS();
  const images = [OPS.paintImageXObject, OPS.paintInlineImageXObject, OPS.paintImageMaskXObject];
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  try {
    const pages: Line[][] = [];
    /** Numbers of the pages that show images and hold no text. */
    const scans: number[] = [];
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const lines = printedLines(items.flatMap((item) => ("str" in item ? [item] : [])));
      pages.push(lines);
      if (lines.length === 0) {
        const { fnArray } = await page.getOperatorList();
        if (images.some((each) => fnArray.includes(each))) scans.push(number);
      }
      page.cleanup();
    }
    const meta = await document.getMetadata().catch(() => ({ info: {} }));
    const given: unknown = "Title" in meta.info ? meta.info.Title : "";
    const title = typeof given === "string" ? given.trim() : "";
    const isNamed = !UNNAMED.some((start) => title.toLowerCase().startsWith(start));
    return { pages, title: isNamed ? title : "", metadata: pdfProperties(meta.info), scans };
  } finally {
    await document.destroy();
  }
}

/** A first or last line on this many pages, and this share, is a header or footer. */
const RUNNING_LINE_PAGES = 4;
const RUNNING_LINE_SHARE = 0.5;

function withoutRunningLines(pages: readonly Line[][]): Line[][] {
  const least = Math.max(RUNNING_LINE_PAGES, pages.length * RUNNING_LINE_SHARE);
  const counts = new Map<string, number>();
  pages.forEach((lines, page) => {
    const outer = new Set([...signsOf(lines[0], page), ...signsOf(lines.at(-1), page)]);
    for (const sign of outer) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  });
  return pages.map((lines, page) =>
    lines.filter((line, index) => {
      const isOuter = index === 0 || index === lines.length - 1;
      return !isOuter || signsOf(line, page).every((sign) => (counts.get(sign) ?? 0) < least);
    }),
  );
}

/** What tells a running line: its words, or a number that counts the pages. */
function signsOf(line: Line | undefined, page: number): string[] {
  const text = line?.text ?? "";
  const numbers = text.match(/^\d+(?=\s|$)|(?<=\s)\d+$/g) ?? [];
  return [text.replace(/\d+/g, "#"), ...numbers.map((number) => `page ${Number(number) - page}`)];
}
