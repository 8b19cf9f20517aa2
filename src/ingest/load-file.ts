/** Chooses a file's loader by its extension; loaders are imported on first use. */
import path from "node:path";
import type { DocumentKind } from "../retrieval/knowledge-base.js";
import type { Metadata } from "../state/metadata.js";
import { MAX_HEADING, type Block } from "../text/block.js";
import { NotTextError, UnknownEncodingError } from "../text/decode-text.js";
import { oneLine } from "../text/one-line.js";
import { loadText } from "./loaders/text.js";
import { LoadError, type Loader } from "./document.js";

/** Extensions of formats that are not read, and what to do instead. */
const REFUSED: readonly [extensions: string, mend: string][] = [
  [".doc .dot .rtf .odt", "save it as .docx"],
  [".xls .xlt .xlsb .ods", "save it as .xlsx"],
  [".ppt .pps .odp", "save it as .pptx"],
  [".pages .numbers .key", "export it"],
  [".mobi .azw .azw3 .msg .pst .vsd .vsdx .djvu", "convert it"],
];

const LOADERS: readonly [string, DocumentKind, () => Promise<Loader>][] = [
  [
    ".md .mdx .markdown",
    "markdown",
    async () => (await import("./loaders/markdown.js")).loadMarkdown,
  ],
  [".ipynb", "notebook", async () => (await import("./loaders/notebook.js")).loadNotebook],
  [".html .htm .xhtml", "html", async () => (await import("./loaders/text.js")).loadHtml],
  [".pdf", "pdf", async () => (await import("./loaders/pdf.js")).loadPdf],
  [".docx .docm", "docx", async () => (await import("./loaders/office.js")).loadDocx],
  [".pptx .pptm", "pptx", async () => (await import("./loaders/office.js")).loadPptx],
  [".xlsx .xlsm", "xlsx", async () => (await import("./loaders/sheets.js")).loadXlsx],
  [".csv .tsv", "csv", async () => (await import("./loaders/csv.js")).loadCsv],
  [".epub", "epub", async () => (await import("./loaders/epub.js")).loadEpub],
  [".json", "json", async () => (await import("./loaders/json.js")).loadJson],
  [".jsonl .ndjson", "json", async () => (await import("./loaders/json.js")).loadJsonLines],
];

const OFFICE: ReadonlySet<DocumentKind> = new Set(["docx", "pptx", "xlsx"]);

interface LoadedDocument {
  kind: DocumentKind;
  title: string;
  blocks: Block[];
  metadata?: Metadata | undefined;
}

/**
 * Loads a file's bytes as blocks; an unknown extension is read as text.
 * @throws LoadError that says why it cannot be read
 */
export async function loadFile(file: string, bytes: Uint8Array): Promise<LoadedDocument> {
  const { base, name, ext } = path.parse(file);
  const extension = ext.toLowerCase();
  const isMeant = ([extensions]: readonly [string, ...unknown[]]): boolean =>
    extensions.split(" ").includes(extension);
  const [, mend] = REFUSED.find(isMeant) ?? [];
  if (mend !== undefined)
    throw new LoadError(`${extension} files are not read: ${mend}`, "unknown");
  const [, kind = "text", load] = LOADERS.find(isMeant) ?? [];
  const loader = (await load?.()) ?? loadText;
  try {
    const { title: own, blocks, metadata: found } = await loader(bytes);
    const metadata = OFFICE.has(kind)
      ? await (await import("./loaders/properties.js")).officeProperties(bytes)
      : found;
    // `getting-started.md` → `getting started`
    const named = oneLine(name.replaceAll("-", " ").replaceAll("_", " ")) || base;
    const title = oneLine(own || named, MAX_HEADING);
    // Every passage carries the title anyway.
    for (const block of blocks)
      if (block.headings[0] === title) block.headings = block.headings.slice(1);
    return { kind, title, blocks, metadata };
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
