import { isRecord } from "../../support/is-record.js";
import type { Block } from "../../text/block.js";
import { decodeText } from "../../text/decode-text.js";
import { LoadError, requireSaneLength, titleFromName, type Loader } from "../document.js";

/** Loads JSON: each element of a list, and each member of an object, is a block of its own. */
export const loadJson: Loader = async ({ bytes, name }) => {
  const text = decodeText(bytes);
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    const blocks = blocksOf(value);
    return { kind: "json", title: titleOf(value) ?? titleFromName(name), blocks };
  } catch (error) {
    if (error instanceof LoadError) throw error;
    if (error instanceof RangeError) throw new LoadError("its values are nested too deeply");
    const reason = error instanceof Error ? error.message.slice(0, 100) : "unreadable";
    throw new LoadError(`it is not valid JSON (${reason})`);
  }
};

/** Loads JSON lines that are no corpus: each record a block. Broken lines are passed over. */
export const loadJsonLines: Loader = async ({ bytes, name }) => {
  const blocks: Block[] = [];
  let broken = 0;
  const lines = decodeText(bytes).split("\n");
  lines.forEach((line, index) => {
    if (line.trim() === "") return;
    const text = recordText(line);
    const place = { startLine: index + 1, endLine: index + 1 };
    if (text === undefined) broken += 1;
    else if (text !== "") blocks.push({ text, headings: [], ...place, form: "code" });
  });
  if (broken > 0 && blocks.length === 0) throw new LoadError("no line of it is valid JSON");
  return { kind: "json", title: titleFromName(name), blocks };
};

function recordText(line: string): string | undefined {
  try {
    return linesOf(JSON.parse(line)).join("\n");
  } catch (error) {
    if (error instanceof LoadError) throw error;
    return undefined;
  }
}

function titleOf(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const title = "title" in value ? value["title"] : value["name"];
  return typeof title === "string" && title.trim() !== "" ? title.trim() : undefined;
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
function linesOf(value: unknown, key = ""): string[] {
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
  return key.length > MAX_KEY ? `${key.slice(0, MAX_KEY - 1)}…` : key;
}
