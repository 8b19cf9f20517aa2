/** An answer's citations and the sources behind them, or the passages in its place. */
import { z } from "zod";
import { MetadataSchema } from "./metadata.js";
import {
  EvidenceSchema,
  EvidenceSourceSchema,
  titledPlace,
  renderSource,
  type Evidence,
} from "./evidence.js";

const offset = () => z.number().int().min(0);

const ClaimStatusSchema = z.enum(["supported", "uncertain", "unsupported"]);
/** How far the evidence supports a claim. */
export type ClaimStatus = z.infer<typeof ClaimStatusSchema>;

export const CitationSchema = z.object({
  marker: z
    .number()
    .int()
    .min(1)
    .describe("The number in the text. The same evidence has the same number throughout."),
  evidence_id: z.string(),
  source: EvidenceSourceSchema,
  title: z.string(),
  metadata: MetadataSchema.optional(),
  quote: z.string().describe("The words of the evidence that support the sentence."),
  start: offset().describe("Offset of the quote in the evidence's text, in UTF-16 code units."),
  end: offset(),
  claim: z.string().describe("The sentence of the answer that it supports."),
  status: ClaimStatusSchema,
  score: z.number().min(0).max(1).describe("Probability that the quote supports the claim."),
  problems: z.array(z.string()).optional().describe("Where claim and quote disagree, in words."),
});
/**
 * One `[n]` of the answer, tied to the exact span of the evidence that supports the sentence:
 * `quote === evidence.text.slice(start, end)`.
 */
export type Citation = z.infer<typeof CitationSchema>;

export const ClosestPassageSchema = z.object({
  evidence_id: z.string(),
  source: EvidenceSourceSchema,
  headings: z.array(z.string()).describe("The document's title and the headings above the text."),
  text: z.string().describe("The whole passage."),
  blocks: EvidenceSchema.shape.blocks,
  best: z
    .tuple([offset(), offset()])
    .nullable()
    .describe("Start and end of its best sentence in the text, in UTF-16 code units."),
});
/** One of the passages that come closest where no answer could be confirmed. */
export type ClosestPassage = z.infer<typeof ClosestPassageSchema>;

export const SourceReferenceSchema = z.object({
  marker: z.number().int().min(1),
  evidence_id: z.string(),
  title: z.string(),
  source: EvidenceSourceSchema,
  metadata: MetadataSchema.optional(),
  label: z.string().describe("The printed form, [SOURCE:path:Lline]."),
});
/** A source of the answer, for the list below it. */
export type SourceReference = z.infer<typeof SourceReferenceSchema>;

export function sourceReference(
  marker: number,
  { id, title, source, metadata }: Pick<Evidence, "id" | "title" | "source" | "metadata">,
): SourceReference {
  const about = metadata && { metadata };
  return { marker, evidence_id: id, title, source, ...about, label: renderSource(source) };
}

/** Returns the list of sources below an answer, for clients that only show its text. */
export function sourcesBelow(sources: readonly SourceReference[]): string {
  if (sources.length === 0) return "";
  const lines = sources.map(
    ({ marker, title, source }) => `[${marker}] ${titledPlace(title, source)}`,
  );
  return `\n\nSources:\n${lines.join("\n")}`;
}
