/** JSON, JSON lines and Jupyter notebooks. */
import { z } from "zod";
import { reasonOf } from "../../support/errors.js";
import { isRecord, parsedJson } from "../../support/json.js";
import { HeadingPath, MAX_HEADING, type Block } from "../../text/block.js";
import { decodeText } from "../../text/decode-text.js";
import { codeFence } from "../../text/html.js";
import { cutText, oneLine, withoutTerminalCommands } from "../../text/words.js";
import { LoadError, type Loader } from "../document.js";
import { readMarkdown } from "./markdown.js";
import { paragraphs } from "./text.js";

/** Loads JSON: each element of a list, member of an object, or line becomes a block. */
export const loadJson: Loader = async (bytes, ending) => {
  const text = decodeText(bytes);
  if (ending !== ".json") return { blocks: blocksOfLines(text) };
  const value = parseExactly(text, "valid JSON");
  return { title: titleOf(value), blocks: blocksOf(value) };
};

/** Reads each line as a record; broken ones are skipped. */
function blocksOfLines(text: string): Block[] {
  const lines = text.split("\n").map((line) => {
    const isValid = parsedJson(line) !== undefined;
    return isValid ? blockOf(parseExactly(line, "valid JSON"), []) : [];
  });
  if (lines.flat().length === 0 && text.trim() !== "")
    throw new LoadError("no line of it is a record in valid JSON");
  return lines.flatMap((blocks, at) =>
    blocks.map((block) => ({ ...block, startLine: at + 1, endLine: at + 1 })),
  );
}

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/giu;

/**
 * Parses long whole numbers, mostly ids, as strings: JavaScript would round them. The pattern takes
 * linear time on valid JSON only, hence the first parse.
 * @param what the text should be, for the message
 */
function parseExactly(json: string, what: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    if (!/\d{16}/u.test(json)) return value;
    const exact = json.replace(STRING_OR_NUMBER, (token) =>
      /^-?\d+$/u.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
    );
    return JSON.parse(exact);
  } catch (error) {
    throw new LoadError(`it is not ${what} (${cutText(reasonOf(error), 100)})`);
  }
}

function titleOf(value: unknown): string {
  if (!isRecord(value)) return "";
  const title = "title" in value ? value["title"] : value["name"];
  return typeof title === "string" ? title.trim() : "";
}

function blocksOf(value: unknown): Block[] {
  if (Array.isArray(value)) return value.flatMap((item) => blockOf(item, []));
  if (!isRecord(value)) return blockOf(value, []);
  const members = Object.entries(value);
  const plain = members.filter(([, inner]) => typeof inner !== "object");
  const nested = members.filter(([, inner]) => typeof inner === "object");
  return [
    ...blockOf(Object.fromEntries(plain), []),
    ...nested.flatMap(([key, inner]) =>
      Array.isArray(inner) && inner.some((item) => typeof item === "object")
        ? inner.flatMap((item) => blockOf(item, [cut(key)]))
        : blockOf(inner, [cut(key)], cut(key)),
    ),
  ];
}

const words = z.string().trim().min(1);
/** A record as in BEIR's `corpus.jsonl`: the text is read under its title, without the id. */
const TitledText = z.looseObject({ _id: z.unknown().optional(), title: words, text: words });

function blockOf(value: unknown, headings: readonly string[], key = ""): Block[] {
  const titled = TitledText.safeParse(value);
  if (titled.success) {
    const { _id, title, text, ...others } = titled.data;
    const under = [...headings, oneLine(title, MAX_HEADING)];
    const body = paragraphs(text).map(({ text, form }) => ({ text, form, headings: under }));
    return [...body, ...blockOf(others, under)];
  }
  const lines = linesOf(value, key);
  return lines.length === 0 ? [] : [{ text: lines.join("\n"), headings, form: "lines" }];
}

/** Keys are cut, and paths of keys from their start, since each value repeats them. */
const MAX_KEY = 80;
const MAX_PATH = 200;

/** `{a: {b: 1}, c: [2, 3]}` → `a.b: 1`, `c: 2, 3` */
function linesOf(value: unknown, key: string): string[] {
  const lines: string[] = [];
  const visit = (inner: unknown, path: string): void => {
    const isList = Array.isArray(inner);
    if (isRecord(inner))
      for (const [name, member] of Object.entries(inner))
        visit(member, path === "" ? cut(name) : `${path}.${cut(name)}`.slice(-MAX_PATH));
    else if (isList && inner.some((item) => typeof item === "object" && item !== null))
      for (const item of inner) visit(item, path);
    else {
      const values: unknown[] = isList ? inner : [inner];
      const texts = values.filter((each) => each !== null).map(String);
      const text = isList ? texts.join(", ") : texts.join("").trim();
      if (text !== "") lines.push(path === "" ? text : `${path}: ${text}`);
    }
  };
  visit(value, key);
  return lines;
}

function cut(key: string): string {
  return cutText(key, MAX_KEY);
}

/** Longer outputs are cut, in characters. */
const MAX_OUTPUT = 500;

const Text = z
  .union([z.string(), z.array(z.string()).transform((lines) => lines.join(""))])
  .catch("");
const Name = z.string().optional().catch(undefined);
const Output = z.object({ text: Text, data: z.record(z.string(), Text.optional()).catch({}) });
const Cell = z.object({ cell_type: Name, source: Text, outputs: z.array(Output).catch([]) });
const Language = z.object({ name: Name, language: Name }).optional().catch(undefined);
const Notebook = z.object({
  metadata: z.object({ title: Name, language_info: Language, kernelspec: Language }).catch({}),
  cells: z.array(Cell),
});

/** Loads a Jupyter notebook of nbformat 4: Markdown, code, the beginnings of text outputs. */
export const loadNotebook: Loader = async (bytes) => {
  const { data } = Notebook.safeParse(parseExactly(decodeText(bytes), "a readable notebook"));
  if (data === undefined) throw new LoadError("it is not a readable notebook (no list of cells)");
  const { metadata, cells } = data;
  const kernel = metadata.language_info?.name ?? metadata.kernelspec?.language;
  const path = new HeadingPath();
  const blocks: Block[] = [];
  let title = metadata.title;
  for (const { cell_type: type, source, outputs } of cells) {
    if (type === "code" || type === "raw") {
      const code = codeFence(source, type === "raw" ? "" : kernel);
      for (const text of [code, ...outputs.map(outputText)])
        if (text !== "") blocks.push({ text, headings: path.texts, form: "code" });
      continue;
    }
    const read = readMarkdown(source.split("\n"), path);
    title ??= read.firstHeading;
    // Lines of a cell are not those of the file.
    for (const { text, headings, form } of read.blocks) blocks.push({ text, headings, form });
  }
  return { title, blocks };
};

/** Returns the text of an output, unless it only represents an object such as a figure. */
function outputText({ text, data }: z.infer<typeof Output>): string {
  const plain = withoutTerminalCommands(text || (data["text/plain"] ?? "")).trim();
  return plain.startsWith("<") && plain.endsWith(">") ? "" : codeFence(cutText(plain, MAX_OUTPUT));
}
