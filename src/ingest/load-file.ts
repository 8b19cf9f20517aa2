/** Which loader reads which file. Loaders are imported when the first such file comes. */
import path from "node:path";
import { MAX_HEADING } from "../text/block.js";
import { NotTextError, UnknownEncodingError } from "../text/decode-text.js";
import { oneLine } from "../text/one-line.js";
import { loadText } from "./loaders/text.js";
import { LoadError, UnknownKindError, type LoadedDocument, type Loader } from "./document.js";

/** Formats that are not read, with what to do instead. */
const REFUSED: readonly [extensions: RegExp, reason: string][] = [
  [/^\.(?:doc|dot)$/, "old Word files are not read: save it as .docx"],
  [/^\.(?:xls|xlt|xlsb)$/, "old Excel files are not read: save it as .xlsx or .csv"],
  [/^\.(?:ppt|pps)$/, "old PowerPoint files are not read: save it as .pptx"],
  [/^\.(?:pages|numbers|key)$/, "Apple's office files are not read: export it"],
  [/^\.(?:mobi|azw3?|msg|pst|vsdx?|djvu)$/, "this kind of file is not read: convert it"],
];

/**
 * Loads one file's bytes as blocks, by the file's extension; what is not known is taken for text.
 * @throws LoadError that says why it cannot be read
 */
export async function loadFile(file: string, bytes: Uint8Array): Promise<LoadedDocument> {
  const name = path.basename(file);
  const extension = path.extname(name).toLowerCase();
  const refused = REFUSED.find(([extensions]) => extensions.test(extension));
  if (refused !== undefined) throw new UnknownKindError(refused[1]);
  const loader = await loaderFor(extension);
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

async function loaderFor(extension: string): Promise<Loader> {
  switch (extension) {
    case ".md":
    case ".mdx":
    case ".markdown":
      return (await import("./loaders/markdown.js")).loadMarkdown;
    case ".html":
    case ".htm":
    case ".xhtml":
      return (await import("./loaders/html.js")).loadHtml;
    case ".pdf":
      return (await import("./loaders/pdf.js")).loadPdf;
    case ".docx":
    case ".docm":
      return (await import("./loaders/docx.js")).loadDocx;
    case ".pptx":
    case ".pptm":
      return (await import("./loaders/pptx.js")).loadPptx;
    case ".xlsx":
    case ".xlsm":
      return (await import("./loaders/xlsx.js")).loadXlsx;
    case ".odt":
    case ".ods":
    case ".odp":
      return (await import("./loaders/opendocument.js")).loadOpenDocument;
    case ".rtf":
      return (await import("./loaders/rtf.js")).loadRtf;
    case ".epub":
      return (await import("./loaders/epub.js")).loadEpub;
    case ".csv":
    case ".tsv":
      return (await import("./loaders/csv.js")).loadCsv;
    case ".json":
      return (await import("./loaders/json.js")).loadJson;
    case ".jsonl":
    case ".ndjson":
      return (await import("./loaders/json.js")).loadJsonLines;
    default:
      return loadText;
  }
}
