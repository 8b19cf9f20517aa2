/**
 * Writes an answer to a terminal: breaks lines between words, shows bold text, leaves code alone.
 * The text may arrive in pieces of any size.
 */
import type { Style } from "./terminal.js";

export interface FlowingText {
  push(text: string): void;
  /** Sets the style of the words that follow. */
  paint(tone: (text: string) => string): void;
  /** Writes the last word. */
  end(): void;
}

/** Longer lines are hard to read, however wide the window is. */
const WIDEST = 100;
const FENCES = ["```", "~~~"];
/** Text after which `**` can open bold: it ends in no letter, digit or asterisk. */
const OPENS_BOLD = /(?:^|[^\p{L}\p{N}*])$/u;

/** @param width columns of the terminal; without one the text passes through unchanged */
export function createFlowingText({
  width,
  style,
  out,
}: {
  width: number | undefined;
  style: Style;
  out: (text: string) => void;
}): FlowingText {
  if (width === undefined) return { push: out, paint: () => undefined, end: () => undefined };
  const limit = Math.min(WIDEST, width);
  let word = "";
  /** White space before the word, dropped where the line breaks. */
  let gap = "";
  let column = 0;
  let indent = "";
  let inCode = false;
  let isBold = false;
  let inBackticks = false;
  let tone = (text: string): string => text;

  /** Splits a word into bold and plain parts; asterisks in code and in "2**10" stay. */
  const partsOf = (text: string): { text: string; bold: boolean }[] => {
    if (inCode) return [{ text, bold: false }];
    const parts: { text: string; bold: boolean }[] = [];
    let from = 0;
    for (const { 0: mark, index } of text.matchAll(/`|\*\*/gu)) {
      if (mark === "`") inBackticks = !inBackticks;
      const opens = OPENS_BOLD.test(text.slice(0, index)) && index + mark.length < text.length;
      if (mark === "`" || inBackticks || !(isBold || opens)) continue;
      parts.push({ text: text.slice(from, index), bold: isBold });
      isBold = !isBold;
      from = index + mark.length;
    }
    return [...parts, { text: text.slice(from), bold: isBold }].filter((part) => part.text !== "");
  };
  const flush = (): void => {
    if (word === "") return;
    const parts = partsOf(word);
    const length = parts.reduce((sum, part) => sum + part.text.length, 0);
    if (!inCode && column > indent.length && column + gap.length + length > limit) {
      out(`\n${indent}`);
      column = indent.length;
    } else {
      out(gap);
      column += gap.length;
    }
    // Wrapped lines of a list item are indented to its text.
    if (column === gap.length && /^(?:[-*•]|\d{1,3}[.)])$/u.test(word))
      indent = " ".repeat(column + length + 1);
    out(parts.map((part) => tone(part.bold ? style.bold(part.text) : part.text)).join(""));
    column += length;
    word = "";
    gap = "";
  };
  const endLine = (line: string): void => {
    flush();
    out("\n");
    if (FENCES.some((fence) => line.trimStart().startsWith(fence))) inCode = !inCode;
    [column, indent, gap, isBold, inBackticks] = [0, "", "", false, false];
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
        if (character.trim() === "") {
          flush();
          gap += character;
        } else word += character;
      }
    },
    paint(next) {
      flush();
      tone = next;
    },
    end() {
      flush();
      line = "";
    },
  };
}
