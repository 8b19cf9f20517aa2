import MarkdownParser from "markdown-it";
import type Token from "markdown-it/lib/token.mjs";
import { HeadingPath, type Block } from "../../text/block.js";
import { decodeText } from "../../text/decode-text.js";
import { htmlBlocks } from "../../text/html.js";
import { descendants, parseMarkup } from "../../text/markup.js";
import { oneLine } from "../../text/words.js";
import { decodedPart } from "../../support/web-address.js";
import { titleIn } from "../../text/web-page.js";
import type { Loader } from "../document.js";
import { frontMatter } from "../metadata.js";

/** Longer paragraphs are taken literally: parsing their marks takes quadratic time. */
const MAX_INLINE = 10_000;

/** A picture inside the text can be longer than the text. */
const EMBEDDED = /data:[\w/+.-]+;base64,[\w/+=]{200,}/g;

/** Loads Markdown. The title is the front matter's, else the first heading. */
export const loadMarkdown: Loader = async (bytes) => {
  const { lines, start, front, metadata } = withoutFrontMatter(decodeText(bytes));
  const { blocks, firstHeading, bare } = readMarkdown(lines);
  if (bare?.after === blocks.length) blocks.push(bare.block);
  // A title that is folded over several lines is left to the headings.
  const written = front.find((line) => /^title *[:=](?! *[>|])/.test(line))?.slice("title:".length);
  const title = written?.replace(/^[ :=]*(["']?)(.*)\1 *$/, "$2") || firstHeading;
  if (blocks.length > 0 || front.join("").trim() === "") return { title, blocks, metadata };
  const text = front.join("\n").trim();
  const place = { startLine: start + 2, endLine: start + front.length + 1 };
  return { title, blocks: [{ text, headings: [], ...place, form: "paragraph" }], metadata };
};

/** @param path the headings above; those of these lines are entered too */
export function readMarkdown(source: readonly string[], path = new HeadingPath()) {
  const lines = withoutDirectives(source);
  return blocksOf(parser.parse(lines.join("\n"), {}), lines, path);
}

/** The start or end of code, or of a directive of MyST (```{note}). */
const FENCE = /^\s*(`{3,}|~{3,}|:{3,})\s*(?:\{([\w:-]+)\})?(.*)$/u;
/** Directives whose content is no text, and is read as it is. */
const VERBATIM = /code|math|literal|include|raw|rst|image|diagram|mermaid/u;
const OPTION = /^\s*:[\w-]+:/u;
/** `(name)=` above a heading, and a comment. */
const LABEL = /^\s*\([^()\s]+\)=\s*$|^%/u;

/**
 * Replaces the lines of directives that are no text by empty ones, which keeps the line numbers
 * right: their marks, options and labels, and tables of contents with all they name. A directive's
 * text stays with its title.
 */
function withoutDirectives(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => LABEL.test(line) || DIRECTIVE.test(line))) return lines;
  const open: { mark: string; kind: "code" | "text" | "contents"; inOptions: boolean }[] = [];
  return lines.map((line) => {
    const top = open.at(-1);
    const [, mark = "", name, rest = ""] = FENCE.exec(line) ?? [];
    const isEnd =
      top !== undefined && mark.startsWith(top.mark) && name === undefined && rest.trim() === "";
    if (isEnd) {
      open.pop();
      return top.kind === "code" ? line : "";
    }
    if (top?.kind === "contents") return "";
    if (top?.kind === "code") return line;
    if (mark !== "") {
      const isColon = mark.startsWith(":");
      const isText = isColon || name !== undefined;
      const isVerbatim = !isColon && (name === undefined || VERBATIM.test(name));
      const kind = name === "toctree" ? "contents" : isText && !isVerbatim ? "text" : "code";
      open.push({ mark, kind, inOptions: true });
      if (kind === "code") return line;
      // `:::note Title` names the kind without braces.
      const [, plainName, written = rest] = name ? [] : (/^\s*([\w-]+)(.*)$/u.exec(rest) ?? []);
      const title = written.trim();
      if (kind === "contents") return "";
      // "versionadded 1.4" says something, unlike "note Mind the gap" and the path of a figure.
      if (/^\d/u.test(title)) return `${name ?? plainName ?? ""} ${title}`;
      return /^\S*[./]\S*$/u.test(title) ? "" : title;
    }
    if (top?.inOptions === true) {
      if (OPTION.test(line)) return "";
      top.inOptions = false;
    }
    return LABEL.test(line) ? "" : line;
  });
}

const DIRECTIVE = /^\s*(?:[`~]{3,}\s*\{|:{3,})/u;

/** Blank lines and comments, below which front matter may name permissions all the same. */
const ABOVE = /^(?:\s*<!--[\s\S]*?-->)*\s*/;

/** Replaces front matter by blank lines, which keeps the line numbers right. */
function withoutFrontMatter(text: string) {
  const lines = text.split("\n");
  const start = (ABOVE.exec(text)?.[0] ?? "").split("\n").length - 1;
  const fence = lines[start]?.trim() ?? "";
  // YAML or TOML.
  if (fence !== "---" && fence !== "+++") return { lines, start, front: [] };
  const ends = fence === "---" ? ["---", "..."] : [fence];
  const end = lines.findIndex((line, at) => at > start && ends.includes(line.trimEnd()));
  const isClosed = end !== -1;
  // What never ends is text, but may hold permissions.
  const front = lines.slice(start + 1, isClosed ? end : undefined);
  const metadata = frontMatter(front, isClosed && fence === "---");
  if (!isClosed || metadata === undefined) return { lines, start, front: [] };
  return { lines: lines.map((line, at) => (at <= end ? "" : line)), start, front, metadata };
}

const parser = new MarkdownParser({ html: true });
parser.core.ruler.at("inline", ({ tokens, md, env, Token: InlineToken }) => {
  for (const token of tokens) {
    if (token.type !== "inline") continue;
    const content = token.content.replace(EMBEDDED, "#");
    token.children = [];
    if (content.length <= MAX_INLINE) md.inline.parse(content, md, env, token.children);
    else token.children.push(Object.assign(new InlineToken("text", "", 0), { content }));
  }
});

const FORMS: Readonly<Record<string, Block["form"]>> = {
  fence: "code",
  code_block: "code",
  table_open: "table",
};

function blocksOf(tokens: readonly Token[], lines: readonly string[], path: HeadingPath) {
  const blocks: Block[] = [];
  let firstHeading: string | undefined;
  /** The last heading; it is text if nothing follows it. */
  let bare: { block: Block; level: number; after: number } | undefined;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined || token.map === null) continue;
    const [from, end] = linesOf(token.map, lines);
    const close = endOf(tokens, index);
    const push = (text: string, form: Block["form"]): void => {
      if (text.trim() !== "")
        blocks.push({ text, headings: path.texts, startLine: from + 1, endLine: end, form });
    };
    if (token.type === "heading_open") {
      const text = oneLine(plainText(tokens[index + 1]));
      const level = Number(token.tag.slice(1));
      if (bare?.after === blocks.length && bare.level >= level) blocks.push(bare.block);
      path.enter(level, "");
      const headings = path.texts;
      const block: Block = { text, headings, startLine: from + 1, endLine: end, form: "paragraph" };
      bare = text === "" ? undefined : { block, level, after: blocks.length };
      if (!path.enter(level, text)) push(text, "paragraph");
      // The number of a version is the title of a part.
      else if (token.tag === "h1" && text !== "") firstHeading ??= /\p{L}/u.test(text) ? text : "";
    } else if (token.type === "bullet_list_open" || token.type === "ordered_list_open") {
      if (isContents(tokens.slice(index, close))) {
        index = close;
        continue;
      }
      // Writers often number every item 1.
      let number = Number(token.attrGet("start") ?? 1);
      for (let at = index + 1; at < close; at = endOf(tokens, at) + 1, number += 1)
        blocks.push(...itemOf(tokens.slice(at, endOf(tokens, at) + 1), lines, path.texts, number));
    } else if (token.type === "paragraph_open") push(plainText(tokens[index + 1]), "paragraph");
    else if (token.type === "html_block") {
      const markup = parseMarkup(token.content);
      firstHeading ??= titleIn(descendants(markup), "h1") || undefined;
      for (const block of htmlBlocks(markup, path))
        blocks.push({ ...block, startLine: from + 1, endLine: end });
    } else if (token.type !== "hr") {
      const written = lines.slice(from, end).join("\n");
      push(withoutTags(written, tokens.slice(index, close)), FORMS[token.type] ?? "paragraph");
    }
    index = close;
  }
  return { blocks, firstHeading, bare };
}

/** True for a list of nothing but links to places in the same document. */
function isContents(tokens: readonly Token[]): boolean {
  const items = tokens.flatMap(({ type, children }) => (type === "inline" ? [children ?? []] : []));
  const leadsWithin = ([first, ...rest]: readonly Token[]): boolean =>
    first?.attrGet("href")?.startsWith("#") === true && rest.at(-1)?.type === "link_close";
  return items.length > 1 && items.every(leadsWithin);
}

/** Removes the marks of HTML from a table, except in its code. */
function withoutTags(written: string, tokens: readonly Token[]): string {
  const inner = tokens.flatMap(({ children }) => children ?? []);
  const textsOf = (type: string): string[] =>
    inner.flatMap((token) => (token.type === type ? [token.content] : []));
  const code = textsOf("code_inline").join("\n");
  return textsOf("html_inline")
    .filter((tag) => !tag.includes("sup") && !code.includes(tag))
    .reduce((text, tag) => text.replaceAll(tag, tag.startsWith("<br") ? " " : ""), written);
}

/** @param tokens of the item, its opening and its closing included */
function itemOf(
  tokens: readonly Token[],
  lines: readonly string[],
  headings: readonly string[],
  number: number,
): Block[] {
  const [item, , content] = tokens;
  if (item?.type !== "list_item_open" || item.map === null) return [];
  const [from, end] = linesOf(item.map, lines);
  // An item of one paragraph has five tokens; any other is kept as written.
  const inner = tokens.length === 5 ? plainText(content) : undefined;
  const written = lines.slice(from, end).join("\n");
  const isNumbered = item.info !== "";
  const whole = isNumbered ? written.replace(item.info, String(number)) : written;
  const isOnItsLines = inner?.split("\n").length === end - from;
  const text = isOnItsLines ? `${isNumbered ? `${number}.` : "-"} ${inner}` : whole;
  return [{ text, headings, startLine: from + 1, endLine: end, form: "item" }];
}

/** Returns the place of the token that closes the one at this place, or this place. */
function endOf(tokens: readonly Token[], at: number): number {
  const opening = tokens[at];
  if (opening?.nesting !== 1) return at;
  let end = at + 1;
  while (end < tokens.length && tokens[end]?.level !== opening.level) end += 1;
  return end;
}

/** Returns inline text without emphasis, link targets and badges; line breaks stay. */
function plainText(inline: Token | undefined): string {
  let struck = 0;
  return (inline?.children ?? [])
    .filter(({ type }) => {
      // Text that was struck out no longer holds.
      if (type === "s_open") struck += 1;
      if (type === "s_close") struck -= 1;
      return struck === 0 && type !== "s_close";
    })
    .map((token, at, all) => {
      const { type, content } = token;
      const next = all[at + 1]?.type;
      // A link without text is shown under its target's name.
      if (type === "link_open" && next === "link_close") return nameOfTarget(token.attrGet("href"));
      if (type === "text" && next === "code_inline") return content.replace(ROLE, "");
      // A badge: it links to what it shows the state of.
      if (type === "image" && all[at - 1]?.type === "link_open" && next === "link_close") return "";
      if (type === "softbreak" || type === "hardbreak") return "\n";
      if (type === "code_inline" && ROLE.test(all[at - 1]?.content ?? "")) return roleText(content);
      if (type === "code_inline") return `\`${content}\``;
      // 10<sup>3</sup> becomes 10^3, not 103.
      if (type === "html_inline")
        return content === "<sup>" && !isNaN(Number(all[at + 1]?.content)) ? "^" : "";
      return content;
    })
    .join("");
}

/** Names what the code behind it is, in MyST: {ref}`install`. */
const ROLE = /\{[a-z][\w:-]*\}$/u;

/** `the guide <guide-target>` → the guide; `~.Spawner.start` → `Spawner.start` */
function roleText(content: string): string {
  const text = content.replace(/\s*<[^<>]+>$/u, "").replace(/^[~.!]+/u, "");
  return text.includes(" ") ? text : `\`${text}\``;
}

/** `../howto/log-messages.md#levels` → `levels` */
function nameOfTarget(href: unknown): string {
  const target = typeof href === "string" ? decodedPart(href) : "";
  const name = target.split(/[/#]/u).filter(Boolean).at(-1) ?? "";
  return name.replace(/\.\w{2,5}$/u, "");
}

/** Drops trailing empty lines, which a token's map may include. */
function linesOf([from, to]: [number, number], lines: readonly string[]): [number, number] {
  let end = Math.min(to, lines.length);
  while (end > from + 1 && (lines[end - 1] ?? "").trim() === "") end--;
  return [from, end];
}
