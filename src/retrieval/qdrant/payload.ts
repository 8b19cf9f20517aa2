/**
 * What is stored with each point, and how it is read back. One collection holds passages, a marker for each document, and one for itself.
 */
import { z } from "zod";
import type { DocumentRecord, Passage } from "../knowledge-base.js";
import { foldersOf } from "../path-pattern.js";
import { pointId } from "./point-id.js";

/** `staged` passages were uploaded, but their document is not complete yet: no search sees them. */
export const POINT_TYPES = ["passage", "staged", "document", "collection"] as const;
export type PointType = (typeof POINT_TYPES)[number];

/** Fields that filters use; each has an index, without which a large collection is searched one by one, and a strict one refuses. */
export const PAYLOAD_INDEXES = {
  type: "keyword",
  path: "keyword",
  folders: "keyword",
  kind: "keyword",
  modifiedAt: "datetime",
} as const;

const Kind = z.enum(["markdown", "text", "html", "pdf", "docx", "csv", "json", "epub", "web"]);

const PassagePayload = z.object({
  id: z.string(),
  position: z.number(),
  text: z.string(),
  title: z.string(),
  path: z.string(),
  kind: Kind,
  startLine: z.number().optional(),
  endLine: z.number().optional(),
  page: z.number().optional(),
  heading: z.string().optional(),
  modifiedAt: z.string().optional(),
});

const DocumentPayload = z.object({
  path: z.string(),
  absolutePath: z.string().optional(),
  hash: z.string(),
  kind: Kind,
  title: z.string(),
  bytes: z.number(),
  modifiedAt: z.string().optional(),
});

const CollectionPayload = z.object({
  format: z.number(),
  version: z.string(),
  embedding: z.object({ model: z.string(), dimensions: z.number() }).optional(),
});
/** What the collection says of itself. */
export type CollectionFacts = z.infer<typeof CollectionPayload>;

/** Rises when payload or analysis of text change so that an old collection cannot be read. */
export const FORMAT = 1;

export const COLLECTION_POINT_ID = pointId("collection");

/** Derived from all that shapes its vectors, so that a passage that did not change is neither embedded nor sent again. */
export function passagePointId(passage: Passage): string {
  return pointId(
    "passage",
    passage.path,
    passage.id,
    passage.title,
    passage.heading ?? "",
    passage.text,
  );
}

export function documentPointId(path: string): string {
  return pointId("document", path);
}

export function passagePayload(
  type: "passage" | "staged",
  passage: Passage,
  position: number,
): Record<string, unknown> {
  return {
    type,
    ...passage,
    modifiedAt: instant(passage.modifiedAt),
    position,
    folders: foldersOf(passage.path),
  };
}

export function documentPayload(record: DocumentRecord): Record<string, unknown> {
  return { type: "document", ...record, folders: foldersOf(record.path) };
}

export function collectionPayload(facts: CollectionFacts): Record<string, unknown> {
  return { type: "collection", ...facts };
}

/** Undefined for a point that is none of ours. */
export function readPassage(payload: unknown): { passage: Passage; position: number } | undefined {
  const parsed = PassagePayload.safeParse(payload);
  if (!parsed.success) return undefined;
  const { position, ...passage } = parsed.data;
  return { passage, position };
}

export function readDocument(payload: unknown): DocumentRecord | undefined {
  return DocumentPayload.safeParse(payload).data;
}

export function readCollectionFacts(payload: unknown): CollectionFacts | undefined {
  return CollectionPayload.safeParse(payload).data;
}

/** Qdrant leaves a date that it cannot read out of its index, silently; such a date is not stored. */
function instant(date: string | undefined): string | undefined {
  return date === undefined || Number.isNaN(Date.parse(date))
    ? undefined
    : new Date(date).toISOString();
}
