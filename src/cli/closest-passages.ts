/** Prints the closest passages, whole, with their best sentences in bold. */
import { stripVTControlCharacters } from "node:util";
import type { ClosestPassage } from "../state/answer.js";
import { placeOf } from "../state/evidence.js";
import { oneLine } from "../text/one-line.js";
import { printable, type Terminal } from "./terminal.js";

const INDENT = "   ";
/** Longer lines are hard to read, however wide the window is. */
const WIDEST = 100;

export function printClosestPassages({
  answer,
  passages,
  placeFor = (path) => path,
  terminal: { out, width, outStyle: style },
}: {
  /** Its first line introduces the passages. */
  answer: string;
  passages: readonly ClosestPassage[];
  placeFor?: (path: string) => string;
  terminal: Pick<Terminal, "out" | "width" | "outStyle">;
}): void {
  const room = width === undefined ? Infinity : Math.min(WIDEST, width) - INDENT.length;
  const [opening = ""] = answer.split("\n", 1);
  // Where nothing can be bold, quotation marks show the sentence.
  const hasBold = style.bold("x") !== "x";
  const how = hasBold ? "bold" : "between » and «";
  const lines = `${printable(opening)} The best sentence of each is ${how}.`;
  out(`${style.yellow(wrapped(lines, room))}\n`);
  for (const [index, { headings, source, text, best }] of passages.entries()) {
    const opens = source.kind === "file" ? { ...source, path: placeFor(source.path) } : source;
    const [start, end] = best ?? [0, 0];
    const sentence = printable(text.slice(start, end));
    const marked = hasBold ? style.bold(sentence) : `»${sentence}«`;
    const whole =
      printable(text.slice(0, start)) + (sentence && marked) + printable(text.slice(end));
    const heading = wrapped(printable(oneLine(headings.join(" › "))), room);
    const shown = [
      ...(heading === "" ? [] : [style.bold(heading)]),
      style.dim(wrapped(printable(oneLine(placeOf(opens))), room)),
      "",
      wrapped(whole.trim(), room),
    ].join("\n");
    out(
      `\n${style.bold(`${index + 1}`)}${INDENT.slice(1)}${shown.replaceAll(/\n(?=.)/gu, `\n${INDENT}`)}\n`,
    );
  }
}

/** Breaks lines between words, under the text of a list item; code stays as it is. */
function wrapped(text: string, width: number): string {
  let inCode = false;
  const lines = text.split("\n").map((line) => {
    const isFence = /^\W*(?:```|~~~)/u.test(stripVTControlCharacters(line));
    if (isFence) inCode = !inCode;
    if (isFence || inCode) return line;
    const under = " ".repeat(/^\s*(?:(?:[-*•]|\d{1,3}[.)])\s+)?/u.exec(line)?.[0].length ?? 0);
    return line.split(" ").reduce((done, word) => {
      const last = stripVTControlCharacters(done.slice(done.lastIndexOf("\n") + 1));
      const fits = last.length + 1 + stripVTControlCharacters(word).length <= width;
      return fits || last.trim() === "" ? `${done} ${word}` : `${done}\n${under}${word}`;
    });
  });
  return lines.join("\n");
}
