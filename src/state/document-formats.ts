/**
 * The formats of documents. A new one needs a row here and its loader in `ingest/load-file.ts`,
 * which the compiler demands.
 */
interface DocumentFormat {
  /** As named to people. */
  label: string;
  /** Endings of its files, without the dot. */
  endings: readonly string[];
}

export const DOCUMENT_FORMATS = {
  markdown: { label: "Markdown", endings: ["md", "mdx", "markdown"] },
  // Files with any other ending are read as text too.
  text: { label: "text", endings: ["txt"] },
  html: { label: "HTML", endings: ["html", "htm", "xhtml"] },
  pdf: { label: "PDF", endings: ["pdf"] },
  image: { label: "scans", endings: ["png", "jpg", "jpeg", "tif", "tiff"] },
  docx: { label: "Word", endings: ["docx", "docm"] },
  rtf: { label: "RTF", endings: ["rtf"] },
  pptx: { label: "PowerPoint", endings: ["pptx", "pptm"] },
  xlsx: { label: "Excel", endings: ["xlsx", "xlsm"] },
  opendocument: { label: "OpenDocument", endings: ["odt", "odp", "ods"] },
  epub: { label: "EPUB", endings: ["epub"] },
  csv: { label: "CSV", endings: ["csv", "tsv"] },
  json: { label: "JSON", endings: ["json", "jsonl", "ndjson"] },
  notebook: { label: "Jupyter notebooks", endings: ["ipynb"] },
  /** Fetched pages, which have no file ending. */
  web: { label: "web pages", endings: [] },
} as const satisfies Readonly<Record<string, DocumentFormat>>;

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
