/** The text of a passage, read as its format asks, with the cited words marked. */
import { html } from "./html.js";
import { CITED, markSpans } from "./marks.js";
import { PlainText, RichText } from "./rich-text.js";

/** Formats without markup; of the others passages are stored as Markdown. */
const PLAIN = new Set(["text", "json", "csv", "pdf"]);

/**
 * @param kind the document's format
 * @param spans `[start, end]` of what is marked
 */
export function PassageText({ text, kind, spans = [] }) {
  const marked = markSpans(text, spans, CITED);
  if (!PLAIN.has(kind)) return html`<${RichText} text=${marked} breaks=${kind !== "markdown"} />`;
  // A PDF breaks lines where its columns end.
  const joined = kind === "pdf" ? marked.replace(/(\S)\n(?=\S)/g, "$1 ") : marked;
  return html`<${PlainText} text=${joined} />`;
}

/** Returns the format of a document whose passages come without it. */
export function kindOf({ kind, path = "" }) {
  if (kind === "web") return "markdown";
  const ending = /\.(\w+)$/.exec(path)?.[1].toLowerCase();
  if (["md", "mdx", "markdown"].includes(ending)) return "markdown";
  if (ending === "pdf") return "pdf";
  return /^(?:x?html?|docx|pptx|xlsx|docm|pptm|xlsm|epub|ipynb)$/.test(ending) ? ending : "text";
}
