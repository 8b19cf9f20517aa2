/** The five profiles. Each is a plain record; nothing in the graph asks for a profile by name. */
import type { ProfileName, Thresholds } from "../settings/run-settings.js";
import type { EvidenceLabel } from "../state/verdict.js";
import { UserError } from "../support/errors.js";
import type { Judge, JudgeKind } from "./judgement.js";

export type AggregateKind = "mean_of_kept" | "weighted_mean" | "score" | "maximum";

export interface Profile {
  readonly name: string;
  /**
   * `batch`: one call for N items; `signals`: no call; `set` and `adequacy`: one call for the set;
   * `per_document`: one call for each item; or the user's function.
   */
  readonly judge: JudgeKind | Judge;
  /** Turns the scores into the one number that is compared with the thresholds. */
  readonly aggregate: AggregateKind;
  readonly defaults: Thresholds;
  /** CORRECT → GENERATE: compares the aggregate with `thresholds.correct`. */
  readonly correct: { readonly comparison: ">=" | ">"; readonly unlessToolNeeded: boolean };
  /**
   * INCORRECT → RE_RETRIEVE: compares the aggregate with `thresholds.incorrect`. A set with nothing
   * left is INCORRECT in any case.
   */
  readonly incorrect: { readonly comparison: "<" | "<=" | "never" };
  /** True if the fast-path rules run before a judge that costs model calls. */
  readonly fastPaths: boolean;
  /** When items below `thresholds.keep` are removed. */
  readonly dropsWeakItems: "always" | "after_correction" | "never";
  /**
   * For CORRECT at the first grading: all, or those that are CORRECT by themselves. After a
   * correction documents and web stay together.
   */
  readonly keepsOnCorrect: "all_kept" | "each_correct";
  readonly discardsOnIncorrect: boolean;
  /** For AMBIGUOUS: which documents stay, and whether the next round also searches the web. */
  readonly refine: { readonly keeps: "all_kept" | "best_only"; readonly web: boolean };
  /** RE_RETRIEVE goes to the web at once, or to an untried strategy with the web beside it. */
  readonly reRetrieve: "web_first" | "untried_first";
  /** True if it corrects once and then answers, unless a limit is set explicitly. */
  readonly correctsOnceByDefault: boolean;
  /** When the loop is cut off: hand on weak and discarded items too, marked as such, or not. */
  readonly atLimit: "hand_on_everything" | "discarded_stays";
  /** The action for each label, in the words of the design. */
  readonly suggestedActions: Readonly<Record<EvidenceLabel, string>>;
}

const DEFAULTS = {
  correct: 0.7,
  incorrect: 0.3,
  keep: 0.3,
  vectorScore: 0.8,
  autoApproveMaxItems: 2,
} as const satisfies Thresholds;

const COMMON = {
  defaults: DEFAULTS,
  correct: { comparison: ">=", unlessToolNeeded: false },
  incorrect: { comparison: "<" },
  fastPaths: false,
  keepsOnCorrect: "all_kept",
  discardsOnIncorrect: true,
} as const satisfies Partial<Profile>;

/** Profiles that try their own strategies before the web alone. */
const LOOPS = {
  ...COMMON,
  refine: { keeps: "all_kept", web: false },
  reRetrieve: "untried_first",
  correctsOnceByDefault: false,
  atLimit: "hand_on_everything",
} as const satisfies Partial<Profile>;

/** Profiles that correct once, by the web. */
const CORRECTS_ONCE = {
  ...COMMON,
  dropsWeakItems: "after_correction",
  refine: { keeps: "all_kept", web: true },
  reRetrieve: "web_first",
  correctsOnceByDefault: true,
  atLimit: "discarded_stays",
} as const satisfies Partial<Profile>;

export const PROFILES: Readonly<
  Record<ProfileName, Profile & { name: ProfileName; judge: JudgeKind }>
> = {
  /** Adaptive loop: fast-path rules or one batch call; the mean of the items kept decides. */
  adaptive: {
    ...LOOPS,
    name: "adaptive",
    judge: "batch",
    aggregate: "mean_of_kept",
    fastPaths: true,
    dropsWeakItems: "always",
    suggestedActions: { CORRECT: "generate", AMBIGUOUS: "refine", INCORRECT: "re_retrieve" },
  },
  /** Three-class evaluator (TASK-004): three weighted signals, no model call. */
  signals: {
    ...CORRECTS_ONCE,
    name: "signals",
    judge: "signals",
    aggregate: "weighted_mean",
    incorrect: { comparison: "<=" },
    suggestedActions: {
      CORRECT: "refine_and_use",
      AMBIGUOUS: "combine_with_web_search",
      INCORRECT: "trigger_web_search",
    },
  },
  /** Holistic workflow: one call on the whole set, whose score decides. */
  holistic: {
    ...CORRECTS_ONCE,
    name: "holistic",
    judge: "set",
    aggregate: "score",
    defaults: { ...DEFAULTS, incorrect: 0.5 },
    suggestedActions: {
      CORRECT: "use_documents_only",
      AMBIGUOUS: "augment_with_web_search",
      INCORRECT: "web_search_only",
    },
  },
  /**
   * Iterative graph: one call asks if the evidence is adequate and if a tool is needed first.
   * Nothing is thrown away; hints shape the next queries.
   */
  adequacy: {
    ...LOOPS,
    name: "adequacy",
    judge: "adequacy",
    aggregate: "score",
    defaults: { ...DEFAULTS, correct: 0.75, incorrect: 0, keep: 0 },
    correct: { comparison: ">=", unlessToolNeeded: true },
    incorrect: { comparison: "never" },
    dropsWeakItems: "never",
    discardsOnIncorrect: false,
    suggestedActions: {
      CORRECT: "generate_answer",
      AMBIGUOUS: "improve_retrieval",
      INCORRECT: "improve_retrieval",
    },
  },
  /**
   * Three-action pipeline: one call per document; the highest score decides between the best
   * documents, documents and web, and the web.
   */
  three_action: {
    ...CORRECTS_ONCE,
    name: "three_action",
    judge: "per_document",
    aggregate: "maximum",
    correct: { comparison: ">", unlessToolNeeded: false },
    keepsOnCorrect: "each_correct",
    refine: { keeps: "best_only", web: true },
    suggestedActions: {
      CORRECT: "use_best_document",
      AMBIGUOUS: "combine_refined_document_and_web",
      INCORRECT: "discard_and_search_web",
    },
  },
};

/** @throws UserError for an unknown name: not every caller has a compiler */
export function profileOf(profile: ProfileName | Profile): Profile {
  if (typeof profile !== "string") return profile;
  if (Object.hasOwn(PROFILES, profile)) return PROFILES[profile];
  throw new UserError(
    `there is no profile "${profile}"`,
    `there are ${Object.keys(PROFILES).join(", ")}`,
  );
}
