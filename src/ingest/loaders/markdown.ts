import MarkdownParser from "markdown-it";
import type Token from "markdown-it/lib/token.mjs";
import { HeadingPath, type Block } from "../../text/block.js";
import { decodeText } from "../../text/decode-text.js";
import { htmlBlocks } from "../../text/html.js";
import { markupTokens } from "../../text/markup.js";
import { oneLine } from "../../text/one-line.js";
import { titleIn } from "../../text/web-page.js";
import type { Loader } from "../document.js";

/** Longer paragraphs are taken literally: parsing their marks takes quadratic time. */
const MAX_INLINE = 10_000;

/** A picture inside of the text can be longer than the text. */
const EMBEDDED = /data:[\w/+.-]+;base64,[\w/+=]{200,}/g;

/** Loads Markdown. The title is the front matter's, else the first heading. */
export const loadMarkdown: Loader = async (bytes) => {
  const { lines, front } = withoutFrontMatter(decodeText(bytes).split("\n"));
  const { blocks, firstHeading, bare } = readMarkdown(lines);
  if (bare?.after === blocks.length) blocks.push(bare.block);
  // A title that is folded over several lines is left to the headings.
  const written = front.find((line) => /^title *[:=](?! *[>|])/.test(line))?.slice("title:".length);
  const title = written?.replace(/^[ :=]*(["']?)(.*)\1 *$/, "$2") || firstHeading;
  if (blocks.length > 0 || front.join("").trim() === "") return { title, blocks };
  const text = front.join("\n").trim();
  const place = { startLine: 2, endLine: front.length + 1 };
  return { title, blocks: [{ text, headings: [], ...place, form: "paragraph" }] };
};

/** @param path the headings above; those of these lines are entered too */
export function readMarkdown(lines: readonly string[], path = new HeadingPath()) {
  return blocksOf(parser.parse(lines.join("\n"), {}), lines, path);
}

/** Replaces front matter by blank lines, which keeps the line numbers right. */
function withoutFrontMatter(lines: string[]): { lines: string[]; front: string[] } {
  const fence = lines[0]?.trimEnd() ?? "";
  // YAML or TOML.
  const isFence = fence === "---" || fence === "+++";
  const end = isFence ? lines.findIndex((line, at) => at > 0 && line.trimEnd() === fence) : -1;
  const front = end === -1 ? [] : lines.slice(1, end);
  return { lines: lines.map((line, at) => (at <= end ? "" : line)), front };
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
  const ends = closings(tokens);
  const endOf = (at: number): number => ends.get(at) ?? at;
  const blocks: Block[] = [];
  let firstHeading: string | undefined;
  /** The last heading; it is text if nothing stands below it. */
  let bare: { block: Block; level: number; after: number } | undefined;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined || token.map === null) continue;
    const [from, end] = linesOf(token.map, lines);
    const close = endOf(index);
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
      else if (token.tag === "h1" && text !== "") firstHeading ??= text;
    } else if (token.type === "bullet_list_open" || token.type === "ordered_list_open") {
      // Writers often number every item 1.
      let number = Number(token.attrGet("start") ?? 1);
      for (let at = index + 1; at < close; at = endOf(at) + 1, number += 1)
        blocks.push(...itemOf(tokens.slice(at, endOf(at) + 1), lines, path.texts, number));
    } else if (token.type === "paragraph_open") push(plainText(tokens[index + 1]), "paragraph");
    else if (token.type === "html_block") {
      const markup = [...markupTokens(token.content)];
      firstHeading ??= titleIn(markup, "h1") || undefined;
      for (const block of htmlBlocks(markup, path))
        blocks.push({ ...block, startLine: from + 1, endLine: end });
    } else if (token.type !== "hr")
      push(lines.slice(from, end).join("\n"), FORMS[token.type] ?? "paragraph");
    index = close;
  }
  return { blocks, firstHeading, bare };
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

/** Maps each opening token to its closing one, in one pass. */
function closings(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const open: number[] = [];
  const ends = new Map<number, number>();
  tokens.forEach(({ nesting }, index) => {
    if (nesting === 1) open.push(index);
    const start = nesting === -1 ? open.pop() : undefined;
    if (start !== undefined) ends.set(start, index);
  });
  return ends;
}

/** Returns inline text without emphasis, link targets and images; line breaks stay. */
function plainText(inline: Token | undefined): string {
  return (inline?.children ?? [])
    .map(({ type, content }, at, all) => {
      if (type === "softbreak" || type === "hardbreak") return "\n";
      if (type === "s_open" || type === "s_close") return "~~";
      if (type === "code_inline") return `\`${content}\``;
      // 10<sup>3</sup> becomes 10^3, not 103.
      if (type === "html_inline")
        return content === "<sup>" && !isNaN(Number(all[at + 1]?.content)) ? "^" : "";
      return content;
    })
    .join("");
}

/** Drops trailing empty lines, which a token's map may include. */
function linesOf([from, to]: [number, number], lines: readonly string[]): [number, number] {
  let end = Math.min(to, lines.length);
  while (end > from + 1 && (lines[end - 1] ?? "").trim() === "") end--;
  return [from, end];
}
