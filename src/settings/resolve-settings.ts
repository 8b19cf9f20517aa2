/** From environment, run context and defaults to the complete settings of one run. Pure. */
import type { ContextValues } from "../state/schemas.js";
import type { Environment } from "./environment.js";
import type { ProfileName, Quality, RunSettings, Thresholds } from "./run-settings.js";
import type { VariableName } from "./variables.js";

/** What a profile brings along; the grading room knows the values. */
export interface ProfileDefaults {
  readonly defaults: Thresholds;
  /** Corrects once and then answers, unless a limit was set. */
  readonly correctsOnceByDefault: boolean;
}

/** Thresholds that a calibration file or the shipped judge brings. */
export interface FittedThresholds {
  abstainBelow: number;
  /** By profile; what is absent keeps the profile's default. */
  profiles: Partial<
    Record<ProfileName, Partial<Pick<Thresholds, "correct" | "incorrect" | "keep">>>
  >;
}

const CORRECTIONS: Record<Quality, number> = { quick: 1, balanced: 2, thorough: 4 };
const DEFAULT_CORRECTIONS = 3;

/** The variables that set a profile's thresholds. */
const THRESHOLD_VARIABLES: Record<ProfileName, Partial<Record<keyof Thresholds, VariableName>>> = {
  adaptive: {
    correct: "KB_AGENT_GENERATE_THRESHOLD",
    incorrect: "KB_AGENT_KEEP_THRESHOLD",
    keep: "KB_AGENT_KEEP_THRESHOLD",
    vectorScore: "KB_AGENT_VECTOR_SCORE_THRESHOLD",
    autoApproveMaxItems: "KB_AGENT_AUTO_APPROVE_MAX_ITEMS",
  },
  signals: {
    correct: "CRAG_CORRECT_THRESHOLD",
    incorrect: "CRAG_INCORRECT_THRESHOLD",
    keep: "KB_AGENT_KEEP_THRESHOLD",
  },
  holistic: {
    correct: "CRAG_RELEVANCE_THRESHOLD",
    incorrect: "CRAG_AMBIGUOUS_THRESHOLD",
    keep: "KB_AGENT_KEEP_THRESHOLD",
  },
  adequacy: { correct: "CRAG_ADEQUACY_THRESHOLD" },
  three_action: {
    correct: "CRAG_CORRECT_THRESHOLD",
    incorrect: "CRAG_INCORRECT_THRESHOLD",
    keep: "KB_AGENT_KEEP_THRESHOLD",
  },
};

/**
 * @param context what the run was called with; absent keys fall to the environment
 * @param fitted cut-offs of the embedded judge, shipped or from a calibration file; they hold for its probabilities only, and rank below what the
 *   context or the environment say by name
 */
export function resolveSettings({
  environment,
  context,
  profiles,
  fitted,
}: {
  environment: Environment;
  context: ContextValues;
  profiles: Readonly<Record<ProfileName, ProfileDefaults>>;
  fitted: FittedThresholds;
}): RunSettings {
  const profile = context.profile ?? environment.CRAG_PROFILE;
  const chosenQuality = context.quality ?? environment.RAG_QUALITY;
  const quality = chosenQuality ?? "balanced";
  const thorough = quality === "thorough";
  return {
    profile,
    quality,
    qualityIsExplicit: chosenQuality !== undefined,
    maxIterations: corrections(environment, context, profiles[profile].correctsOnceByDefault),
    thresholds: thresholds({ environment, context, profile, defaults: profiles[profile].defaults }),
    embeddedThresholds: thresholds({
      environment,
      context,
      profile,
      defaults: { ...profiles[profile].defaults, ...fitted.profiles[profile] },
    }),
    abstainBelow: fitted.abstainBelow,
    topK: context.top_k ?? environment.TOP_K,
    searchMode: context.search_mode ?? environment.SEARCH_MODE,
    webSearch: context.web_search ?? environment.WEB_SEARCH,
    webResults: context.web_results ?? environment.WEB_RESULTS,
    webFetch: context.web_fetch ?? environment.WEB_FETCH,
    keyPoints: context.key_points ?? environment.WEB_KEY_POINTS,
    hyde: context.hyde ?? environment.HYDE ?? thorough,
    rerank: context.rerank ?? environment.RERANK,
    selfConsistency: context.self_consistency ?? environment.SELF_CONSISTENCY ?? thorough,
    secondOpinion: context.second_opinion ?? environment.SECOND_OPINION,
    answerModel:
      context.model ??
      (quality === "quick" ? environment.LLM_MODEL_QUICK : undefined) ??
      environment.LLM_MODEL,
    gradeModel:
      context.evaluation_model ??
      (thorough ? strongerModel(environment) : undefined) ??
      context.model ??
      quickModel(environment, quality),
    maxAnswerTokens: context.max_answer_tokens ?? environment.LLM_MAX_TOKENS,
    contextTokens: environment.CONTEXT_TOKENS,
    gradeBatchSize: environment.GRADE_BATCH_SIZE,
    gradeConcurrency: environment.GRADE_CONCURRENCY,
    toolTimeoutInMs: environment.TOOL_TIMEOUT_SECONDS * 1000,
    modelFallback: context.model_fallback ?? environment.MODEL_FALLBACK,
    budget: {
      modelCalls: context.budget?.model_calls ?? environment.BUDGET_MODEL_CALLS,
      tokens: context.budget?.tokens ?? environment.BUDGET_TOKENS,
      seconds: context.budget?.seconds ?? environment.BUDGET_SECONDS,
      webSearches: context.budget?.web_searches ?? environment.BUDGET_WEB_SEARCHES,
    },
    switchedOff: context.switched_off ?? [],
  };
}

/** The run's `max_iterations`, else its quality, else the environment, else what the profile does of its own. */
function corrections(
  environment: Environment,
  context: ContextValues,
  correctsOnce: boolean,
): number {
  const byEnvironment = environment.KB_AGENT_MAX_ITERATIONS ?? environment.MAX_RAG_LOOPS;
  return (
    context.max_iterations ??
    (context.quality && CORRECTIONS[context.quality]) ??
    byEnvironment ??
    (environment.RAG_QUALITY && CORRECTIONS[environment.RAG_QUALITY]) ??
    (correctsOnce ? 1 : DEFAULT_CORRECTIONS)
  );
}

function thresholds({
  environment,
  context,
  profile,
  defaults,
}: {
  environment: Environment;
  context: ContextValues;
  profile: ProfileName;
  defaults: Thresholds;
}): Thresholds {
  const given = context.thresholds ?? {};
  const byContext: Partial<Thresholds> = {
    correct: given.correct,
    incorrect: given.incorrect,
    keep: given.keep,
    vectorScore: given.vector_score,
    autoApproveMaxItems: given.auto_approve_max_items,
  };
  const pick = (key: keyof Thresholds): number => {
    const variable = THRESHOLD_VARIABLES[profile][key];
    const explicit =
      variable !== undefined && environment.explicit.has(variable)
        ? Number(environment[variable])
        : undefined;
    return byContext[key] ?? explicit ?? defaults[key];
  };
  return {
    correct: pick("correct"),
    incorrect: pick("incorrect"),
    keep: pick("keep"),
    vectorScore: pick("vectorScore"),
    autoApproveMaxItems: pick("autoApproveMaxItems"),
  };
}

function quickModel(environment: Environment, quality: Quality): string {
  return (quality === "quick" ? environment.LLM_MODEL_QUICK : undefined) ?? environment.LLM_MODEL;
}

/** At OpenAI itself, with nothing chosen, `thorough` judges with the larger model; elsewhere nobody knows that name. */
function strongerModel(environment: Environment): string | undefined {
  if (environment.LLM_MODEL_EVALUATION !== undefined) return environment.LLM_MODEL_EVALUATION;
  return environment.OPENAI_BASE_URL === undefined && !environment.explicit.has("LLM_MODEL")
    ? "gpt-4o"
    : undefined;
}
