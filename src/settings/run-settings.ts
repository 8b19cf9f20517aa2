/** The settings of one run, complete: what the environment, the run's context and the defaults came to. Made by `resolve-settings.ts`. */
export const PROFILE_NAMES = [
  "adaptive",
  "signals",
  "holistic",
  "adequacy",
  "three_action",
] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

export const QUALITIES = ["quick", "balanced", "thorough"] as const;
export type Quality = (typeof QUALITIES)[number];

export const SEARCH_MODES = ["auto", "keyword", "vector", "hybrid"] as const;
export const WEB_SEARCH_MODES = ["auto", "on", "off"] as const;
export const RERANK_MODES = ["auto", "on", "off"] as const;

/** Cut-offs of the profile at hand, all in 0–1. Which comparison is strict is the profile's affair. */
export interface Thresholds {
  /** CORRECT from here (or above it). */
  correct: number;
  /** INCORRECT below here (or at it). */
  incorrect: number;
  /** An item below this is removed. */
  keep: number;
  /** `high_vector_score`: cosine from which vector hits are approved. */
  vectorScore: number;
  /** `few_context`: up to this many items are approved. */
  autoApproveMaxItems: number;
}

/** What a run may spend. */
export interface BudgetLimits {
  modelCalls: number;
  /** Input and output together. */
  tokens: number;
  seconds: number;
  webSearches: number;
}

export interface RunSettings {
  profile: ProfileName;
  /** `balanced` where none was chosen. */
  quality: Quality;
  /** Whether the quality was chosen by the user and not by default. */
  qualityIsExplicit: boolean;
  /** Corrections at most, ≥ 0. */
  maxIterations: number;
  thresholds: Thresholds;
  /** The same for what the embedded judge graded: its probabilities have cut-offs of their own, which were fitted with it. */
  embeddedThresholds: Thresholds;
  /** Embedded mode abstains when the set's probability is below this, 0–1. */
  abstainBelow: number;
  /** Passages per search, and kept after reranking. */
  topK: number;
  searchMode: (typeof SEARCH_MODES)[number];
  webSearch: (typeof WEB_SEARCH_MODES)[number];
  /** Web results per search. */
  webResults: number;
  /** Fetch the pages behind web results. */
  webFetch: boolean;
  /** A model writes key points from web text in place of extractive strips. */
  keyPoints: boolean;
  hyde: boolean;
  rerank: (typeof RERANK_MODES)[number];
  selfConsistency: boolean;
  /** A model looks at the answer once more after the model-free check. */
  secondOpinion: boolean;
  /** Model names by tier; `undefined` where the composition root brought a model of its own. */
  answerModel: string | undefined;
  gradeModel: string | undefined;
  /** Tokens of an answer at most. */
  maxAnswerTokens: number;
  /** Tokens of the context window at most. */
  contextTokens: number;
  /** Items per batch grading call, ≥ 20. */
  gradeBatchSize: number;
  gradeConcurrency: number;
  toolTimeoutInMs: number;
  /** `off`: a failing model fails the run. */
  modelFallback: "on" | "off";
  budget: BudgetLimits;
  /** Steps of the pipeline that an evaluation switched off; empty in normal use. */
  switchedOff: readonly Ablation[];
}

/** What an ablation can switch off, to see what it buys. */
export const ABLATIONS = [
  "grading",
  "filtering",
  "refinement",
  "web",
  "reranking",
  "guard",
] as const;
export type Ablation = (typeof ABLATIONS)[number];
