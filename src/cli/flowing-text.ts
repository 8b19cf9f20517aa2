/** An answer on a terminal: lines broken between words, emphasis shown, code left as it is. Text may come in pieces of any size. */
import type { Style } from "./terminal.js";

export interface FlowingText {
  push(text: string): void;
  /** Writes what is still held back. */
  end(): void;
}

/** Lines longer than this are hard to read, however wide the window is. */
const WIDEST = 100;
const NARROWEST = 30;

/** @param width columns of the terminal; undefined where the output is no terminal: then everything is written as it is */
export function createFlowingText({
  width,
  style,
  out,
}: {
  width: number | undefined;
  style: Style;
  out: (text: string) => void;
}): FlowingText {
  if (width === undefined) return { push: out, end: () => undefined };
  const limit = Math.max(NARROWEST, Math.min(WIDEST, width));
  let word = "";
  /** White space before the word; written only where the line goes on. */
  let gap = "";
  let column = 0;
  let indent = "";
  let inCode = false;
  let isBold = false;

  const styled = (text: string): string =>
    text
      .split("**")
      .map((part, index) => {
        if (index > 0) isBold = !isBold;
        return isBold && part !== "" ? style.bold(part) : part;
      })
      .join("");
  const flush = (): void => {
    if (word === "") return;
    const length = word.replaceAll("**", "").length;
    if (!inCode && column > indent.length && column + gap.length + length > limit) {
      out(`\n${indent}`);
      column = indent.length;
    } else {
      out(gap);
      column += gap.length;
    }
    // A wrapped line of an item stands under its words.
    if (column === gap.length && /^(?:[-*•]|\d{1,3}[.)])$/u.test(word)) indent = " ".repeat(column + length + 1);
    out(inCode ? word : styled(word));
    column += length;
    word = "";
    gap = "";
  };
  const endLine = (line: string): void => {
    flush();
    out("\n");
    if (/^\s*(?:```|~~~)/u.test(line)) inCode = !inCode;
    [column, indent, gap, isBold] = [0, "", "", false];
  };
  let line = "";
  return {
    push(text) {
      for (const character of text) {
        if (character === "\n") {
          endLine(line);
          line = "";
          continue;
        }
        line += character;
        if (/\s/u.test(character)) {
          flush();
          gap += character;
        } else word += character;
      }
    },
    end() {
      flush();
      line = "";
    },
  };
}
