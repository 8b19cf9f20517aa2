import { createHash } from "node:crypto";
import type { DocumentInterface } from "@langchain/core/documents";
import type { DocumentKind, Passage } from "../knowledge-base.js";

const KINDS: readonly DocumentKind[] = [
  "markdown",
  "text",
  "html",
  "pdf",
  "docx",
  "csv",
  "json",
  "epub",
  "web",
];
const KIND_BY_EXTENSION: Record<string, DocumentKind> = {
  md: "markdown",
  markdown: "markdown",
  html: "html",
  htm: "html",
  pdf: "pdf",
  docx: "docx",
  csv: "csv",
  json: "json",
  epub: "epub",
};

/**
 * A LangChain document as a passage. Loaders and stores agree on little: `metadata.source` names the file or page, lines stand in
 * `loc.lines` (text splitters), pages in `loc.pageNumber` (PDF loader); our own field names are understood as well.
 * Without an id the document gets one made of its source and content, so that the same text found twice is the same evidence.
 */
export function passageOfDocument({ id, pageContent, metadata }: DocumentInterface): Passage {
  const loc = recordOf(metadata["loc"]);
  const lines = recordOf(loc["lines"]);
  const contentId = createHash("sha256")
    .update(JSON.stringify([metadata["source"] ?? metadata["path"] ?? null, pageContent]))
    .digest("hex")
    .slice(0, 32);
  const path =
    text(metadata["path"]) ??
    text(metadata["source"]) ??
    text(metadata["url"]) ??
    `document-${contentId.slice(0, 12)}`;
  return {
    // A numeric id is what Qdrant gives; documents may also carry theirs in the metadata.
    id: identifier(id) ?? identifier(metadata["id"]) ?? contentId,
    text: pageContent,
    title: text(metadata["title"]) ?? lastPartOf(path),
    path,
    kind: kindOf(metadata["kind"], path),
    startLine: ordinal(metadata["startLine"]) ?? ordinal(lines["from"]),
    endLine: ordinal(metadata["endLine"]) ?? ordinal(lines["to"]),
    page: ordinal(metadata["page"]) ?? ordinal(loc["pageNumber"]),
    heading: text(metadata["heading"]),
    modifiedAt: isoDate(metadata["modifiedAt"] ?? metadata["lastModified"]),
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {};
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function identifier(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : text(value);
}

/** Lines and pages count from 1; some loaders count from 0, and a 0 is no place that we could cite. */
function ordinal(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 ? value : undefined;
}

function isoDate(value: unknown): string | undefined {
  const date =
    value instanceof Date
      ? value
      : typeof value === "string" || typeof value === "number"
        ? new Date(value)
        : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function kindOf(value: unknown, path: string): DocumentKind {
  const named = KINDS.find((kind) => kind === value);
  if (named) return named;
  if (/^https?:\/\//i.test(path)) return "web";
  return KIND_BY_EXTENSION[/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ""] ?? "text";
}

function lastPartOf(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== "") ?? path;
}
