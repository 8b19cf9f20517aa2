/** Markdown by its tokens: heading paths, line ranges, code blocks and tables whole. */
import type Token from "markdown-it/lib/token.mjs";
import { HeadingPath, type Block } from "../../text/block.js";
import { decodeText } from "../../text/decode-text.js";
import { htmlToText } from "../../text/html.js";
import { titleFromName, type Loader } from "../document.js";

/** Longer paragraphs are no Markdown: looking for its marks takes time that grows with the square. */
const MAX_INLINE = 10_000;

/** Loads Markdown. The title is the front matter's, else the first heading, else the file's name. */
export const loadMarkdown: Loader = async ({ bytes, name }) => {
  const source = decodeText(bytes);
  const { lines, front } = withoutFrontMatter(source.split("\n"));
  const { blocks, firstHeading } = blocksOf(await parse(lines.join("\n")), lines);
  const written = front
    .find((line) => line.startsWith("title:"))
    ?.slice("title:".length)
    .trim();
  const title = written?.replace(/^(["'])(.*)\1$/, "$2") || firstHeading || titleFromName(name);
  const all = blocks.map((block) => ({ ...block, headings: withoutTitle(block.headings, title) }));
  // Front matter alone is what such a file says.
  const text = front.join("\n").trim();
  const place = { startLine: 2, endLine: front.length + 1 };
  return {
    kind: "markdown",
    title,
    blocks:
      all.length > 0 || text === "" ? all : [{ text, headings: [], ...place, form: "paragraph" }],
  };
};

/** Blank lines take its place, which keeps the line numbers right. */
function withoutFrontMatter(lines: readonly string[]): { lines: string[]; front: string[] } {
  const end =
    lines[0] === "---" ? lines.findIndex((line, at) => at > 0 && /^---\s*$/.test(line)) : -1;
  if (end === -1) return { lines: [...lines], front: [] };
  return { lines: lines.map((line, at) => (at <= end ? "" : line)), front: lines.slice(1, end) };
}

async function parse(body: string): Promise<Token[]> {
  const { default: MarkdownParser } = await import("markdown-it");
  const parser = new MarkdownParser({ html: true });
  parser.core.ruler.at("inline", ({ tokens, md, env, Token: InlineToken }) => {
    for (const token of tokens) {
      if (token.type !== "inline") continue;
      token.children = [];
      if (token.content.length <= MAX_INLINE)
        md.inline.parse(token.content, md, env, token.children);
      else
        token.children.push(
          Object.assign(new InlineToken("text", "", 0), { content: token.content }),
        );
    }
  });
  return parser.parse(body, {});
}

/** The document's title is kept beside every passage already. */
function withoutTitle(headings: readonly string[], title: string): readonly string[] {
  return headings[0] === title ? headings.slice(1) : headings;
}

function blocksOf(
  tokens: readonly Token[],
  lines: readonly string[],
): { blocks: Block[]; firstHeading: string | undefined } {
  const ends = closings(tokens);
  const path = new HeadingPath();
  const blocks: Block[] = [];
  let firstHeading: string | undefined;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined || token.map === null) continue;
    const [from, to] = token.map;
    const end = lastLine(lines, from, to);
    const close = ends.get(index) ?? index;
    const push = (text: string, form: Block["form"]): void => {
      if (text.trim() !== "")
        blocks.push({ text, headings: path.texts, startLine: from + 1, endLine: end, form });
    };
    if (token.type === "heading_open") {
      const text = plainText(tokens[index + 1])
        .replace(/\s+/g, " ")
        .trim();
      if (!path.enter(Number(token.tag.slice(1)), text)) push(text, "paragraph");
      else if (token.tag === "h1" && text !== "") firstHeading ??= text;
    } else if (token.type === "bullet_list_open" || token.type === "ordered_list_open") {
      for (let at = index + 1; at < close; at = (ends.get(at) ?? at) + 1)
        blocks.push(
          ...itemOf({ tokens, at, end: ends.get(at) ?? at, lines, headings: path.texts }),
        );
    } else if (token.type === "paragraph_open") push(plainText(tokens[index + 1]), "paragraph");
    else if (token.type === "html_block") push(htmlToText(token.content), "paragraph");
    else push(lines.slice(from, end).join("\n"), FORMS[token.type] ?? "paragraph");
    index = close;
  }
  return { blocks, firstHeading };
}

const FORMS: Readonly<Record<string, Block["form"]>> = {
  fence: "code",
  code_block: "code",
  table_open: "table",
};

function itemOf({
  tokens,
  at,
  end: close,
  lines,
  headings,
}: {
  tokens: readonly Token[];
  at: number;
  end: number;
  lines: readonly string[];
  headings: readonly string[];
}): Block[] {
  const item = tokens[at];
  if (item?.type !== "list_item_open" || item.map === null) return [];
  const [from, to] = item.map;
  const end = lastLine(lines, from, to);
  // One paragraph: its opening, its text, its closing. Anything else is kept as it was written.
  const inner = close - at === 4 ? plainText(tokens[at + 2]) : undefined;
  const mark = item.info === "" ? "-" : `${item.info}.`;
  const text =
    inner !== undefined && end - from === inner.split("\n").length
      ? `${mark} ${inner}`
      : lines.slice(from, end).join("\n");
  return [{ text, headings, startLine: from + 1, endLine: end, form: "item" }];
}

/** Where each token that opens something is closed, in one pass. */
function closings(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const open: number[] = [];
  const ends = new Map<number, number>();
  tokens.forEach((token, index) => {
    if (token.nesting === 1) open.push(index);
    const start = token.nesting === -1 ? open.pop() : undefined;
    if (start !== undefined) ends.set(start, index);
  });
  return ends;
}

/** Inline text without emphasis, link targets and images. Line breaks stay. */
function plainText(inline: Token | undefined): string {
  return (inline?.children ?? [])
    .map(({ type, content }) => {
      if (type === "softbreak" || type === "hardbreak") return "\n";
      if (type === "code_inline") return `\`${content}\``;
      return type === "html_inline" ? "" : content;
    })
    .join("");
}

/** A block's map may run over the empty lines behind it. */
function lastLine(lines: readonly string[], from: number, to: number): number {
  let end = Math.min(to, lines.length);
  while (end > from + 1 && (lines[end - 1] ?? "").trim() === "") end--;
  return end;
}
