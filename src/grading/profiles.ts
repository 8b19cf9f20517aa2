/**
 * The five ways to grade. Judging, aggregating and deciding are three separate pure steps, and a
 * profile is a plain record that picks one of each; nothing in the graph asks for a profile by
 * name.
 */
import type { ProfileName, Thresholds } from "../settings/run-settings.js";
import type { EvidenceLabel } from "../state/verdict.js";
import { UserError } from "../support/errors.js";
import type { Judge } from "./judgement.js";

export type JudgeKind = "batch" | "signals" | "set" | "adequacy" | "per_document";
export type AggregateKind = "mean_of_kept" | "weighted_mean" | "score" | "maximum";

export interface Profile {
  readonly name: string;
  /**
   * Who judges: one call for N items, no call, one for the set, one for adequacy, one for each
   * item; or a function of the user's.
   */
  readonly judge: JudgeKind | Judge;
  /** How the scores become the one number that is compared with the thresholds. */
  readonly aggregate: AggregateKind;
  readonly defaults: Thresholds;
  /** CORRECT → GENERATE: the aggregate compared with `thresholds.correct`. */
  readonly correct: { readonly comparison: ">=" | ">"; readonly unlessToolNeeded: boolean };
  /**
   * INCORRECT → RE_RETRIEVE: the aggregate compared with `thresholds.incorrect`. Where nothing is
   * left it is INCORRECT in any case.
   */
  readonly incorrect: { readonly comparison: "<" | "<=" | "never" };
  /** True when the fast-path rules run before a judge that costs model calls. */
  readonly fastPaths: boolean;
  /**
   * When items below `thresholds.keep` are removed: at every grading, only once a correction has
   * been made, or never.
   */
  readonly dropsWeakItems: "always" | "after_correction" | "never";
  /**
   * What CORRECT at the first grading hands on. After a correction all that was not removed is
   * handed on, so that documents and web stay together.
   */
  readonly keepsOnCorrect: "all_kept" | "best_only";
  readonly discardsOnIncorrect: boolean;
  /**
   * What AMBIGUOUS does: keep all documents or the best one, and whether the next round searches
   * the web besides.
   */
  readonly refine: { readonly keeps: "all_kept" | "best_only"; readonly web: boolean };
  /**
   * Where RE_RETRIEVE goes: to the web at once, or to untried strategies with the web beside the
   * first of them.
   */
  readonly reRetrieve: "web_first" | "untried_first";
  /** True when it corrects once and then answers, unless a limit is set explicitly. */
  readonly correctsOnceByDefault: boolean;
  /**
   * What synthesis gets when the loop is cut off: weak items of this round too, marked as such, or
   * only what was not removed.
   */
  readonly atLimit: "hand_on_everything" | "discarded_stays";
  /** What follows from each label, in the words of the design. */
  readonly suggestedActions: Readonly<Record<EvidenceLabel, string>>;
}

/** One of the five. */
interface ShippedProfile extends Profile {
  readonly name: ProfileName;
  readonly judge: JudgeKind;
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

/** What the profiles that loop through their own strategies first have in common. */
const LOOPS = {
  ...COMMON,
  refine: { keeps: "all_kept", web: false },
  reRetrieve: "untried_first",
  correctsOnceByDefault: false,
  atLimit: "hand_on_everything",
} as const satisfies Partial<Profile>;

/** What the profiles that correct once, by the web, have in common. */
const CORRECTS_ONCE = {
  ...COMMON,
  dropsWeakItems: "after_correction",
  refine: { keeps: "all_kept", web: true },
  reRetrieve: "web_first",
  correctsOnceByDefault: true,
  atLimit: "discarded_stays",
} as const satisfies Partial<Profile>;

export const PROFILES: Readonly<Record<ProfileName, ShippedProfile>> = {
  /**
   * corrective-rag specification (adaptive loop). Fast-path rules, else one batch call that scores
   * every item; the mean of the items kept decides.
   */
  adaptive: {
    ...LOOPS,
    name: "adaptive",
    judge: "batch",
    aggregate: "mean_of_kept",
    fastPaths: true,
    dropsWeakItems: "always",
    suggestedActions: { CORRECT: "generate", AMBIGUOUS: "refine", INCORRECT: "re_retrieve" },
  },
  /**
   * TASK-004, CRAG self-corrective retrieval (three-class evaluator). No model call: reranking,
   * keyword coverage and document agreement, weighted 0.4, 0.3 and 0.3.
   */
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
  /**
   * CRAG mode workflow (holistic evaluation). One call on the whole set: score, label, confidence
   * and reasoning; the score decides.
   */
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
   * Chat RAG, graph v3 (iterative graph). One call: is the evidence adequate, and is a tool needed
   * first? Nothing is thrown away; hints shape the next queries.
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
   * CRAG: Corrective RAG, three-action pipeline. One call per document, in parallel; the highest
   * score decides between the best document, both, and the web.
   */
  three_action: {
    ...CORRECTS_ONCE,
    name: "three_action",
    judge: "per_document",
    aggregate: "maximum",
    correct: { comparison: ">", unlessToolNeeded: false },
    keepsOnCorrect: "best_only",
    refine: { keeps: "best_only", web: true },
    suggestedActions: {
      CORRECT: "use_best_document",
      AMBIGUOUS: "combine_refined_document_and_web",
      INCORRECT: "discard_and_search_web",
    },
  },
};

/** @throws UserError for a name that is none of the five: not every caller has a compiler */
export function profileOf(profile: ProfileName | Profile): Profile {
  if (typeof profile !== "string") return profile;
  if (Object.hasOwn(PROFILES, profile)) return PROFILES[profile];
  throw new UserError(
    `there is no profile "${profile}"`,
    `there are ${Object.keys(PROFILES).join(", ")}`,
  );
}
