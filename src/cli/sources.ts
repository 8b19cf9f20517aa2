import type { Citation, SourceReference } from "../state/answer.js";
import { renderSource, type EvidenceSource } from "../state/evidence.js";
import { printable, type Style } from "./terminal.js";

/** A citation as other programs get it: the source with its printed form beside it. */
export interface CitationJson {
  marker: number;
  evidence_id: string;
  source: EvidenceSource & { label: string };
  title: string;
  quote: string;
  claim: string;
  status: Citation["status"];
  score: number;
  problems?: string[];
}

export function citationJson({
  marker,
  evidence_id,
  source,
  title,
  quote,
  claim,
  status,
  score,
  problems,
}: Citation): CitationJson {
  return {
    marker,
    evidence_id,
    source: { ...source, label: renderSource(source) },
    title,
    quote,
    claim,
    status,
    score,
    ...(problems && { problems }),
  };
}

/** The numbered list under an answer: where each `[n]` stands, with lines or page. Empty text without sources. */
export function sourceList(sources: readonly SourceReference[], style: Style): string {
  return [...sources]
    .sort((a, b) => a.marker - b.marker)
    .map(
      ({ marker, title, source }) =>
        `${style.bold(`[${marker}]`)} ${onOneLine(placeOf(source))}${titleBeside(title, source, style)}`,
    )
    .join("\n");
}

/**
 * Where it stands, in a form that editors and terminals open.
 * @example placeOf({kind: "file", path: "docs/a.md", startLine: 3}) // "docs/a.md:3"
 */
export function placeOf(source: EvidenceSource): string {
  switch (source.kind) {
    case "file": {
      const { path, startLine, endLine, page } = source;
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

function titleBeside(title: string, source: EvidenceSource, style: Style): string {
  const heading = source.kind === "file" ? (source.heading ?? title) : title;
  return heading === "" ? "" : ` ${style.dim(onOneLine(heading))}`;
}

/** Names of files may hold line breaks. */
function onOneLine(text: string): string {
  return printable(text).replace(/[\n\t]+/gu, " ");
}
