/** Chooses a file's loader by its ending. */
import path from "node:path";
import { DOCUMENT_FORMATS, kindOfFile, type DocumentKind } from "./document-formats.js";
import { MAX_HEADING } from "../text/block.js";
import { NotTextError, UnknownEncodingError } from "../text/decode-text.js";
import { oneLine } from "../text/words.js";
import { LoadError } from "./document.js";

/** Extensions of formats that are not read, and what to do instead. */
const REFUSED: readonly [endings: string, instead: string][] = [
  [".doc .dot", "save it as .docx"],
  [".xls .xlt .xlsb", "save it as .xlsx"],
  [".ppt .pps", "save it as .pptx"],
  [".pages .numbers .key", "export it"],
  [".mobi .azw .azw3 .msg .pst .vsd .vsdx .djvu", "convert it"],
];

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
  const loader = await DOCUMENT_FORMATS[kind].load();
  try {
    const { title: titleInFile, blocks, metadata: found, note } = await loader(bytes, extension);
    const metadata = OFFICE.has(kind)
      ? await (await import("./metadata.js")).officeProperties(bytes)
      : found;
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
      const isUnknown = kind === "text" && !(error instanceof UnknownEncodingError);
      throw new LoadError(error.message, isUnknown && extension !== ".txt" ? "unknown" : undefined);
    }
    throw error;
  }
}
