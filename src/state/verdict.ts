/**
 * What the grader says of the evidence, and what follows from it.
 */

/** Where the graph goes after grading. */
export type GraderAction = "GENERATE" | "REFINE" | "RE_RETRIEVE";

/** The evaluator's class for the whole set of evidence. */
export type EvidenceLabel = "CORRECT" | "AMBIGUOUS" | "INCORRECT";

/** The three signals of the `signals` profile, each in 0–1; one that could not be measured is absent. */
export interface Signals {
  rerank?: number;
  coverage?: number;
  agreement?: number;
}

/** The verdict on one round's evidence. */
export interface Evaluation {
  label: EvidenceLabel;
  action: GraderAction;
  /** The aggregate that was compared with the thresholds, 0–1. */
  score: number;
  /** How sure the evaluator is of its label, 0–1. For INCORRECT it is 1 − score unless a judge stated its own. */
  confidence: number;
  reasoning: string;
  /** `refine_and_use`, `combine_with_web_search`, `trigger_web_search`, … in the words of the design that the profile stems from. */
  suggested_action: string;
  /** Which judge gave the scores: `batch`, `per_document`, `set`, `adequacy`, `signals`, `embedded` or `rule`. */
  judge: string;
  profile: string;
  /** The fast-path rule that set it, if one did. */
  rule?: string;
  signals?: Signals;
  /** The judge says that a tool (web, file, …) is needed before an answer is possible. */
  tool_needed?: string;
  /** What is still missing, in words for the next queries. They may come from a model that saw evidence: local search only. */
  hints?: string[];
  /** Why the label was reached although the thresholds said otherwise: iteration limit, no steps left, nothing new, budget. */
  forced_by?: string;
}

export type OutcomeStatus = "success" | "abstained" | "failed";

/**
 * Why a run ended as it did. `success` has no causes when nothing went wrong.
 * Several may apply: an answer after the limit with no web has two.
 */
export type OutcomeCause =
  | "max_iterations"
  | "step_limit"
  | "nothing_new"
  | "web_unavailable"
  | "web_error"
  | "tool_error"
  | "model_error"
  | "knowledge_base_error"
  | "budget_exhausted"
  | "insufficient_evidence"
  | "unsupported_answer"
  | "policy_blocked"
  | "invalid_input"
  | "cancelled"
  | "internal_error";

export interface Outcome {
  status: OutcomeStatus;
  causes: OutcomeCause[];
}
