/** The sources under an answer: where each `[n]` stands, and the words that it rests on. */
import { existsSync } from "node:fs";
import { relative } from "node:path";
import type { Citation, SourceReference } from "../state/answer.js";
import { renderSource, type EvidenceSource } from "../state/evidence.js";
import { oneLine } from "../text/one-line.js";
import { printable, type Style } from "./terminal.js";

/** A citation as other programs get it: the source with its printed form beside it. */
export type CitationJson = Omit<Citation, "start" | "end" | "source"> & {
  source: EvidenceSource & { label: string };
};

export function citationJson({ start: _, end: __, source, ...citation }: Citation): CitationJson {
  return { ...citation, source: { ...source, label: renderSource(source) } };
}

/** Characters of a quote that are shown. */
const SHOWN_QUOTE = 240;

/**
 * The numbered list, each source with its place and the first words quoted from it. What the answer itself says word for word is not
 * quoted again. Empty text without sources.
 * @param placeFor turns a document's shown path into one that opens from here
 */
export function sourceList({
  answer,
  sources,
  citations,
  style,
  placeFor = (path) => path,
}: {
  answer: string;
  sources: readonly SourceReference[];
  citations: readonly Pick<Citation, "marker" | "quote">[];
  style: Style;
  placeFor?: (path: string) => string;
}): string {
  const said = plain(answer);
  return [...sources]
    .sort((a, b) => a.marker - b.marker)
    .map(({ marker, title, source }) => {
      const heading = source.kind === "file" ? (source.heading ?? title) : title;
      const place = placeOf(source, placeFor);
      const quote = citations.find(
        (each) => each.marker === marker && !said.includes(plain(each.quote)),
      )?.quote;
      const lines = [
        `${style.bold(`[${marker}]`)} ${onOneLine(place)}${heading === "" ? "" : ` ${style.dim(onOneLine(heading))}`}`,
        ...(quote === undefined
          ? []
          : [`    ${style.dim(`“${oneLine(printable(quote), SHOWN_QUOTE)}”`)}`]),
      ];
      return lines.join("\n");
    })
    .join("\n");
}

/**
 * Where it stands, in a form that editors and terminals open.
 * @example placeOf({kind: "file", path: "docs/a.md", startLine: 3}) // "docs/a.md:3"
 */
export function placeOf(
  source: EvidenceSource,
  placeFor: (path: string) => string = (path) => path,
): string {
  switch (source.kind) {
    case "file": {
      const { startLine, endLine, page } = source;
      const path = placeFor(source.path);
      if (startLine !== undefined)
        return `${path}:${startLine}${endLine === undefined || endLine === startLine ? "" : `-${endLine}`}`;
      return page === undefined ? path : `${path}, page ${page}`;
    }
    case "web":
      return source.url;
    case "tool":
      return source.path;
    default:
      return source satisfies never;
  }
}

/** Documents are shown under the folder that was ingested, wherever that lies: this finds the file. */
export function openablePaths(
  documents: readonly { path: string; absolutePath?: string }[],
  cwd = process.cwd(),
): (path: string) => string {
  const known = new Map(documents.map(({ path, absolutePath }) => [path, absolutePath]));
  return (path) => {
    const absolute = known.get(path);
    if (absolute === undefined || existsSync(path)) return path;
    const near = relative(cwd, absolute);
    return near.length < absolute.length ? near : absolute;
  };
}

function plain(text: string): string {
  return text
    .replace(/\[\d+\]|\*\*|\s+/gu, " ")
    .replace(/\s+/gu, " ")
    .trim();
}

/** Names of files may hold line breaks. */
function onOneLine(text: string): string {
  return printable(text).replace(/[\n\t]+/gu, " ");
}
