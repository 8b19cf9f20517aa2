import type { Block } from "../../text/block.js";
import { declaredCharset, decodeText } from "../../text/decode-text.js";
import { readWebPage } from "../../text/web-page.js";
import type { Loader } from "../document.js";
import { indentedText } from "./indented-text.js";
import { htmlProperties } from "./properties.js";

/** Loads plain text and source code as paragraphs, manual pages by their headings. */
export const loadText: Loader = async (bytes) => {
  const text = decodeText(bytes);
  return indentedText(text) ?? { blocks: paragraphs(text) };
};

/** Loads a web page's main content, without menus, advertisements and banners. */
export const loadHtml: Loader = async (bytes) => {
  const html = decodeText(bytes, declaredCharset(bytes));
  return { ...readWebPage(html), metadata: htmlProperties(html) };
};

/** Splits text at empty lines. */
export function paragraphs(text: string): Block[] {
  const blocks: Block[] = [];
  let taken: string[] = [];
  [...text.split("\n"), ""].forEach((line, index) => {
    if (line.trim() !== "") taken.push(line.trimEnd());
    else if (taken.length > 0) {
      const place = { startLine: index - taken.length + 1, endLine: index };
      blocks.push({ text: taken.join("\n"), headings: [], ...place, form: "paragraph" });
      taken = [];
    }
  });
  return blocks;
}
