/** Markdown by its tokens: heading paths, line ranges, code blocks and tables whole. */
import type Token from "markdown-it/lib/token.mjs";
import { decodeText } from "../decode-text.js";
import { titleFromName, type Block, type Loader } from "../document.js";

/** Loads Markdown. The title is the front matter's, else the first heading of the highest level, else the file's name. */
export const loadMarkdown: Loader = async ({ bytes, name }) => {
  const { default: MarkdownParser } = await import("markdown-it");
  const source = decodeText(bytes);
  const frontMatter = /^---\n([\s\S]*?)\n---\s*(?:\n|$)/.exec(source);
  // Blank lines in its place keep the line numbers right.
  const body =
    frontMatter === null
      ? source
      : "\n".repeat(frontMatter[0].split("\n").length - 1) + source.slice(frontMatter[0].length);
  const tokens = new MarkdownParser({ html: true }).parse(body, {});
  const { blocks, firstHeading } = blocksOf(tokens, body.split("\n"));
  const title =
    /^title:\s*["']?(.+?)["']?\s*$/m.exec(frontMatter?.[1] ?? "")?.[1] ??
    firstHeading ??
    titleFromName(name);
  return {
    kind: "markdown",
    title,
    blocks: blocks.map((block) => ({ ...block, headings: withoutTitle(block.headings, title) })),
  };
};

/** The document's title is kept beside every passage already. */
function withoutTitle(headings: readonly string[], title: string): readonly string[] {
  return headings[0] === title ? headings.slice(1) : headings;
}

function blocksOf(
  tokens: readonly Token[],
  lines: readonly string[],
): { blocks: Block[]; firstHeading: string | undefined } {
  const blocks: Block[] = [];
  const path: { level: number; text: string }[] = [];
  let firstHeading: string | undefined;
  const headings = (): string[] => path.map(({ text }) => text);
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined || token.map === null) continue;
    const [from, to] = token.map;
    const inner = tokens.slice(index + 1, closing(tokens, index));
    if (token.type === "heading_open") {
      const level = Number(token.tag.slice(1));
      while ((path.at(-1)?.level ?? 0) >= level) path.pop();
      const text = plainText(inner[0]).replace(/\s+/g, " ").trim();
      if (text !== "") path.push({ level, text });
      if (level === 1) firstHeading ??= text === "" ? undefined : text;
    } else if (token.type === "bullet_list_open" || token.type === "ordered_list_open") {
      blocks.push(...itemsOf(token, inner, lines, headings()));
    } else {
      const form =
        token.type === "fence" || token.type === "code_block"
          ? "code"
          : token.type === "table_open"
            ? "table"
            : "paragraph";
      const end = lastLine(lines, from, to);
      const text =
        token.type === "paragraph_open"
          ? plainText(inner[0])
          : token.type === "html_block"
            ? htmlText(token.content)
            : lines.slice(from, end).join("\n");
      if (text.trim() !== "")
        blocks.push({ text, headings: headings(), startLine: from + 1, endLine: end, form });
    }
    index += inner.length;
  }
  return { blocks, firstHeading };
}

function itemsOf(
  list: Token,
  inner: readonly Token[],
  lines: readonly string[],
  headings: readonly string[],
): Block[] {
  const items: Block[] = [];
  inner.forEach((token, index) => {
    if (token.type !== "list_item_open" || token.level !== list.level + 1 || token.map === null)
      return;
    const [from, to] = token.map;
    const end = lastLine(lines, from, to);
    const paragraphs = inner
      .slice(index, closing(inner, index) + 1)
      .filter(({ type }) => type === "inline");
    // An item of one paragraph is cleaned of its markup; one with an inner structure is kept as it was written.
    const text =
      paragraphs.length === 1 && end - from === countLines(plainText(paragraphs[0]))
        ? `${list.type === "ordered_list_open" ? `${token.info || String(index + 1)}.` : "-"} ${plainText(paragraphs[0])}`
        : lines.slice(from, end).join("\n");
    items.push({ text, headings, startLine: from + 1, endLine: end, form: "item" });
  });
  return items;
}

/** Index of the token that closes the one at `index`; `index` + 1 for a token that opens nothing. */
function closing(tokens: readonly Token[], index: number): number {
  const open = tokens[index];
  if (open === undefined || open.nesting !== 1) return index + 1;
  const end = tokens.findIndex(
    (token, position) => position > index && token.nesting === -1 && token.level === open.level,
  );
  return end === -1 ? tokens.length : end;
}

/** Inline text without the markup that means nothing to a reader of a quotation: emphasis, link targets, images. Line breaks stay. */
function plainText(inline: Token | undefined): string {
  return (inline?.children ?? [])
    .map((child) => {
      switch (child.type) {
        case "softbreak":
        case "hardbreak":
          return "\n";
        case "code_inline":
          return `\`${child.content}\``;
        case "html_inline":
          return "";
        default:
          return child.content;
      }
    })
    .join("");
}

function htmlText(html: string): string {
  return html
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/[^\S\n]+/g, " ")
    .trim();
}

/** A block's map may run over the empty lines behind it. */
function lastLine(lines: readonly string[], from: number, to: number): number {
  let end = Math.min(to, lines.length);
  while (end > from + 1 && (lines[end - 1] ?? "").trim() === "") end--;
  return end;
}

function countLines(text: string): number {
  return text.split("\n").length;
}
