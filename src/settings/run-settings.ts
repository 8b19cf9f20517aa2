/**
 * The settings of one run, complete: what its context, the agent's settings and the defaults came
 * to. Pure.
 */
import { fromContext, type ContextValues } from "./context.js";
import { entriesOf } from "./setting.js";
import { SETTINGS, type Settings, type SettingsInput } from "./table.js";
import type { ABLATIONS, PROFILE_NAMES, QUALITIES } from "./table/grading.js";

export { ABLATIONS, PROFILE_NAMES, QUALITIES } from "./table/grading.js";
export { RERANK_MODES, SEARCH_MODES } from "./table/knowledge.js";
export { WEB_SEARCH_MODES } from "./table/web.js";

export type ProfileName = (typeof PROFILE_NAMES)[number];
export type Quality = (typeof QUALITIES)[number];
/** A step that an ablation can switch off. */
export type Ablation = (typeof ABLATIONS)[number];

/**
 * Cut-offs of the profile at hand, all in 0–1. Which comparison is strict is the profile's affair.
 */
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

const ENTRIES = entriesOf(SETTINGS);

/** What a run may spend. */
export type BudgetLimits = { [Resource in keyof Settings["budget"]]: number };

/** What a profile brings along; the grading room knows the values. */
interface ProfileDefaults {
  readonly defaults: Thresholds;
  /** Corrects once and then answers, unless a limit was set. */
  readonly correctsOnceByDefault: boolean;
}

/** Cut-offs of the embedded judge's probabilities, from a calibration file or as shipped. */
type FittedThresholds = Pick<Thresholds, "correct" | "incorrect" | "keep"> & {
  abstainBelow: number;
};

const CORRECTIONS: Record<Quality, number> = { quick: 1, balanced: 2, thorough: 4 };
const DEFAULT_CORRECTIONS = 3;
const MODEL_CALLS: Record<Quality, number> = { quick: 12, balanced: 12, thorough: 24 };
export const DEFAULT_MODEL = "gpt-4o-mini";
const STRONGER_MODEL = "gpt-4o";

/**
 * Lays settings over each other, the strongest first, and fills in the defaults of the table.
 * @example completeSettings({ topK: 8 }, readEnvironment(process.env).settings)
 */
export function completeSettings(...layers: readonly SettingsInput[]): Settings {
  const values: Record<string, unknown> = {};
  for (const { path, setting } of ENTRIES) {
    const [key, inner] = path;
    const given = layers.map((layer): unknown => {
      const value: unknown = Reflect.get(layer, key);
      return inner === undefined ? value : Reflect.get(Object(value), inner);
    });
    const value = given.find((each) => each !== undefined) ?? setting.default;
    values[key] = inner === undefined ? value : { ...Object(values[key]), [inner]: value };
  }
  return values as Settings;
}

/**
 * @param context what the run was called with; what it leaves open the agent's settings answer
 * @param fitted cut-offs of the embedded judge, shipped or from a calibration file; they hold for
 *   its probabilities only, and rank below what the context or the settings say by name
 */
export function resolveSettings({
  settings,
  context,
  profiles,
  fitted,
}: {
  settings: Settings;
  context: ContextValues;
  profiles: Readonly<Record<ProfileName, ProfileDefaults>>;
  fitted: FittedThresholds;
}) {
  const given = fromContext(context);
  const all = completeSettings(given, settings);
  const quality = all.quality ?? "balanced";
  const thorough = quality === "thorough";
  const { defaults, correctsOnceByDefault } = profiles[all.profile];
  const answerModel =
    given.model ?? (quality === "quick" ? all.quickModel : undefined) ?? all.model;
  return {
    profile: all.profile,
    quality,
    /** The quality was chosen by the user and not by default. */
    qualityIsExplicit: all.quality !== undefined,
    /** Corrections at most. */
    maxIterations:
      limitIn(given) ?? limitIn(settings) ?? (correctsOnceByDefault ? 1 : DEFAULT_CORRECTIONS),
    thresholds: thresholdsOf(all, defaults),
    /** The same for what the embedded judge graded, whose scores are probabilities. */
    embeddedThresholds: thresholdsOf(all, { ...defaults, ...fitted }),
    /** Embedded mode abstains when the set's probability is below this, 0–1. */
    abstainBelow: fitted.abstainBelow,
    topK: all.topK,
    searchMode: all.searchMode,
    webSearch: all.webSearch,
    webResults: all.webResults,
    webFetch: all.webFetch,
    keyPoints: all.keyPoints,
    hyde: all.hyde ?? thorough,
    rerank: all.rerank,
    selfConsistency: all.selfConsistency ?? thorough,
    guard: all.guard,
    sourcesInText: all.sourcesInText,
    /** Undefined for the endpoint's default, or the model that the caller brought. */
    answerModel,
    gradeModel: all.judgeModel ?? (thorough ? strongerModel(all) : undefined) ?? answerModel,
    maxAnswerTokens: all.maxAnswerTokens,
    contextTokens: all.contextTokens,
    gradeBatchSize: all.gradeBatchSize,
    gradeConcurrency: all.gradeConcurrency,
    toolTimeoutInMs: all.toolTimeoutSeconds * 1000,
    modelFallback: all.modelFallback,
    budget: { ...all.budget, modelCalls: all.budget.modelCalls ?? MODEL_CALLS[quality] },
    /** Steps that an evaluation leaves out; empty in normal use. */
    switchedOff: all.switchedOff ?? [],
  };
}

/** The settings of one run, complete. */
export type RunSettings = ReturnType<typeof resolveSettings>;

/** The limit of corrections that somebody chose, by number or else by quality. */
function limitIn({
  maxIterations,
  quality,
}: Pick<SettingsInput, "maxIterations" | "quality">): number | undefined {
  return maxIterations ?? (quality && CORRECTIONS[quality]);
}

function thresholdsOf({ thresholds }: Settings, defaults: Thresholds): Thresholds {
  return {
    correct: thresholds.correct ?? defaults.correct,
    incorrect: thresholds.incorrect ?? defaults.incorrect,
    keep: thresholds.keep ?? defaults.keep,
    vectorScore: thresholds.vectorScore ?? defaults.vectorScore,
    autoApproveMaxItems: thresholds.autoApproveMaxItems ?? defaults.autoApproveMaxItems,
  };
}

/**
 * At OpenAI itself, with nothing chosen, `thorough` judges with the larger model; elsewhere nobody
 * knows that name.
 */
function strongerModel({ thoroughJudgeModel, openaiBaseUrl, model }: Settings): string | undefined {
  const unknown = openaiBaseUrl !== undefined || model !== undefined;
  return thoroughJudgeModel ?? (unknown ? undefined : STRONGER_MODEL);
}
