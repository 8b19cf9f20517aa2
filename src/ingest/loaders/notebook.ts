import { z } from "zod";
import { HeadingPath, type Block } from "../../text/block.js";
import { decodeText } from "../../text/decode-text.js";
import { fenced } from "../../text/html.js";
import { cutText, withoutTerminalCommands } from "../../text/one-line.js";
import { LoadError, requireSaneLength, type Loader } from "../document.js";
import { readMarkdown } from "./markdown.js";

/** Longer outputs are cut, in characters. */
const MAX_OUTPUT = 500;

const Text = z
  .union([z.string(), z.array(z.string()).transform((lines) => lines.join(""))])
  .catch("");
const Name = z.string().optional().catch(undefined);
const Output = z.object({ text: Text, data: z.record(z.string(), Text.optional()).catch({}) });
/** Before nbformat 4, code is a cell's input in a language of its own, and headings are cells. */
const Cell = z.object({
  cell_type: Name,
  source: Text,
  input: Text,
  language: Name,
  level: z.int().min(1).max(6).catch(1),
  outputs: z.array(Output).catch([]),
});
const Cells = z.array(Cell);
const Language = z.object({ name: Name, language: Name }).optional().catch(undefined);
const Notebook = z.object({
  metadata: z.object({ title: Name, language_info: Language, kernelspec: Language }).catch({}),
  cells: Cells.optional(),
  /** Before nbformat 4. */
  worksheets: z.array(z.object({ cells: Cells })).optional(),
});

/** Loads a Jupyter notebook of nbformat 3 or 4: Markdown, code, the beginnings of text outputs. */
export const loadNotebook: Loader = async (bytes) => {
  const { metadata, ...sheet } = parsed(decodeText(bytes));
  const cells = sheet.cells ?? sheet.worksheets?.flatMap((each) => each.cells);
  if (cells === undefined) throw new LoadError("it is not a readable notebook (no cells)");
  const kernel = metadata.language_info?.name ?? metadata.kernelspec?.language;
  const path = new HeadingPath();
  const blocks: Block[] = [];
  let title = metadata.title;
  let characters = 0;
  for (const { cell_type: type, source, input, language, level, outputs } of cells) {
    requireSaneLength((characters += source.length + input.length));
    if (type === "code" || type === "raw") {
      const code = fenced(source || input, type === "raw" ? "" : (language ?? kernel));
      for (const text of [code, ...outputs.map(shown)])
        if (text !== "") blocks.push({ text, headings: path.texts, form: "code" });
      continue;
    }
    const marks = type === "heading" ? `${"#".repeat(level)} ` : "";
    const read = readMarkdown(`${marks}${source}`.split("\n"), path);
    title ??= read.firstHeading;
    // Lines of a cell are not those of the file.
    for (const { text, headings, form } of read.blocks) blocks.push({ text, headings, form });
  }
  return { title, blocks };
};

function parsed(json: string): z.infer<typeof Notebook> {
  try {
    return Notebook.parse(JSON.parse(json));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message.slice(0, 100) : "no list of cells";
    throw new LoadError(`it is not a readable notebook (${reason})`);
  }
}

/** Returns the text of an output, unless it only stands for an object such as a figure. */
function shown({ text, data }: z.infer<typeof Output>): string {
  const plain = withoutTerminalCommands(text || (data["text/plain"] ?? "")).trim();
  const isObject = plain.startsWith("<") && plain.endsWith(">");
  return isObject ? "" : fenced(cutText(plain, MAX_OUTPUT));
}
