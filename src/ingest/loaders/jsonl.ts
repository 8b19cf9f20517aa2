import { decodeText } from "../decode-text.js";
import { LoadError, titleFromName, type Block, type Loader } from "../document.js";
import { keyValueLines } from "./json.js";

/** Loads JSON lines that are no corpus: each record a block of `key: value` lines. Lines that cannot be parsed are passed over. */
export const loadJsonLines: Loader = async ({ bytes, name }) => {
  const blocks: Block[] = [];
  let broken = 0;
  decodeText(bytes)
    .split("\n")
    .forEach((line, index) => {
      if (line.trim() === "") return;
      const text = recordText(line);
      if (text === undefined) broken++;
      else if (text !== "")
        blocks.push({ text, headings: [], startLine: index + 1, endLine: index + 1, form: "code" });
    });
  if (broken > 0 && blocks.length === 0) throw new LoadError("no line of it is valid JSON");
  return { kind: "json", title: titleFromName(name), blocks };
};

function recordText(line: string): string | undefined {
  try {
    return keyValueLines(JSON.parse(line)).join("\n");
  } catch {
    return undefined;
  }
}
