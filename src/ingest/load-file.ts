/** Which loader reads which file. Loaders are imported when the first such file comes. */
import path from "node:path";
import { MAX_HEADING } from "../text/block.js";
import { NotTextError, UnknownEncodingError } from "../text/decode-text.js";
import { oneLine } from "../text/one-line.js";
import { loadText } from "./loaders/text.js";
import { LoadError, UnknownKindError, type LoadedDocument, type Loader } from "./document.js";

/** Extensions of formats that are not read, with what to do instead. */
const REFUSED: readonly [extensions: string, mend: string][] = [
  [".doc .dot .rtf .odt", "save it as .docx"],
  [".xls .xlt .xlsb .ods", "save it as .xlsx"],
  [".ppt .pps .odp", "save it as .pptx"],
  [".pages .numbers .key", "export it"],
  [".mobi .azw .azw3 .msg .pst .vsd .vsdx .djvu", "convert it"],
];

const LOADERS: readonly [extensions: string, load: () => Promise<Loader>][] = [
  [".md .mdx .markdown", async () => (await import("./loaders/markdown.js")).loadMarkdown],
  [".html .htm .xhtml", async () => (await import("./loaders/text.js")).loadHtml],
  [".pdf", async () => (await import("./loaders/pdf.js")).loadPdf],
  [".docx .docm", async () => (await import("./loaders/office.js")).loadDocx],
  [".pptx .pptm", async () => (await import("./loaders/office.js")).loadPptx],
  [".xlsx .xlsm", async () => (await import("./loaders/sheets.js")).loadXlsx],
  [".csv .tsv", async () => (await import("./loaders/csv.js")).loadCsv],
  [".epub", async () => (await import("./loaders/epub.js")).loadEpub],
  [".json", async () => (await import("./loaders/json.js")).loadJson],
  [".jsonl .ndjson", async () => (await import("./loaders/json.js")).loadJsonLines],
];

/**
 * Loads one file's bytes as blocks, by the file's extension; what is not known is taken for text.
 * @throws LoadError that says why it cannot be read
 */
export async function loadFile(file: string, bytes: Uint8Array): Promise<LoadedDocument> {
  const name = path.basename(file);
  const extension = path.extname(name).toLowerCase();
  const [, mend] = rowFor(extension, REFUSED);
  if (mend !== undefined) throw new UnknownKindError(`${extension} files are not read: ${mend}`);
  const [, load] = rowFor(extension, LOADERS);
  const loader = (await load?.()) ?? loadText;
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

function rowFor<Value>(
  extension: string,
  rows: readonly [extensions: string, value: Value][],
): [extensions: string, value: Value] | [] {
  return rows.find(([extensions]) => extensions.split(" ").includes(extension)) ?? [];
}
