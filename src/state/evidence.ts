/**
 * The vocabulary of evidence: what was found, where it stands, and what was thought of it.
 * Values of unlike scales are never compared, which is why a score never travels without its scale.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { wordsOf } from "../text/words.js";

const line = () => z.number().int().min(1).optional();

export const ScoreSchema = z.object({
  value: z.number().describe("cosine, rerank and relevance lie in 0–1; bm25 and fusion are open."),
  scale: z
    .enum(["cosine", "bm25", "fusion", "rerank", "relevance"])
    .describe("Only scores of one scale may be compared."),
  by: z
    .string()
    .describe("Who gave it: a retriever leg, a reranker, a judge or a rule, e.g. `judge:batch`."),
});
/** A number with its meaning. */
export type Score = z.infer<typeof ScoreSchema>;
export type ScoreScale = Score["scale"];

export const EvidenceSourceSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("file"),
    path: z.string(),
    startLine: line(),
    endLine: line(),
    page: line(),
    heading: z.string().optional(),
  }),
  z.object({
    kind: z.literal("web"),
    url: z.string(),
    provider: z.string().optional(),
    date: z.string().optional(),
  }),
  z.object({ kind: z.literal("tool"), path: z.string().describe("Name of the tool.") }),
]);
/** Where a piece of evidence stands. Lines and pages count from 1. */
export type EvidenceSource = z.infer<typeof EvidenceSourceSchema>;

export const EvidenceSchema = z.object({
  id: z.string().describe("Stable: the same passage found twice has the same id."),
  text: z.string(),
  content: z.string().optional().describe("Hash of a text that is no longer carried along."),
  title: z.string(),
  source: EvidenceSourceSchema,
  tool: z.string().describe("Name of the tool that found it."),
  round: z.number().int().min(0).describe("The round that found it first."),
  scores: z.array(ScoreSchema),
  status: z.enum(["kept", "discarded", "ungraded"]),
  reason: z.string().optional().describe("Why it was discarded, or by which rule it was kept."),
});
/** One passage that may support an answer. */
export type Evidence = z.infer<typeof EvidenceSchema>;
export type EvidenceStatus = Evidence["status"];

/** The value of the newest score of one scale, if there is one. */
export function scoreOf(evidence: Pick<Evidence, "scores">, scale: ScoreScale): number | undefined {
  return evidence.scores.findLast((score) => score.scale === scale)?.value;
}

/** The relevance that a judge or a rule gave, in 0–1; undefined while ungraded. */
export function relevanceOf(evidence: Pick<Evidence, "scores">): number | undefined {
  return scoreOf(evidence, "relevance");
}

/** The ungraded come last; of equals the first stays first. */
export function mostRelevantFirst<E extends Pick<Evidence, "scores">>(items: readonly E[]): E[] {
  return items.toSorted((a, b) => (relevanceOf(b) ?? 0) - (relevanceOf(a) ?? 0));
}

/** A key of what a text says, whatever its case, spacing and punctuation. */
export function contentKey({ text, content }: Pick<Evidence, "text" | "content">): string {
  if (content !== undefined) return content;
  const words = wordsOf(text.toLowerCase()).join(" ");
  return createHash("sha256").update(words).digest("base64url").slice(0, 16);
}

/** The item without its text: there to be named and recognized, not to be read again. */
export function withoutText(item: Evidence): Evidence {
  return { ...item, text: "", content: contentKey(item) };
}

/**
 * The headings above a piece of evidence, outermost first, without one that only repeats the title.
 */
export function headingsOf({ title, source }: Pick<Evidence, "title" | "source">): string[] {
  const heading = source.kind === "file" ? (source.heading ?? "") : "";
  return heading === title ? [] : heading.split(" > ").filter((part) => part !== "");
}

/** A passage of anybody's retrieval: its text, and whatever else is known of it. */
export type GradablePassage = Pick<Evidence, "text"> & Partial<Evidence>;

/** @param index of the passage; its id where it has none, from 1 */
export function asEvidence(passage: GradablePassage, index: number): Evidence {
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

/** A piece of evidence as a reader reads it. */
export function asPassage(item: Pick<Evidence, "title" | "source" | "text">): {
  title: string;
  headings: string[];
  text: string;
} {
  return { title: item.title, headings: headingsOf(item), text: item.text };
}

/**
 * Title and heading path: what a passage is about is often said above it and not in it.
 * @example
 * const source = { kind: "file", path: "a.md", heading: "Errors > E07" };
 * headedTitle({ title: "Handbook", source }); // "Handbook / Errors / E07"
 */
export function headedTitle(item: Pick<Evidence, "title" | "source">): string {
  return [item.title, ...headingsOf(item)].filter((part) => part !== "").join(" / ");
}

/** The path or the URL. */
export function addressOf(source: EvidenceSource): string {
  return source.kind === "web" ? source.url : source.path;
}

/**
 * The printed form of a source, `[SOURCE:path:Lline]`.
 * @example renderSource({kind: "file", path: "docs/a.md", startLine: 3}) // "[SOURCE:docs/a.md:L3]"
 */
export function renderSource(source: EvidenceSource): string {
  if (source.kind !== "file") return `[SOURCE:${addressOf(source)}]`;
  const { path, startLine, page } = source;
  if (startLine !== undefined) return `[SOURCE:${path}:L${startLine}]`;
  return page === undefined ? `[SOURCE:${path}]` : `[SOURCE:${path}:P${page}]`;
}

/** Where a source is, as a person reads it: `docs/a.md:3`, `a.pdf, page 2`, an address. */
export function placeOf(source: EvidenceSource): string {
  if (source.kind === "web") return source.url;
  if (source.kind === "tool") return source.path;
  if (source.page !== undefined) return `${source.path}, page ${source.page}`;
  return source.startLine === undefined ? source.path : `${source.path}:${source.startLine}`;
}
