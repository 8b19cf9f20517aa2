import {
  EmptyDocumentError,
  LoadError,
  titleFromName,
  type Block,
  type Loader,
} from "../document.js";

/** On how many pages, and on what share of them, a first or last line must recur to be taken for a running header or footer. */
const RUNNING_LINE_PAGES = 4;
const RUNNING_LINE_SHARE = 0.5;

/** Loads a PDF page by page. One of pictures without text is reported. */
export const loadPdf: Loader = async ({ bytes, name }) => {
  const { extractText, getDocumentProxy, getMeta } = await import("unpdf");
  const read = async (): Promise<{ pages: string[]; title: unknown }> => {
    const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
    try {
      const { text } = await extractText(document, { mergePages: false });
      const meta = await getMeta(document).catch(() => ({ info: {} }));
      return { pages: text, title: "Title" in meta.info ? meta.info["Title"] : undefined };
    } finally {
      await document.destroy();
    }
  };
  const { pages, title } = await read().catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : "unreadable";
    throw new LoadError(
      /password/i.test(reason)
        ? "it is protected by a password"
        : `it is not a readable PDF (${reason.slice(0, 100)})`,
    );
  });
  const blocks = withoutRunningLines(
    pages.map((page) => page.split("\n").map((line) => line.trim())),
  ).flatMap((lines, index) => pageBlocks(lines, index + 1));
  if (blocks.length === 0) throw new EmptyDocumentError("it holds no text (scanned pages?)");
  return {
    kind: "pdf",
    title: typeof title === "string" && title.trim() !== "" ? title.trim() : titleFromName(name),
    blocks,
  };
};

function pageBlocks(lines: readonly string[], page: number): Block[] {
  const text = lines
    .join("\n")
    // A word that was hyphenated at the line's end.
    .replace(/(\p{Ll})-\n(?=\p{Ll})/gu, "$1")
    .trim();
  return text
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph) => ({ text: paragraph.trim(), headings: [], page, form: "paragraph" }));
}

function withoutRunningLines(pages: readonly string[][]): string[][] {
  // Page numbers differ from page to page, so digits are ignored.
  const key = (line: string | undefined): string => (line ?? "").replace(/\d+/g, "#");
  const counts = new Map<string, number>();
  for (const lines of pages)
    for (const line of new Set([key(lines[0]), key(lines.at(-1))]))
      counts.set(line, (counts.get(line) ?? 0) + 1);
  const running = (line: string | undefined): boolean => {
    const count = counts.get(key(line)) ?? 0;
    return count >= RUNNING_LINE_PAGES && count >= pages.length * RUNNING_LINE_SHARE;
  };
  return pages.map((lines) =>
    lines.filter((line, index) => !((index === 0 || index === lines.length - 1) && running(line))),
  );
}
