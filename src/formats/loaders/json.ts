/** JSON, JSON lines and Jupyter notebooks. */
import { z } from "zod";
import { isRecord } from "../../support/json.js";
import { HeadingPath, MAX_HEADING, type Block } from "../../text/block.js";
import { decodeText } from "../../text/decode-text.js";
import { codeFence } from "../../text/html.js";
import { cutText, oneLine, withoutTerminalCommands } from "../../text/words.js";
import { LoadError, requireSaneLength, type Loader } from "../document.js";
import { readMarkdown } from "./markdown.js";
import { paragraphs } from "./text.js";

/** Loads JSON: each element of a list, member of an object, or line becomes a block. */
export const loadJson: Loader = async (bytes, ending) => {
  const text = decodeText(bytes);
  if (ending !== ".json") return { blocks: blocksOfLines(text) };
  try {
    const value = parseExactly(text);
    return { title: titleOf(value), blocks: blocksOf(value) };
  } catch (error) {
    if (error instanceof LoadError || error instanceof RangeError) throw error;
    const reason = error instanceof Error ? error.message.slice(0, 100) : "unreadable";
    throw new LoadError(`it is not valid JSON (${reason})`);
  }
};

/** Reads each line as a record; broken ones are skipped. */
function blocksOfLines(text: string): Block[] {
  let broken = 0;
  const blocks = text.split("\n").flatMap((line, index) => {
    const value = parsed(line);
    if (value === undefined && line.trim() !== "") broken += 1;
    const place = { startLine: index + 1, endLine: index + 1 };
    return value === undefined ? [] : blockOf(value, []).map((block) => ({ ...block, ...place }));
  });
  if (broken > 0 && blocks.length === 0) throw new LoadError("no line of it is valid JSON");
  return blocks;
}

/** Returns undefined for invalid JSON. */
function parsed(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/giu;

/**
 * Parses long whole numbers, mostly ids, as strings: JavaScript would round them. The pattern takes
 * linear time on valid JSON only, hence the first parse.
 */
function parseExactly(json: string): unknown {
  const value: unknown = JSON.parse(json);
  if (!/\d{16}/u.test(json)) return value;
  const exact = json.replace(STRING_OR_NUMBER, (token) =>
    /^-?\d+$/u.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );
  return JSON.parse(exact);
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

/** Deeper values are written as JSON. */
const MAX_DEPTH = 50;
/** Limits on keys, since each value repeats its path of keys. */
const MAX_KEY = 80;
const MAX_PATH = 200;

/** `{a: {b: 1}, c: [2, 3]}` → `a.b: 1`, `c: 2, 3` */
function linesOf(value: unknown, key: string): string[] {
  const lines: string[] = [];
  let characters = 0;
  const say = (path: string, text: string): void => {
    if (text === "") return;
    requireSaneLength((characters += path.length + text.length));
    lines.push(path === "" ? text : `${path}: ${text}`);
  };
  const visit = (inner: unknown, path: string, depth: number): void => {
    if (typeof inner === "string") say(path, inner.trim());
    else if (typeof inner === "number" || typeof inner === "boolean") say(path, String(inner));
    else if (typeof inner !== "object" || inner === null) return;
    else if (depth > MAX_DEPTH) say(path, JSON.stringify(inner));
    else if (Array.isArray(inner)) {
      if (inner.every((item) => typeof item !== "object" || item === null))
        say(path, inner.filter((item) => item !== null).join(", "));
      else for (const item of inner) visit(item, path, depth + 1);
    } else
      for (const [name, member] of Object.entries(inner))
        visit(member, path === "" ? cut(name) : `${path}.${cut(name)}`.slice(-MAX_PATH), depth + 1);
  };
  visit(value, key, 0);
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
  const { metadata, cells } = parseNotebook(decodeText(bytes));
  const kernel = metadata.language_info?.name ?? metadata.kernelspec?.language;
  const path = new HeadingPath();
  const blocks: Block[] = [];
  let title = metadata.title;
  let characters = 0;
  for (const { cell_type: type, source, outputs } of cells) {
    requireSaneLength((characters += source.length));
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

function parseNotebook(json: string): z.infer<typeof Notebook> {
  try {
    return Notebook.parse(JSON.parse(json));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message.slice(0, 100) : "no list of cells";
    throw new LoadError(`it is not a readable notebook (${reason})`);
  }
}

/** Returns the text of an output, unless it only represents an object such as a figure. */
function outputText({ text, data }: z.infer<typeof Output>): string {
  const plain = withoutTerminalCommands(text || (data["text/plain"] ?? "")).trim();
  return plain.startsWith("<") && plain.endsWith(">") ? "" : codeFence(cutText(plain, MAX_OUTPUT));
}
