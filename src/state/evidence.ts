/** Evidence: a text with its source and scores. A score always carries its scale. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { MetadataSchema } from "./metadata.js";
import { oneLine, wordsOf } from "../text/words.js";

/** The provider of pages that the knowledge base holds. */
export const STORED = "knowledge_base";

const line = () => z.number().int().min(1).optional();

export const ScoreSchema = z.object({
  value: z.number().describe("cosine, rerank and relevance lie in 0–1; bm25 and fusion are open."),
  scale: z
    .enum(["cosine", "bm25", "fusion", "rerank", "relevance"])
    .describe("Only scores of one scale may be compared."),
  by: z
    .string()
    .describe("Its origin: a retriever leg, a reranker, a judge or a rule, e.g. `judge:batch`."),
});
export type Score = z.infer<typeof ScoreSchema>;

export const EvidenceSourceSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("file"),
    path: z.string(),
    start_line: line(),
    end_line: line(),
    page: line(),
    heading: z.string().optional(),
  }),
  z.object({
    kind: z.literal("web"),
    url: z.string(),
    provider: z.string().optional().describe("`knowledge_base`: the page is a stored document."),
    date: z.string().optional(),
    page: line(),
    heading: z.string().optional(),
  }),
  z.object({ kind: z.literal("tool"), path: z.string().describe("Name of the tool.") }),
]);
/** The place of a piece of evidence. Lines and pages count from 1. */
export type EvidenceSource = z.infer<typeof EvidenceSourceSchema>;

export const EvidenceSchema = z.object({
  id: z.string().describe("Stable: the same passage found twice has the same id."),
  text: z.string(),
  blocks: z
    .string()
    .optional()
    .describe("The form and the start of each block of the text: `h0 p12 i80`."),
  title: z.string(),
  source: EvidenceSourceSchema,
  metadata: MetadataSchema.optional().describe("What its document says about itself."),
  tool: z.string().describe("Name of the tool that found it."),
  round: z.number().int().min(0).describe("The round that found it first."),
  scores: z.array(ScoreSchema),
  status: z.enum(["kept", "discarded", "ungraded"]),
  reason: z.string().optional().describe("Why it was discarded, or by which rule it was kept."),
});
/** One passage that may support an answer. */
export type Evidence = z.infer<typeof EvidenceSchema>;

/** Returns the newest relevance that a judge or a rule gave, 0–1; undefined while ungraded. */
export function relevanceOf({ scores }: Pick<Evidence, "scores">): number | undefined {
  return scores.findLast(({ scale }) => scale === "relevance")?.value;
}

/** Stable; ungraded items come last. */
export function mostRelevantFirst<E extends Pick<Evidence, "scores">>(items: readonly E[]): E[] {
  return items.toSorted((a, b) => (relevanceOf(b) ?? 0) - (relevanceOf(a) ?? 0));
}

/** Hashes the words of a text, whatever its case, spacing and punctuation. */
export function contentKey({ text }: Pick<Evidence, "text">): string {
  const words = wordsOf(text.toLowerCase()).join(" ");
  return createHash("sha256").update(words).digest("base64url").slice(0, 16);
}

/** Returns the headings above the evidence, outermost first, unless they only repeat the title. */
export function headingsOf({ title, source }: Pick<Evidence, "title" | "source">): string[] {
  const heading = source.kind === "tool" ? "" : (source.heading ?? "");
  return heading === title ? [] : heading.split(" > ").filter((part) => part !== "");
}

/** A passage from any retriever: its text, and whatever else is known about it. */
export type GradablePassage = Pick<Evidence, "text"> & Partial<Evidence>;

/**
 * Makes evidence of a passage, for instance in a node of yours.
 * @param index makes the id of a passage without one, from 1
 * @example asEvidence({ id: "crm-7", title: "Contract", text: "It ends in May." })
 */
export function asEvidence(passage: GradablePassage, index = 0): Evidence {
  return {
    id: String(index + 1),
    title: "",
    source: { kind: "tool", path: "retrieval" },
    tool: "retrieval",
    round: 0,
    scores: [],
    status: "ungraded",
    ...passage,
  };
}

/** Returns a piece of evidence in the form that a reader takes. */
export function asPassage(
  item: Pick<Evidence, "title" | "source" | "text" | "blocks"> & Partial<Pick<Evidence, "scores">>,
) {
  const hybrid = item.scores?.find(({ scale, by }) => scale === "fusion" && by === "sum");
  return {
    title: item.title,
    headings: headingsOf(item),
    text: item.text,
    ...(item.blocks !== undefined && { blocks: item.blocks }),
    ...(hybrid && { found: hybrid.value }),
  };
}

/**
 * Returns title and headings, which often name the subject of a passage when its text does not.
 * @example
 * const source = { kind: "file", path: "a.md", heading: "Errors > E07" };
 * headedTitle({ title: "Handbook", source }); // "Handbook / Errors / E07"
 */
export function headedTitle(item: Pick<Evidence, "title" | "source">): string {
  return headedTitles(item).join(" / ");
}

/** Returns the title and the headings above the evidence, outermost first. */
export function headedTitles(item: Pick<Evidence, "title" | "source">): string[] {
  return [item.title, ...headingsOf(item)].filter((part) => part !== "");
}

/** True for results from the web; a page that the knowledge base holds is a document. */
export function isFromWeb({ source }: Pick<Evidence, "source">): boolean {
  return source.kind === "web" && source.provider !== STORED;
}

export function addressOf(source: EvidenceSource): string {
  return source.kind === "web" ? source.url : source.path;
}

/**
 * Prints a source as `[SOURCE:path:Lline]`.
 * @example renderSource({ kind: "file", path: "a.md", start_line: 3 }) // "[SOURCE:a.md:L3]"
 */
export function renderSource(source: EvidenceSource): string {
  if (source.kind !== "file") return `[SOURCE:${addressOf(source)}]`;
  const { path, start_line: startLine, page } = source;
  if (startLine !== undefined) return `[SOURCE:${path}:L${startLine}]`;
  return page === undefined ? `[SOURCE:${path}]` : `[SOURCE:${path}:P${page}]`;
}

/** Prints a source for people: `docs/a.md:3`, `a.pdf, page 2`, or an address. */
export function placeOf(source: EvidenceSource): string {
  const address = addressOf(source);
  if (source.kind === "tool") return address;
  if (source.page !== undefined) return `${address}, page ${source.page}`;
  return source.kind === "web" || source.start_line === undefined
    ? address
    : `${address}:${source.start_line}`;
}

/** Prints title and place for people; a title that is only the file's name is left out. */
export function titledPlace(title: string, source: EvidenceSource): string {
  const place = placeOf(source);
  const name = oneLine(title);
  const isName = place.startsWith(name) && ["", ".", ":", ","].includes(place.charAt(name.length));
  return name === "" || isName ? place : `${name} — ${place}`;
}
