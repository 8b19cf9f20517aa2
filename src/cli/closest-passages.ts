/** Prints the closest passages for people: heading, place, and the text with its best sentence. */
import type { ClosestPassage } from "../state/answer.js";
import { placeOf } from "../state/evidence.js";
import { oneLine } from "../text/one-line.js";
import { createFlowingText } from "./flowing-text.js";
import { printable, type Terminal } from "./terminal.js";

const INDENT = "   ";

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
  const flow = (text: string, tone: (text: string) => string, best: ClosestPassage["best"]) => {
    const room = width === undefined ? undefined : width - INDENT.length;
    const indented = (piece: string): void => out(piece.replaceAll("\n", `\n${INDENT}`));
    const flowing = createFlowingText({ width: room, style, out: indented });
    const [start, end] = best ?? [0, 0];
    flowing.paint(tone);
    flowing.push(printable(text.slice(0, start)));
    // Where nothing can be bold, quotation marks show the sentence.
    const isPlain = style.bold("x") === "x";
    flowing.paint(style.bold);
    const sentence = printable(text.slice(start, end));
    flowing.push(isPlain && sentence !== "" ? `»${sentence}«` : sentence);
    flowing.paint(tone);
    flowing.push(printable(text.slice(end)));
    flowing.end();
    out("\n");
  };
  const [opening = ""] = answer.split("\n", 1);
  const flowing = createFlowingText({ width, style, out });
  flowing.paint(style.yellow);
  flowing.push(printable(opening));
  flowing.end();
  out("\n");
  const asWritten = (text: string): string => text;
  for (const [index, { headings, source, text, best }] of passages.entries()) {
    const opens = source.kind === "file" ? { ...source, path: placeFor(source.path) } : source;
    out(`\n${style.bold(`${index + 1}`)}${INDENT.slice(1)}`);
    const heading = oneLine(headings.join(" › "));
    if (heading !== "") {
      flow(heading, style.bold, null);
      out(INDENT);
    }
    out(`${style.dim(printable(oneLine(placeOf(opens))))}\n\n${INDENT}`);
    const lead = text.length - text.trimStart().length;
    const shown: ClosestPassage["best"] = best && [best[0] - lead, best[1] - lead];
    flow(text.trim(), asWritten, shown);
  }
}
