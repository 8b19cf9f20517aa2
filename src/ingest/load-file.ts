/** Which loader reads which file. Loaders, and the libraries behind them, are imported when the first such file comes. */
import path from "node:path";
import { oneLine } from "../text/one-line.js";
import type { LoadedDocument, Loader } from "./document.js";

/** Loads one file's bytes as blocks, by the file's extension; what is not known is taken for text. */
export async function loadFile(file: string, bytes: Uint8Array): Promise<LoadedDocument> {
  const name = path.basename(file);
  const loader = await loaderFor(path.extname(name).toLowerCase());
  const { kind, title, blocks } = await loader({ bytes, name });
  return {
    kind,
    title: oneLine(title, MAX_TITLE),
    blocks: blocks.map((block) => ({ ...block, headings: block.headings.map(cutHeading) })),
  };
}

/** Titles and headings are copied into every passage below them, so that long ones are cut. */
const MAX_TITLE = 200;

function cutHeading(heading: string): string {
  return heading.length > MAX_TITLE ? oneLine(heading, MAX_TITLE) : heading;
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
      return (await import("./loaders/docx.js")).loadDocx;
    case ".epub":
      return (await import("./loaders/epub.js")).loadEpub;
    case ".csv":
    case ".tsv":
      return (await import("./loaders/csv.js")).loadCsv;
    case ".json":
      return (await import("./loaders/json.js")).loadJson;
    case ".jsonl":
    case ".ndjson":
      return (await import("./loaders/jsonl.js")).loadJsonLines;
    default:
      return (await import("./loaders/text.js")).loadText;
  }
}
