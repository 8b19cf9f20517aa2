import type { Loader } from "./document.js";

/** The formats of documents. A new one needs a row here and its loader in `loaders/`. */
interface DocumentFormat {
  /** As named to people. */
  label: string;
  /** Endings of its files, without the dot. */
  endings: readonly string[];
  /** Imports its loader, on first use. */
  load: () => Promise<Loader>;
}

const loadText = async () => (await import("./loaders/text.js")).loadText;

export const DOCUMENT_FORMATS = {
  markdown: {
    label: "Markdown",
    endings: ["md", "mdx", "markdown"],
    load: async () => (await import("./loaders/markdown.js")).loadMarkdown,
  },
  // Files with any other ending are read as text too.
  text: { label: "text", endings: ["txt"], load: loadText },
  html: {
    label: "HTML",
    endings: ["html", "htm", "xhtml"],
    load: async () => (await import("./loaders/text.js")).loadHtml,
  },
  pdf: {
    label: "PDF",
    endings: ["pdf"],
    load: async () => (await import("./loaders/pdf.js")).loadPdf,
  },
  image: {
    label: "scans",
    endings: ["png", "jpg", "jpeg", "tif", "tiff"],
    load: async () => (await import("./loaders/pdf.js")).loadImage,
  },
  docx: {
    label: "Word",
    endings: ["docx", "docm"],
    load: async () => (await import("./loaders/office.js")).loadDocx,
  },
  rtf: {
    label: "RTF",
    endings: ["rtf"],
    load: async () => (await import("./loaders/rtf.js")).loadRtf,
  },
  pptx: {
    label: "PowerPoint",
    endings: ["pptx", "pptm"],
    load: async () => (await import("./loaders/office.js")).loadPptx,
  },
  xlsx: {
    label: "Excel",
    endings: ["xlsx", "xlsm"],
    load: async () => (await import("./loaders/sheets.js")).loadXlsx,
  },
  opendocument: {
    label: "OpenDocument",
    endings: ["odt", "odp", "ods"],
    load: async () => (await import("./loaders/open-document.js")).loadOpenDocument,
  },
  epub: {
    label: "EPUB",
    endings: ["epub"],
    load: async () => (await import("./loaders/archive.js")).loadEpub,
  },
  csv: {
    label: "CSV",
    endings: ["csv", "tsv"],
    load: async () => (await import("./loaders/sheets.js")).loadCsv,
  },
  json: {
    label: "JSON",
    endings: ["json", "jsonl", "ndjson"],
    load: async () => (await import("./loaders/json.js")).loadJson,
  },
  notebook: {
    label: "Jupyter notebooks",
    endings: ["ipynb"],
    load: async () => (await import("./loaders/json.js")).loadNotebook,
  },
  /** Fetched pages, which have no file ending. */
  web: { label: "web pages", endings: [], load: loadText },
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
