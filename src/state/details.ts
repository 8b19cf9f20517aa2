import type { Usage } from "../observability/usage.js";
import type { EvidenceSource, Score } from "./evidence.js";
import type { Evaluation, EvidenceLabel, GraderAction, Signals } from "./verdict.js";

/** One line of what was kept or discarded, and why. */
export interface EvidenceSummary {
  id: string;
  title: string;
  source: EvidenceSource;
  tool: string;
  round: number;
  /** Relevance in 0–1; null while ungraded. */
  score: number | null;
  scores: Score[];
  reason?: string;
}

/**
 * Everything that is known about how an answer came to be: what the five designs call CRAG details, CRAGResponse and evaluation result.
 */
export interface Details {
  run_id: string;
  /** The reasoner that was asked; single calls may have fallen back, which `warnings` say. */
  reasoner: "model" | "embedded";
  mode: "chat" | "search";
  profile: string;
  quality: string;
  standalone_question: string;
  /** `correct`, `ambiguous` or `incorrect`; null in chat. */
  label: Lowercase<EvidenceLabel> | null;
  /** The grader's last action; null in chat. */
  action: GraderAction | null;
  evaluation: Evaluation | null;
  /** Relevance by evidence id, of everything that was graded. */
  scores: Record<string, number>;
  /** The same as a list, and its maximum. */
  relevance_scores: number[];
  max_score: number | null;
  signals: Signals | null;
  rule: string | null;
  /** Corrections made. */
  iterations: number;
  max_iterations: number;
  strategies_tried: string[];
  web_used: boolean;
  kept: EvidenceSummary[];
  discarded: EvidenceSummary[];
  tools: {
    round: number;
    tool: string;
    args: Record<string, unknown>;
    status: string;
    count: number;
    took_ms: number;
    cached: boolean;
    error?: string;
  }[];
  cache_hits: number;
  /** The context window that the answer was written from. */
  context_form: "relevant" | "ambiguous" | "irrelevant" | "empty";
  context_used: string;
  /** Claims that were taken out because nothing supports them. */
  withdrawn: string[];
  usage: Usage;
  took_ms: number;
}
