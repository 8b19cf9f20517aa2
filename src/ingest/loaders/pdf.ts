import type { Block } from "../../text/block.js";
import { oneLine } from "../../text/one-line.js";
import { LoadError, requireSaneLength, type Loader } from "../document.js";

/** A line of a page; `y` grows upwards. */
interface Line {
  text: string;
  y: number;
  right: number;
}

/** Loads a PDF page by page, lines joined to paragraphs. */
export const loadPdf: Loader = async (bytes) => {
  const { pages, title } = await readPages(bytes).catch((error: unknown) => {
    if (error instanceof LoadError) throw error;
    const reason = error instanceof Error ? error.message : "unreadable";
    throw new LoadError(
      reason.toLowerCase().includes("password")
        ? "it is protected by a password"
        : `it is not a readable PDF (${reason.slice(0, 100)})`,
    );
  });
  const blocks = withoutRunningLines(pages).flatMap((lines, index) =>
    paragraphsOf(lines).map((text): Block => ({
      text,
      headings: [],
      page: index + 1,
      form: "paragraph",
    })),
  );
  if (blocks.length === 0) throw new LoadError("it holds no text (scanned pages?)", "empty");
  return { title, blocks };
};

async function readPages(bytes: Uint8Array): Promise<{ pages: Line[][]; title: string }> {
  const { getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  try {
    const pages: Line[][] = [];
    let characters = 0;
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const lines = linesOf(items.flatMap((item) => ("str" in item ? [item] : [])));
      requireSaneLength((characters += lines.reduce((sum, { text }) => sum + text.length, 0)));
      pages.push(lines);
      page.cleanup();
    }
    const meta = await document.getMetadata().catch(() => ({ info: {} }));
    const title: unknown = "Title" in meta.info ? meta.info.Title : "";
    return { pages, title: typeof title === "string" ? title.trim() : "" };
  } finally {
    await document.destroy();
  }
}

interface TextItem {
  str: string;
  transform: number[];
  width: number;
  height: number;
  hasEOL: boolean;
}

function linesOf(items: readonly TextItem[]): Line[] {
  const lines: Line[] = [];
  let text = "";
  let at = { y: 0, right: 0 };
  const close = (): void => {
    if (text.trim() !== "") lines.push({ text: oneLine(text), ...at });
    text = "";
  };
  for (const { str, transform, width, height, hasEOL } of items) {
    const [, , , , x = 0, y = 0] = transform;
    if (text !== "" && Math.abs(y - at.y) > Math.max(height, 4) / 2) close();
    if (str !== "") {
      at = { y, right: Math.max(text === "" ? 0 : at.right, x + width) };
      text += str;
    }
    if (hasEOL) close();
  }
  close();
  return lines;
}

/** Share of the width from which a line was broken by the layout and not by its writer. */
const FULL_LINE = 0.8;
/** A gap this many times the usual one separates paragraphs. */
const WIDE_GAP = 1.45;
const BULLETS = ["• ", "‣ ", "▪ ", "● ", "○ "];
const LIST_MARK = /^(?:[–—*-]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s/;
/** A word hyphenated at the end of a line. */
const CUT_WORD = /^\p{Ll}-\n\p{Ll}/u;

function paragraphsOf(lines: readonly Line[]): string[] {
  const gaps = lines.slice(1).map(({ y }, index) => (lines[index]?.y ?? 0) - y);
  const usual =
    gaps.filter((gap) => gap > 0).sort((a, b) => a - b)[Math.floor(gaps.length / 3)] ?? 0;
  const width = lines.reduce((most, { right }) => Math.max(most, right), 0);
  const paragraphs: string[] = [];
  let text = "";
  lines.forEach((line, index) => {
    const before = lines[index - 1];
    const gap = gaps[index - 1] ?? 0;
    const isFull = before !== undefined && before.right >= width * FULL_LINE;
    if (before === undefined) text = line.text;
    else if (gap < 0 || gap > usual * WIDE_GAP) {
      paragraphs.push(text);
      text = line.text;
    } else if (CUT_WORD.test(`${text.slice(-2)}\n${line.text}`))
      text = text.slice(0, -1) + line.text;
    else text += (isFull && !beginsItem(line.text, text) ? " " : "\n") + line.text;
  });
  return [...paragraphs, text].filter(Boolean);
}

/** True for a list mark, unless the sentence goes on: "… on page\n4. The next". */
function beginsItem(line: string, before: string): boolean {
  if (BULLETS.some((bullet) => line.startsWith(bullet))) return true;
  return LIST_MARK.test(line) && ".:;!?".includes(before.at(-1) ?? " ");
}

/** A first or last line on this many pages, and this share, is a header or footer. */
const RUNNING_LINE_PAGES = 4;
const RUNNING_LINE_SHARE = 0.5;

function withoutRunningLines(pages: readonly Line[][]): Line[][] {
  // Digits are ignored because of page numbers.
  const key = (line: Line | undefined): string => (line?.text ?? "").replace(/\d+/g, "#");
  const counts = new Map<string, number>();
  for (const lines of pages)
    for (const line of new Set([key(lines[0]), key(lines.at(-1))]))
      counts.set(line, (counts.get(line) ?? 0) + 1);
  const least = Math.max(RUNNING_LINE_PAGES, pages.length * RUNNING_LINE_SHARE);
  return pages.map((lines) =>
    lines.filter((line, index) => {
      const isOuter = index === 0 || index === lines.length - 1;
      return !isOuter || (counts.get(key(line)) ?? 0) < least;
    }),
  );
}
