/** The embedded answer: sentences quoted from the evidence, each cited. */
import type { Evidence } from "../state/evidence.js";
import type { ContextWindow } from "./context-window.js";

export interface ExtractedAnswer {
  /** With `[n]` markers; empty when unanswerable. */
  text: string;
  unanswerable: boolean;
  /** Why not, in a sentence. */
  reason?: string;
}

export interface ExtractInput {
  question: string;
  window: ContextWindow;
  /** The passages behind the window. */
  evidence: readonly Evidence[];
  /** The aggregate of the last grading, 0–1. */
  evidenceScore?: number;
  /** Below this evidence score nothing is answered. */
  abstainBelow?: number;
}
