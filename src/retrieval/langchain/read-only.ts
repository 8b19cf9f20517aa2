/** The common part of the adapters for LangChain's retrievers and vector stores. */
import { createHash } from "node:crypto";
import type { DocumentInterface } from "@langchain/core/documents";
import { reasonOf } from "../../support/errors.js";
import { isRecord } from "../../support/is-record.js";
import { abortable } from "../../support/waiting.js";
import {
  DOCUMENT_KINDS,
  KnowledgeBaseError,
  type DocumentKind,
  type Hit,
  type KnowledgeBase,
  type Passage,
  type SearchMode,
  type SearchRequest,
} from "../knowledge-base.js";
import { filterMatcher } from "../search-filter.js";

/** With a filter, this many times the hits are asked for: the store itself cannot filter by it. */
const OVERFETCH = 8;

/** Tells apart the stores of one process that were given no version. */
let instances = 0;

/**
 * Adds checks, filtering after the fact and the limit. Such a store knows passages only, so there
 * are no documents to list or to read.
 * @param version identifies the content for caches; without it, it is taken never to change
 * @param find best first; may return more than asked for
 */
export function readOnlyKnowledgeBase({
  name,
  mode,
  version = `${name}#${++instances}`,
  find,
}: {
  name: string;
  mode: SearchMode;
  version?: string;
  find: (request: SearchRequest, count: number) => Promise<Hit[]>;
}): KnowledgeBase {
  return {
    name,
    modes: [mode],
    async search(wanted, request) {
      if (wanted !== mode)
        throw new KnowledgeBaseError(`${name} cannot search by ${wanted}, only by ${mode}`);
      const { query, limit, filter, signal } = request;
      if (query.trim() === "" || limit <= 0) return [];
      signal?.throwIfAborted();
      const matches = filterMatcher(filter);
      let hits: Hit[];
      try {
        // Many stores take no signal, and some that do ignore it.
        hits = await abortable(find(request, filter ? limit * OVERFETCH : limit), signal);
      } catch (cause) {
        signal?.throwIfAborted();
        throw new KnowledgeBaseError(`${name} failed: ${reasonOf(cause)}`, undefined, { cause });
      }
      const byId = new Map(hits.toReversed().map((hit) => [hit.passage.id, hit]));
      return hits
        .filter((hit) => byId.get(hit.passage.id) === hit && matches(hit.passage))
        .slice(0, limit);
    },
    documents: async () => [],
    passagesOf: async () => [],
    version: async () => version,
    stats: async () => ({ documents: 0, passages: 0 }),
    close: async () => undefined,
  };
}

/**
 * Returns a LangChain document as a passage. Loaders and stores agree on little: `source` names
 * the file or page, lines stand in `loc.lines` (text splitters), pages in `loc.pageNumber` (PDF
 * loader); our own names are understood as well. Without an id the document gets one made of its
 * source and content, so that the same text found twice is the same evidence.
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
    title: text(metadata["title"]) ?? path.split(/[\\/]/).findLast((part) => part !== "") ?? path,
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
  return isRecord(value) ? value : {};
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function identifier(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : text(value);
}

/** Some loaders count from 0, and a 0 is no place that we could cite. */
function ordinal(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 ? value : undefined;
}

function isoDate(value: unknown): string | undefined {
  if (!(value instanceof Date) && typeof value !== "string" && typeof value !== "number")
    return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Most kinds are called like their files' extension. */
const OTHER_EXTENSIONS = new Map<string, DocumentKind>([
  ["md", "markdown"],
  ["htm", "html"],
]);

function kindOf(given: unknown, path: string): DocumentKind {
  const named = DOCUMENT_KINDS.find((kind) => kind === given);
  if (named !== undefined) return named;
  if (/^https?:\/\//i.test(path)) return "web";
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return OTHER_EXTENSIONS.get(extension) ?? DOCUMENT_KINDS.find((it) => it === extension) ?? "text";
}
