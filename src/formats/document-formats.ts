/** The formats of documents, and the loading of a file by its ending. */
import path from "node:path";
import { lengthOf, MAX_HEADING } from "../text/block.js";
import { NotTextError } from "../text/decode-text.js";
import { oneLine } from "../text/words.js";
import { LoadError, requireSaneLength, type Loader } from "./document.js";

/** A new format needs a row here and its loader in `loaders/`. */
interface DocumentFormat {
  /** As named to people. */
  label: string;
  /** Endings of its files, without the dot. */
  endings: readonly string[];
  /** Imports its loader, on first use. */
  load: () => Promise<Loader>;
  /** Passages: Markdown; Markdown whose `lines` count; no markup; none, in lines of a column. */
  text: "markdown" | "lines" | "plain" | "printed";
}

const row = (
  label: string,
  endings: string,
  load: DocumentFormat["load"],
  text: DocumentFormat["text"] = "lines",
): DocumentFormat => ({ label, endings: endings.split(" ").filter(Boolean), load, text });

const loadText = async () => (await import("./loaders/text.js")).loadText;

export const DOCUMENT_FORMATS = {
  markdown: row(
    "Markdown",
    "md mdx markdown",
    async () => (await import("./loaders/markdown.js")).loadMarkdown,
    "markdown",
  ),
  // Files with any other ending are read as text too.
  text: row("text", "txt", loadText, "plain"),
  html: row("HTML", "html htm xhtml", async () => (await import("./loaders/text.js")).loadHtml),
  pdf: row("PDF", "pdf", async () => (await import("./loaders/pdf.js")).loadPdf, "printed"),
  image: row(
    "scans",
    "png jpg jpeg tif tiff",
    async () => (await import("./loaders/pdf.js")).loadImage,
    "printed",
  ),
  docx: row("Word", "docx docm", async () => (await import("./loaders/office.js")).loadDocx),
  rtf: row("RTF", "rtf", async () => (await import("./loaders/rtf.js")).loadRtf),
  pptx: row("PowerPoint", "pptx pptm", async () => (await import("./loaders/office.js")).loadPptx),
  xlsx: row("Excel", "xlsx xlsm", async () => (await import("./loaders/sheets.js")).loadXlsx),
  opendocument: row(
    "OpenDocument",
    "odt odp ods",
    async () => (await import("./loaders/open-document.js")).loadOpenDocument,
  ),
  epub: row("EPUB", "epub", async () => (await import("./loaders/archive.js")).loadEpub),
  mail: row("e-mail", "eml", async () => (await import("./loaders/archive.js")).loadMail, "plain"),
  csv: row("CSV", "csv tsv", async () => (await import("./loaders/sheets.js")).loadCsv, "plain"),
  json: row(
    "JSON",
    "json jsonl ndjson",
    async () => (await import("./loaders/json.js")).loadJson,
    "plain",
  ),
  notebook: row(
    "Jupyter notebooks",
    "ipynb",
    async () => (await import("./loaders/json.js")).loadNotebook,
  ),
  /** Fetched pages, which have no file ending. */
  web: row("web pages", "", loadText),
};

export type DocumentKind = keyof typeof DOCUMENT_FORMATS;

const FORMATS = Object.entries(DOCUMENT_FORMATS) as [DocumentKind, DocumentFormat][];

export const DOCUMENT_KINDS = FORMATS.map(([kind]) => kind);

/** The formats of files, for messages: `Markdown, text, … and Jupyter notebooks`. */
export const READABLE_FORMATS = new Intl.ListFormat("en").format(
  FORMATS.filter(([, { endings }]) => endings.length > 0).map(([, { label }]) => label),
);

/** Returns the format of a file by its ending, `text` for an unknown one. */
export function kindOfFile(file: string): DocumentKind {
  const ending = file.slice(file.lastIndexOf(".") + 1).toLowerCase();
  return FORMATS.find(([, { endings }]) => endings.includes(ending))?.[0] ?? "text";
}

/** Extensions of formats that are not read, and what to do instead. */
const REFUSED: readonly [endings: string, instead: string][] = [
  [".doc .dot", "save it as .docx"],
  [".xls .xlt .xlsb", "save it as .xlsx"],
  [".ppt .pps", "save it as .pptx"],
  [".pages .numbers .key", "export it"],
  [".mobi .azw .azw3 .msg .pst .vsd .vsdx .djvu", "convert it"],
];

/**
 * Loads a file's bytes as blocks; an unknown extension is read as text.
 * @throws LoadError that says why it cannot be read
 */
export async function loadFile(file: string, bytes: Uint8Array) {
  const { base, name, ext } = path.parse(file);
  const extension = ext.toLowerCase();
  const [, instead] = REFUSED.find(([endings]) => endings.split(" ").includes(extension)) ?? [];
  if (instead !== undefined)
    throw new LoadError(`${extension} files are not read: ${instead}`, "unknown");
  const kind = kindOfFile(base);
  const loader = await DOCUMENT_FORMATS[kind].load();
  try {
    const { title: titleInFile, blocks, metadata, note } = await loader(bytes, extension, loadFile);
    requireSaneLength(lengthOf(blocks));
    // `getting-started.md` → `getting started`
    const named = oneLine(name.replaceAll("-", " ").replaceAll("_", " ")) || base;
    const title = oneLine(titleInFile || named, MAX_HEADING);
    // Every passage carries the title anyway.
    for (const block of blocks) {
      const [top = ""] = block.headings;
      if (top === title || title.startsWith(`${top} `)) block.headings = block.headings.slice(1);
    }
    const [first] = blocks;
    const isRepeated = first?.text === title && first.headings.length === 0 && blocks.length > 1;
    return { kind, title, blocks: isRepeated ? blocks.slice(1) : blocks, metadata, note };
  } catch (error) {
    // Some parsers recurse until the stack is full.
    if (error instanceof RangeError) throw new LoadError("its elements are nested too deeply");
    if (error instanceof NotTextError) {
      const isBinary = error.encoding === undefined;
      const isUnknown = isBinary && kind === "text" && extension !== ".txt";
      throw new LoadError(error.message, isUnknown ? "unknown" : undefined);
    }
    throw error;
  }
}
