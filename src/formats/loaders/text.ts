/** Plain text, web pages, and text with headings and options to the left of what they name. */
import { HeadingPath, MAX_HEADING, type Block } from "../../text/block.js";
import { declaredCharset, decodeText } from "../../text/decode-text.js";
import { collapsed, countWords, hasWords, oneLine } from "../../text/words.js";
import { readWebPage } from "../../text/web-page.js";
import { LoadError, type Loader } from "../document.js";
import { htmlProperties } from "../metadata.js";

/** Code that is often shipped minified; people write no lines of such a length, on average. */
const CODE = [".js", ".mjs", ".cjs", ".css"];
const LONG_CODE = 1_000;

/** Loads plain text and source code as paragraphs, manual pages by their headings. */
export const loadText: Loader = async (bytes, ending) => {
  const text = decodeText(bytes);
  if (CODE.includes(ending) && text.length > LONG_CODE * text.split("\n").length)
    throw new LoadError("it is code without line breaks, made for machines", "empty");
  return indentedText(text) ?? underTitles(text.split("\n"));
};

/** Loads a web page's main content, without menus, advertisements and banners. */
export const loadHtml: Loader = async (bytes) => {
  const { title, blocks, meta } = readWebPage(decodeText(bytes, declaredCharset(bytes)));
  return { title, blocks, metadata: htmlProperties(meta) };
};

/** A line of one sign below a title, or above and below it: group 1 is the sign. */
const RULE = /^([^\p{L}\p{N}\s])\1{2,}$/u;
/** A title on a line of its own: group 1 gives its level. */
const MARKED_TITLE = /^(={1,6}) (\S.*?)(?: \1)?$/u;
/** Rules and titles differ by as much, or the title is plain words. */
const NEARLY = 3;

/** Reads titles with rules, as in reStructuredText and AsciiDoc; a new style is a level deeper. */
function underTitles(lines: readonly string[]): { title?: string | undefined; blocks: Block[] } {
  const path = new HeadingPath();
  const styles: string[] = [];
  const found = lines.flatMap((_, at) => titleAt(lines, at) ?? []);
  const isMarked = found[0]?.form === "marked";
  const below = new Set<string>();
  const titles = found.filter(({ form, sign }) => {
    if (form === "below") below.add(sign);
    // Where a rule below makes titles, those above and below are round an example.
    return (form === "marked") === isMarked && !(form === "between" && below.has(sign));
  });
  const blocks = [...titles, undefined].flatMap((title, index) => {
    const start = titles[index - 1]?.end ?? 0;
    const text = lines.slice(start, title?.start).join("\n");
    const read = paragraphs(text, start).map((block) => ({ ...block, headings: path.texts }));
    if (title === undefined) return read;
    const style = title.form + title.sign;
    if (!styles.includes(style)) styles.push(style);
    path.enter(styles.indexOf(style), title.text);
    return read;
  });
  const [first, ...others] = titles;
  const isOnly = others.every(({ form, sign }) => form !== first?.form || sign !== first.sign);
  return { title: isOnly ? first?.text : undefined, blocks };
}

interface Title {
  text: string;
  form: "marked" | "below" | "between";
  sign: string;
  /** Lines: from `start`, before `end`. */
  start: number;
  end: number;
}

/** Returns the title that ends at this line. */
function titleAt(lines: readonly string[], at: number): Title | undefined {
  const [above = "", over = "", line = "", next = ""] = [-2, -1, 0, 1].map((step) =>
    lines[at + step]?.trimEnd(),
  );
  const [, mark, marked] = MARKED_TITLE.exec(line) ?? [];
  if (mark !== undefined && marked !== undefined && over === "")
    return { text: oneLine(marked), form: "marked", sign: mark, start: at, end: at + 1 };
  const [, sign] = RULE.exec(line) ?? [];
  const text = over.trim();
  const form = above === line ? "between" : "below";
  const isAlone = form === "between" || (above === "" && !over.startsWith(" "));
  const isNear = Math.abs(line.length - text.length) <= NEARLY;
  const isTitle = isNear || (WORDS.test(text) && line.length > text.length && next === "");
  if (sign === undefined || !isAlone || !isTitle || !hasWords(text) || text.includes("  "))
    return undefined;
  return { text, form, sign, start: form === "between" ? at - 2 : at - 1, end: at + 1 };
}

/** Splits text at empty lines, and before the items of a list. */
export function paragraphs(text: string, start = 0): Block[] {
  const blocks: Block[] = [];
  let taken: string[] = [];
  let form: Block["form"] = "paragraph";
  /** Number of the latest item of the list. */
  let number = 0;
  const close = (endLine: number): void => {
    const place = { startLine: start + endLine - taken.length + 1, endLine: start + endLine };
    if (taken.length > 0) blocks.push({ text: taken.join("\n"), headings: [], ...place, form });
    taken = [];
  };
  [...text.split("\n"), ""].forEach((line, index) => {
    const bare = line.trim();
    if (bare === "") return close(index);
    const [mark, digits] = ITEM.exec(bare) ?? [];
    const next = Number(digits ?? number + 1);
    // "250." at the beginning of a line goes on with the sentence above it.
    const isItem = mark !== undefined && (next === 1 || next === number + 1 || isEnded(taken));
    if (isItem) close(index);
    if (taken.length === 0) form = isItem ? "item" : "paragraph";
    if (taken.length === 0) number = isItem ? next : 0;
    taken.push(line.trimEnd());
  });
  return blocks;
}

function isEnded(lines: readonly string[]): boolean {
  return ".:;!?".includes(lines.at(-1)?.at(-1) ?? ".");
}

interface Line {
  text: string;
  indent: number;
  /** From 1. */
  number: number;
}

/** The first line of a manual page: "LS(1)   User Commands   LS(1)". */
const MANUAL_HEAD = /^(\S+)(\(\w{1,8}\))(?=\s).*\s\1\2$/u;
/** Words without the signs of code. */
const WORDS = /^[\p{Lu}\p{N}][\p{L}\p{M}\p{N} ,&/.'’()-]*$/u;
/** Share of the lines that are indented, and of the others that are headings, in such a text. */
const INDENTED = 0.6;
const HEADINGS = 0.8;
/** Group 1: the number of a step. */
const ITEM = /^(?:[-–—*+•·◦‣▪●○]|\[[ xX]\]|\(?(?:(\d{1,3})|[a-z])[.)])\s/u;
/** A shorter description stays with the ones beside it. */
const LONG_DESCRIPTION = 60;
const TAB = 8;

/**
 * Reads headings and the names of options by their indentation. The name of an option goes before
 * its description, and is a heading too if the description is long.
 * @returns undefined for text of another kind
 */
function indentedText(source: string): { title?: string; blocks: Block[] } | undefined {
  const lines = linesOf(source);
  const written = lines.filter(({ text }) => text !== "");
  const first = written[0];
  if (first === undefined) return undefined;
  const [isManual, name = "", section = ""] = MANUAL_HEAD.exec(first.text) ?? [];
  // The last line of a manual page repeats its name.
  const isFurniture = (line: Line): boolean =>
    isManual !== undefined &&
    (line === first || (line === written.at(-1) && line.text.endsWith(`${name}${section}`)));
  const body = lines.filter((line) => !isFurniture(line));
  if (isManual === undefined && !isOutlined(body.filter(({ text }) => text !== "")))
    return undefined;
  const title = isManual === undefined ? undefined : `${name.toLowerCase()}${section}`;
  return { title, blocks: blocksOf(body) };
}

function linesOf(source: string): Line[] {
  return source.split("\n").map((written, index) => {
    const line = withoutTabs(written);
    const text = line.trim();
    return { text, indent: line.length - line.trimStart().length, number: index + 1 };
  });
}

function withoutTabs(line: string): string {
  const parts = line.split("\t");
  return parts.reduce((text, part) => text + " ".repeat(TAB - (text.length % TAB)) + part);
}

/** True if nearly all lines that are not indented are headings of what is. */
function isOutlined(written: readonly Line[]): boolean {
  const outer = written.flatMap((line, at) => (line.indent === 0 ? [at] : []));
  const headings = outer.filter(
    (at) => WORDS.test(written[at]?.text ?? "") && (written[at + 1]?.indent ?? 0) > 0,
  );
  return (
    headings.length > 1 &&
    outer.length <= written.length * (1 - INDENTED) &&
    headings.length >= outer.length * HEADINGS
  );
}

function blocksOf(lines: readonly Line[]): Block[] {
  const path = new HeadingPath();
  const blocks: Block[] = [];
  /** Names of options whose description begins next. */
  let names = "";
  const parts = partsOf(lines);
  const usual = textIndent(parts);
  for (const [at, part] of parts.entries()) {
    const [top] = part;
    const next = parts[at + 1];
    if (top === undefined) continue;
    const { indent, number: startLine } = top;
    const below = next?.[0] ?? top;
    const isDeeper = below.indent > indent;
    const isHeading = part.length === 1 && isDeeper && indent < usual && !top.text.endsWith(".");
    // A full line above others is a sentence, not a name.
    const isName = part.length === 1 || top.text.length + indent < FULL_LINE;
    const isShared =
      top.text.startsWith("-") && !isOption(top) && isOption(below) && below.indent === indent;
    const isNext = (part.at(-1)?.number ?? 0) + 1 === below.number;
    const isTerm = isNext && (isShared || (isDeeper && isName));
    path.enter(indent + 1, "");
    if (isHeading) path.enter(indent + 1, oneLine(top.text));
    else if (isTerm && !ITEM.test(top.text)) {
      names = part
        .map(({ text }) => collapsed(text))
        .join(", ")
        .replaceAll(",,", ",");
      const end = parts.findIndex((each, later) => later > at && (each[0]?.indent ?? 0) <= indent);
      const about = parts.slice(at + 1, end === -1 ? undefined : end).flat();
      const isLong = countWords(about.map(({ text }) => text).join(" ")) >= LONG_DESCRIPTION;
      if (isLong && names.length <= MAX_HEADING) path.enter(indent + 1, names);
    } else {
      const end = isOption(top) ? "," : names.endsWith(":") || names.endsWith("=") ? "" : ":";
      const lead = names === "" ? "" : `${names}${end} `;
      names = "";
      const text = lead + textOf(part);
      const place = { startLine, endLine: part.at(-1)?.number ?? startLine };
      const form = ITEM.test(text) ? "item" : "paragraph";
      blocks.push({ text, headings: path.texts, ...place, form });
    }
  }
  return blocks;
}

/** Lines this long, indentation included, were filled with words. */
const FULL_LINE = 60;

/** Joins lines, and words cut at their ends; keeps the spaces of tables and code. */
function textOf(part: readonly Line[]): string {
  const [top, second] = part;
  if (top === undefined) return "";
  const tag = second === undefined ? "" : tagOf(top, second.indent);
  if (tag !== "") {
    const joined = { ...top, text: `${collapsed(tag)}: ${top.text.slice(tag.length).trimStart()}` };
    return textOf([joined, ...part.slice(1).map((line) => ({ ...line, indent: top.indent }))]);
  }
  const isFilled = part
    .slice(0, -1)
    .every(({ text, indent }) => text.length + indent >= FULL_LINE && indent >= top.indent);
  const lines = part.map(({ text, indent }) =>
    isFilled ? collapsed(text) : " ".repeat(Math.max(0, indent - top.indent)) + text,
  );
  return lines.join("\n").replace(/(?<=\p{L})‐\n *(?=\p{L})/gu, "");
}

/** Returns what is to the left of a description that begins on its line: "-v   be verbose". */
function tagOf({ text, indent }: Line, column: number): string {
  const at = column - indent;
  const isColumn = at > 2 && text.slice(at - 2, at) === "  " && text.charAt(at).trim() !== "";
  return isColumn ? text.slice(0, at).trim() : "";
}

/** Returns the least indentation of a paragraph of several lines, left of which headings begin. */
function textIndent(parts: readonly Line[][]): number {
  const indents = parts.flatMap(([first, second]) =>
    first !== undefined && first.indent > 0 && first.indent === second?.indent
      ? [first.indent]
      : [],
  );
  return indents.reduce((least, indent) => Math.min(least, indent), Infinity);
}

/** Cuts at empty lines, and between names and the description below them. */
function partsOf(lines: readonly Line[]): Line[][] {
  const parts: Line[][] = [];
  let isOpen = false;
  for (const line of lines) {
    const part = parts.at(-1);
    const before = part?.at(-1);
    if (line.text === "") isOpen = false;
    else if (!isOpen || part === undefined || before === undefined) {
      parts.push([line]);
      isOpen = true;
    } else if (begins(line, before, part)) parts.push([line]);
    else part.push(line);
  }
  return parts;
}

/** True if a description, or the next name, begins without an empty line. */
function begins(line: Line, before: Line, part: readonly Line[]): boolean {
  const [top, second = line] = part;
  if (top === undefined) return true;
  const isNextOption = isOption(line) && (before.text.startsWith("-") || isEnded([before.text]));
  if (isNextOption && line.indent === top.indent) return true;
  if (ITEM.test(top.text) || tagOf(top, second.indent) !== "") return line.indent <= top.indent;
  const isFlat = part.every(({ indent }) => indent === top.indent);
  return (isFlat && line.indent > top.indent) || line.indent < Math.min(top.indent, before.indent);
}

/** True for the name of an option with its description beside it. */
function isOption({ text }: Line): boolean {
  return text.startsWith("-") && text.split(" ", 2)[1] === "";
}
