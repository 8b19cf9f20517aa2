/** Chooses a file's loader by its ending. */
import path from "node:path";
import { kindOfFile, type DocumentKind } from "../state/document-formats.js";
import { MAX_HEADING } from "../text/block.js";
import { NotTextError, UnknownEncodingError } from "../text/decode-text.js";
import { oneLine } from "../text/one-line.js";
import { loadText } from "./loaders/text.js";
import { LoadError, type Loader } from "./document.js";

/** Extensions of formats that are not read, and what to do instead. */
const REFUSED: readonly [endings: string, instead: string][] = [
  [".doc .dot", "save it as .docx"],
  [".xls .xlt .xlsb", "save it as .xlsx"],
  [".ppt .pps", "save it as .pptx"],
  [".pages .numbers .key", "export it"],
  [".mobi .azw .azw3 .msg .pst .vsd .vsdx .djvu", "convert it"],
];

/** By kind; imported on first use. */
const LOADERS: Readonly<Record<Exclude<DocumentKind, "web">, () => Promise<Loader>>> = {
  markdown: async () => (await import("./loaders/markdown.js")).loadMarkdown,
  text: async () => loadText,
  html: async () => (await import("./loaders/text.js")).loadHtml,
  pdf: async () => (await import("./loaders/pdf.js")).loadPdf,
  image: async () => (await import("./loaders/pdf.js")).loadImage,
  docx: async () => (await import("./loaders/office.js")).loadDocx,
  rtf: async () => (await import("./loaders/rtf.js")).loadRtf,
  pptx: async () => (await import("./loaders/office.js")).loadPptx,
  xlsx: async () => (await import("./loaders/sheets.js")).loadXlsx,
  opendocument: async () => (await import("./loaders/open-document.js")).loadOpenDocument,
  epub: async () => (await import("./loaders/archive.js")).loadEpub,
  csv: async () => (await import("./loaders/sheets.js")).loadCsv,
  json: async () => (await import("./loaders/json.js")).loadJson,
  notebook: async () => (await import("./loaders/json.js")).loadNotebook,
};

const OFFICE: ReadonlySet<DocumentKind> = new Set(["docx", "pptx", "xlsx"]);

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
  const loader = kind === "web" ? loadText : await LOADERS[kind]();
  try {
    const { title: titleInFile, blocks, metadata: found, note } = await loader(bytes, extension);
    const metadata = OFFICE.has(kind)
      ? await (await import("./metadata.js")).officeProperties(bytes)
      : found;
    // `getting-started.md` → `getting started`
    const named = oneLine(name.replaceAll("-", " ").replaceAll("_", " ")) || base;
    const title = oneLine(titleInFile || named, MAX_HEADING);
    // Every passage carries the title anyway.
    for (const block of blocks)
      if (block.headings[0] === title) block.headings = block.headings.slice(1);
    return { kind, title, blocks, metadata, note };
  } catch (error) {
    // Some parsers recurse until the stack is full.
    if (error instanceof RangeError) throw new LoadError("its elements are nested too deeply");
    if (error instanceof NotTextError) {
      const isUnknown = loader === loadText && !(error instanceof UnknownEncodingError);
      throw new LoadError(error.message, isUnknown && extension !== ".txt" ? "unknown" : undefined);
    }
    throw error;
  }
}
