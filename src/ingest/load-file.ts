/** Which loader reads which file. Loaders are imported when the first such file comes. */
import path from "node:path";
import { MAX_HEADING } from "../text/block.js";
import { NotTextError, UnknownEncodingError } from "../text/decode-text.js";
import { oneLine } from "../text/one-line.js";
import { loadText } from "./loaders/text.js";
import { LoadError, UnknownKindError, type LoadedDocument, type Loader } from "./document.js";

/** Formats that are not read, with what to do instead. */
const REFUSED: readonly { extensions: string; reason: string }[] = [
  { extensions: ".doc .dot", reason: "old Word files are not read: save it as .docx" },
  { extensions: ".xls .xlt .xlsb", reason: "old Excel files are not read: save it as .xlsx" },
  { extensions: ".ppt .pps", reason: "old PowerPoint files are not read: save it as .pptx" },
  { extensions: ".pages .numbers .key", reason: "Apple's office files are not read: export it" },
  {
    extensions: ".mobi .azw .azw3 .msg .pst .vsd .vsdx .djvu",
    reason: "this kind of file is not read: convert it",
  },
];

const LOADERS: readonly { extensions: string; load: () => Promise<Loader> }[] = [
  {
    extensions: ".md .mdx .markdown",
    load: async () => (await import("./loaders/markdown.js")).loadMarkdown,
  },
  {
    extensions: ".html .htm .xhtml",
    load: async () => (await import("./loaders/text.js")).loadHtml,
  },
  { extensions: ".pdf", load: async () => (await import("./loaders/pdf.js")).loadPdf },
  { extensions: ".docx .docm", load: async () => (await import("./loaders/office.js")).loadDocx },
  { extensions: ".pptx .pptm", load: async () => (await import("./loaders/office.js")).loadPptx },
  { extensions: ".odt .odp", load: async () => (await import("./loaders/office.js")).loadOdf },
  { extensions: ".xlsx .xlsm", load: async () => (await import("./loaders/sheets.js")).loadXlsx },
  { extensions: ".ods", load: async () => (await import("./loaders/sheets.js")).loadOds },
  { extensions: ".csv .tsv", load: async () => (await import("./loaders/csv.js")).loadCsv },
  { extensions: ".rtf", load: async () => (await import("./loaders/rtf.js")).loadRtf },
  { extensions: ".epub", load: async () => (await import("./loaders/epub.js")).loadEpub },
  { extensions: ".json", load: async () => (await import("./loaders/json.js")).loadJson },
  {
    extensions: ".jsonl .ndjson",
    load: async () => (await import("./loaders/json.js")).loadJsonLines,
  },
];

/**
 * Loads one file's bytes as blocks, by the file's extension; what is not known is taken for text.
 * @throws LoadError that says why it cannot be read
 */
export async function loadFile(file: string, bytes: Uint8Array): Promise<LoadedDocument> {
  const name = path.basename(file);
  const extension = path.extname(name).toLowerCase();
  const isMeant = ({ extensions }: { extensions: string }): boolean =>
    extensions.split(" ").includes(extension);
  const refused = REFUSED.find(isMeant);
  if (refused !== undefined) throw new UnknownKindError(refused.reason);
  const loader = (await LOADERS.find(isMeant)?.load()) ?? loadText;
  try {
    const { kind, title, blocks } = await loader({ bytes, name });
    return { kind, title: oneLine(title, MAX_HEADING), blocks };
  } catch (error) {
    // Some parsers recurse; what is nested thousands deep ends them.
    if (error instanceof RangeError) throw new LoadError("its elements are nested too deeply");
    if (error instanceof NotTextError) {
      const isUnknown = loader === loadText && !(error instanceof UnknownEncodingError);
      throw new (isUnknown && extension !== ".txt" ? UnknownKindError : LoadError)(error.message);
    }
    throw error;
  }
}
