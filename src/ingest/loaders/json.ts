/** JSON, JSON lines, and corpora in the layout of the BEIR benchmark. */
import { open } from "node:fs/promises";
import { extname } from "node:path";
import { z } from "zod";
import { isRecord } from "../../support/is-record.js";
import type { Block } from "../../text/block.js";
import { decodeText } from "../../text/decode-text.js";
import { cutText } from "../../text/one-line.js";
import { LoadError, requireSaneLength, type Loader } from "../document.js";

/** Loads JSON: each element of a list, and each member of an object, is a block of its own. */
export const loadJson: Loader = async (bytes) => {
  const text = decodeText(bytes);
  try {
    const value = parseExactly(text);
    return { title: titleOf(value), blocks: blocksOf(value) };
  } catch (error) {
    if (error instanceof LoadError || error instanceof RangeError) throw error;
    const reason = error instanceof Error ? error.message.slice(0, 100) : "unreadable";
    throw new LoadError(`it is not valid JSON (${reason})`);
  }
};

/** Loads JSON lines that are no corpus: each record a block. Broken lines are passed over. */
export const loadJsonLines: Loader = async (bytes) => {
  const blocks: Block[] = [];
  let broken = 0;
  decodeText(bytes)
    .split("\n")
    .forEach((line, index) => {
      const value = parsed(line);
      const [block] = value === undefined ? [] : blockOf(value, []);
      if (block !== undefined) blocks.push({ ...block, startLine: index + 1, endLine: index + 1 });
      else if (value === undefined && line.trim() !== "") broken += 1;
    });
  if (broken > 0 && blocks.length === 0) throw new LoadError("no line of it is valid JSON");
  return { blocks };
};

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/giu;

/**
 * Reads whole numbers too long for JavaScript, ids mostly, as strings: they must not be rounded. The
 * pattern takes linear time on what is known to be JSON only.
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

function blockOf(value: unknown, headings: readonly string[], key = ""): Block[] {
  const lines = linesOf(value, key);
  return lines.length === 0 ? [] : [{ text: lines.join("\n"), headings, form: "code" }];
}

/** Deeper values are given as JSON. */
const MAX_DEPTH = 50;
/** A path of keys is written before each value below it. */
const MAX_KEY = 80;
const MAX_PATH = 200;

/** `{a: {b: 1}, c: [2, 3]}` → `a.b: 1`, `c: 2, 3`. What holds nothing gives no line. */
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

const recordSchema = z.object({
  _id: z.union([z.string(), z.number()]).transform(String),
  title: z.string().catch(""),
  text: z.string(),
});

/** How much of a file is read to see whether it is a corpus. */
const SNIFFED_BYTES = 1_000_000;

/** True for a file whose first line that is not empty is a record with `_id` and `text`. */
export async function isCorpus(file: string): Promise<boolean> {
  if (![".jsonl", ".ndjson"].includes(extname(file).toLowerCase())) return false;
  const handle = await open(file);
  try {
    for await (const line of handle.readLines({ end: SNIFFED_BYTES }))
      if (line.trim() !== "") return recordIn(line) !== undefined;
    return false;
  } finally {
    await handle.close();
  }
}

/** A byte order mark counts as white space, for `trim` only. */
function recordIn(line: string): z.infer<typeof recordSchema> | undefined {
  return recordSchema.safeParse(parsed(line.trim())).data;
}

/** A document of its own on one line, or why a line is none. */
type CorpusLine = { line: number } & (
  { bytes: number; record: z.infer<typeof recordSchema> } | { refused: string }
);

/** Reads records one by one, however large the file. */
export async function* corpusRecords(file: string): AsyncGenerator<CorpusLine> {
  const ids = new Set<string>();
  let line = 0;
  for await (const text of (await open(file)).readLines()) {
    line++;
    if (text.trim() === "") continue;
    const record = recordIn(text);
    if (record === undefined) yield { line, refused: "it is not a record with _id and text" };
    else if (ids.has(record._id)) yield { line, refused: `the _id ${record._id} came before` };
    else yield { line, bytes: Buffer.byteLength(text), record };
    if (record !== undefined) ids.add(record._id);
  }
}
