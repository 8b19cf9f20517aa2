import { decodeText } from "../decode-text.js";
import { LoadError, titleFromName, type Block, type Loader } from "../document.js";

/** Loads JSON: each element of a list, and each member of an object, is a block of `key.key: value` lines. */
export const loadJson: Loader = async ({ bytes, name }) => {
  const text = decodeText(bytes);
  try {
    const value = parse(text);
    return { kind: "json", title: titleOf(value) ?? titleFromName(name), blocks: blocksOf(value) };
  } catch (error) {
    if (error instanceof RangeError) throw new LoadError("its values are nested too deeply");
    throw error;
  }
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new LoadError(
      `it is not valid JSON (${error instanceof Error ? error.message.slice(0, 100) : "unreadable"})`,
    );
  }
}

function titleOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const title = "title" in value ? value.title : "name" in value ? value.name : undefined;
  return typeof title === "string" && title.trim() !== "" ? title.trim() : undefined;
}

function blocksOf(value: unknown): Block[] {
  if (Array.isArray(value)) return value.flatMap((item) => blockOf(keyValueLines(item), []));
  if (typeof value !== "object" || value === null) return blockOf(keyValueLines(value), []);
  const plain = Object.entries(value).filter(
    ([, inner]) => typeof inner !== "object" || inner === null,
  );
  const nested = Object.entries(value).filter(
    ([, inner]) => typeof inner === "object" && inner !== null,
  );
  return [
    ...blockOf(keyValueLines(Object.fromEntries(plain)), []),
    ...nested.flatMap(([key, inner]) =>
      Array.isArray(inner) && inner.some((item) => typeof item === "object")
        ? inner.flatMap((item) => blockOf(keyValueLines(item), [key]))
        : blockOf(keyValueLines(inner, key), [key]),
    ),
  ];
}

function blockOf(lines: readonly string[], headings: readonly string[]): Block[] {
  return lines.length === 0 ? [] : [{ text: lines.join("\n"), headings, form: "code" }];
}

/** `{a: {b: 1}, c: [2, 3]}` → `a.b: 1`, `c: 2, 3`. What holds nothing gives no line. Deeper than 50 levels it is given as JSON. */
export function keyValueLines(value: unknown, key = "", depth = 0): string[] {
  const labelled = (text: string): string[] =>
    text === "" ? [] : [key === "" ? text : `${key}: ${text}`];
  if (value === null || value === undefined) return [];
  if (typeof value === "string") return labelled(value.trim());
  if (typeof value === "number" || typeof value === "boolean") return labelled(String(value));
  if (typeof value !== "object") return [];
  if (depth > 50) return labelled(JSON.stringify(value));
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== "object" || item === null))
      return labelled(value.filter((item) => item !== null).join(", "));
    return value.flatMap((item) => keyValueLines(item, key, depth + 1));
  }
  return Object.entries(value).flatMap(([name, inner]) =>
    keyValueLines(inner, key === "" ? name : `${key}.${name}`, depth + 1),
  );
}
