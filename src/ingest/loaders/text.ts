import type { Block } from "../../text/block.js";
import { decodeText } from "../../text/decode-text.js";
import { titleFromName, type Loader } from "../document.js";

/** Loads plain text and source code: paragraphs between empty lines, with their lines. */
export const loadText: Loader = async ({ bytes, name }) => ({
  kind: "text",
  title: titleFromName(name),
  blocks: paragraphs(decodeText(bytes)),
});

/** Runs of lines that are not empty. */
export function paragraphs(text: string): Block[] {
  const blocks: Block[] = [];
  let taken: string[] = [];
  const lines = text.split("\n");
  lines.push("");
  lines.forEach((line, index) => {
    if (line.trim() !== "") taken.push(line.trimEnd());
    else if (taken.length > 0) {
      const place = { startLine: index - taken.length + 1, endLine: index };
      blocks.push({ text: taken.join("\n"), headings: [], ...place, form: "paragraph" });
      taken = [];
    }
  });
  return blocks;
}
