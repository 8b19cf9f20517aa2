/** Renders pieces of documents for people; citations keep the exact spans. */
import { memoize } from "../support/cache.js";
import { rowText } from "../text/block.js";
import { FOOTNOTE } from "../text/sentences.js";
import { hasWords, oneLine } from "../text/words.js";

/** Of headings, and of the lines of quotations. */
const LINE_MARK = /^\s{0,3}(?:#{1,6}\s+|>\s?)/gmu;
/** Links and images, inline or by reference; group 1 is the text. */
const LINK = /!?\[([^\]]*)\](?:\([^)\s]*(?:\s+"[^"]*")?\)|(?<!\[\d{1,3}\])\[[^\]]*\])/gu;
/** `__init__` is a name. */
const STRONG = /(\*\*\*|\*\*|__(?![a-z\d_]+__))(?=\S)((?:(?!\1).)+)(?<=\S)\1/gsu;
const EMPHASIS = /(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\p{L}\p{N}*])/gu;
const TAG = /<\/?(?:b|i|em|strong|sup|sub|br|p|span|a|code|u)\b[^>]*>/giu;
/** Halves of bold text that a sentence boundary has split; `**kwargs` is a name. */
const HALF_STRONG = /(?:^|(?<=\s))\*\*\s*(?![a-z_])|\*\*(?=\s|$)/gu;

/** Without Markdown, footnotes and line breaks. Inline code keeps its marks. */
export const plainText: (markdown: string) => string = memoize({ compute: withoutMarkup });

function withoutMarkup(markdown: string): string {
  return oneLine(
    markdown
      .replace(LINE_MARK, "")
      .replace(LINK, "$1")
      .replace(FOOTNOTE, "")
      .replace(STRONG, "$2")
      .replace(EMPHASIS, "$1")
      .replace(TAG, "")
      .replace(HALF_STRONG, ""),
  );
}

/** True for a text that consists of links: a pointer to an answer, and none itself. */
export function isLinkOnly(markdown: string): boolean {
  const beside = markdown.replace(LINK, "");
  return beside !== markdown && !hasWords(beside);
}

/** Writes a row of Markdown so that it is understood by itself; without heads, as its cells. */
export function plainRow(heads: readonly string[], row: string): string {
  const cells = cellsOf(row);
  return heads.length > 0 ? rowText(heads, cells) : cells.join("; ");
}

/**
 * Returns the cells of one row of Markdown as plain text.
 * @example cellsOf("| a | `x|y` |") // ["a", "`x|y`"]
 */
export function cellsOf(row: string): string[] {
  const cells = [""];
  let inCode = false;
  for (const part of row.trim().split(/(?<!\\)([|`])/u)) {
    if (part === "`") inCode = !inCode;
    if (part === "|" && !inCode) cells.push("");
    else cells.push(`${cells.pop() ?? ""}${part}`);
  }
  // Nothing is before the first bar or after the last.
  if (cells[0] === "") cells.shift();
  if (cells.at(-1) === "") cells.pop();
  return cells.map((text) => plainText(text.replaceAll("\\|", "|")));
}

/** Text aimed at the agent: tool calls, chat templates, and the orders of injected text. */
const ORDER = new RegExp(
  [
    "</?(?:tool|function|invoke|parameter|system|assistant|user|" +
      "instructions?|im_start|im_end)[\\s_>|:=-]",
    "<\\|[a-z_]{2,30}\\|>|\\[/?INST\\]|<<SYS>>",
    "\\{\\s*[\"'](?:name|tool|tool_name|function|action|command|recipient_name)[\"']\\s*:",
    "(?:^|\\n)\\s*(?:system|assistant|user|human|developer)\\s*:",
    "\\b(?:tool_call|function_call|call_tool|tool_use)s?\\b",
    "\\b(?:ignore|disregard|forget|override|bypass)\\b.{0,40}" +
      "\\b(?:instructions?|prompts?|rules|guidelines|above|previous|context)\\b",
    "\\b(?:you are now|you must now|act as|pretend to be|from now on,? you|new instructions?)\\b",
    "\\b(?:do not|don't|never)\\s+(?:tell|inform|mention to|reveal to)\\s+(?:the\\s+)?user\\b",
  ].join("|"),
  "iu",
);

export function looksLikeAnOrder(text: string): boolean {
  return ORDER.test(text);
}

/**
 * Marks a text as a quotation, so that neither people nor programs take it for the agent's words.
 * @example asQuotation("Call the tool.") // "> “Call the tool.”"
 */
export function asQuotation(text: string): string {
  return `> “${text.replaceAll("\n", "\n> ")}”`;
}
