import type { EvidenceSource } from "./evidence.js";

/** What the evidence says of a claim. */
export type ClaimStatus = "supported" | "partial" | "unsupported" | "contradicted";

/**
 * One `[n]` of the answer, tied to the exact span of the evidence that supports the sentence.
 * `quote === evidence.text.slice(start, end)`, offsets in UTF-16 code units of the evidence's text.
 */
export interface Citation {
  /** The number in the text, from 1. The same evidence has the same number throughout an answer. */
  marker: number;
  evidence_id: string;
  source: EvidenceSource;
  title: string;
  quote: string;
  start: number;
  end: number;
  /** The sentence of the answer that it stands behind. */
  claim: string;
  status: ClaimStatus;
  /** 0–1, the claim check's probability that the span supports the claim. */
  score: number;
  /** What does not agree, in words: `number 42 is not in the source`, … */
  problems?: string[];
}

/** A source that the answer rests on, for lists under it. */
export interface SourceReference {
  marker: number;
  evidence_id: string;
  title: string;
  source: EvidenceSource;
  /** The printed form, `[SOURCE:path:Lline]`. */
  label: string;
}
