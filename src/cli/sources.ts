/** The sources under an answer, the closest passages in place of one, and paths that open. */
import { existsSync } from "node:fs";
import { relative } from "node:path";
import type { Citation, ClosestPassage, SourceReference } from "../state/answer.js";
import { placeOf, renderSource } from "../state/evidence.js";
import { describeMetadata } from "../state/metadata.js";
import { oneLine } from "../text/words.js";
import { printable, wrapped, type Style, type Terminal } from "./terminal.js";

/** Returns a citation for other programs, its source with the printed form added. */
export function citationJson({ start: _, end: __, source, ...citation }: Citation) {
  return { ...citation, source: { ...source, label: renderSource(source) } };
}

/** Turns the listed path of a document into one that opens from here. */
type PlaceFor = (path: string) => string;

const asItIs: PlaceFor = (path) => path;
/** Characters of a quote that are shown. */
const LONGEST_QUOTE = 240;

/**
 * Lists sources by number, each with its place and a quote, unless the answer repeats that quote
 * word for word. Returns an empty text if there are no sources.
 */
export function sourceList({
  answer,
  sources,
  citations,
  style,
  placeFor = asItIs,
}: {
  answer: string;
  sources: readonly SourceReference[];
  citations: readonly Pick<Citation, "marker" | "quote">[];
  style: Style;
  placeFor?: PlaceFor;
}): string {
  const said = plain(answer);
  return sources
    .toSorted((a, b) => a.marker - b.marker)
    .flatMap(({ marker, title, source, metadata }) => {
      const opens = source.kind === "file" ? { ...source, path: placeFor(source.path) } : source;
      const place = oneLine(printable(placeOf(opens)));
      const heading = oneLine(
        printable(source.kind === "file" ? (source.heading ?? title) : title),
      );
      const quote = citations.find(
        (each) => each.marker === marker && !said.includes(plain(each.quote)),
      )?.quote;
      const about = printable(describeMetadata(metadata));
      return [
        `${style.bold(`[${marker}]`)} ${place}${heading === "" ? "" : ` ${style.dim(heading)}`}`,
        ...(about === "" ? [] : [`    ${style.dim(about)}`]),
        ...(quote === undefined
          ? []
          : [`    ${style.dim(`“${oneLine(printable(quote), LONGEST_QUOTE)}”`)}`]),
      ];
    })
    .join("\n");
}

/** Finds the files of documents, which are listed under the folder that was ingested. */
export function openablePaths(
  documents: readonly { path: string; absolutePath?: string }[],
  cwd = process.cwd(),
): PlaceFor {
  const known = new Map(documents.map(({ path, absolutePath }) => [path, absolutePath]));
  return (path) => {
    const absolute = known.get(path);
    if (absolute === undefined || existsSync(path)) return path;
    const near = relative(cwd, absolute);
    return near.length < absolute.length ? near : absolute;
  };
}

function plain(text: string): string {
  return oneLine(text.replace(/\[\d+\]|\*\*/g, " "));
}

const INDENT = "   ";

/** Prints the closest passages, whole, with their best sentences in bold. */
export function printClosestPassages({
  answer,
  passages,
  placeFor = asItIs,
  terminal: { out, width, outStyle: style },
}: {
  /** Its first line introduces the passages. */
  answer: string;
  passages: readonly ClosestPassage[];
  placeFor?: PlaceFor;
  terminal: Pick<Terminal, "out" | "width" | "outStyle">;
}): void {
  const room = width === undefined ? undefined : width - INDENT.length;
  const [opening = ""] = answer.split("\n", 1);
  // Where nothing can be bold, quotation marks show the sentence.
  const hasBold = style.bold("x") !== "x";
  const how = hasBold ? "bold" : "between » and «";
  const introduction = `${printable(opening)} The best sentence of each is ${how}.`;
  out(`${style.yellow(wrapped(introduction, width))}\n`);
  for (const [index, { headings, source, text, best }] of passages.entries()) {
    const opens = source.kind === "file" ? { ...source, path: placeFor(source.path) } : source;
    const [start, end] = best ?? [0, 0];
    const sentence = printable(text.slice(start, end));
    const marked = hasBold ? style.bold(sentence) : `»${sentence}«`;
    const whole =
      printable(text.slice(0, start)) + (sentence && marked) + printable(text.slice(end));
    const heading = wrapped(printable(oneLine(headings.join(" › "))), room);
    const lines = [
      ...(heading === "" ? [] : [style.bold(heading)]),
      style.dim(wrapped(printable(oneLine(placeOf(opens))), room)),
      "",
      wrapped(whole.trim(), room),
    ].join("\n");
    const indented = lines.replaceAll(/\n(?=.)/gu, `\n${INDENT}`);
    out(`\n${style.bold(`${index + 1}`)}${INDENT.slice(1)}${indented}\n`);
  }
}
