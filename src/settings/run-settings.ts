/** The complete settings of one run, from its context, the agent's settings and the defaults. */
import { fromContext, RUN_KEYS, type ContextValues, type RunKey } from "./context.js";
import { readFilter } from "./filter.js";
import { putAt, valueAt } from "./setting.js";
import { ENTRIES, type Settings, type SettingsInput } from "./table.js";
import type { ABLATIONS, PROFILE_NAMES, QUALITIES } from "./table/grading.js";

export { ABLATIONS, MAX_CORRECTIONS, PROFILE_NAMES, QUALITIES } from "./table/grading.js";

export type ProfileName = (typeof PROFILE_NAMES)[number];
export type Quality = (typeof QUALITIES)[number];
/** A step that can be switched off for comparison. */
export type Ablation = (typeof ABLATIONS)[number];

/** Thresholds of a profile, in 0–1. The profile decides which comparisons are strict. */
export interface Thresholds {
  /** CORRECT from (or above) here. */
  correct: number;
  /** INCORRECT below (or at) here. */
  incorrect: number;
  /** Items below are removed. */
  keep: number;
  /** `high_vector_score`: cosine from which vector hits are approved. */
  vectorScore: number;
  /** `few_context`: up to this many items are approved. */
  autoApproveMaxItems: number;
}

export type BudgetLimits = { [Resource in keyof Settings["budget"]]: number };

/** The part of a profile that settings depend on. */
interface ProfileDefaults {
  readonly defaults: Thresholds;
  /** Corrects once, unless a limit is set. */
  readonly correctsOnceByDefault: boolean;
}

/** Thresholds for the embedded judge's probabilities, shipped or from a calibration file. */
type FittedThresholds = Pick<Thresholds, "correct" | "incorrect" | "keep"> & {
  abstainBelow: number;
};

const CORRECTIONS: Record<Quality, number> = { quick: 1, balanced: 2, thorough: 4 };
const DEFAULT_CORRECTIONS = 3;
const MODEL_CALLS: Record<Quality, number> = { quick: 12, balanced: 12, thorough: 24 };
export const DEFAULT_MODEL = "gpt-4o-mini";
const STRONGER_MODEL = "gpt-4o";

/**
 * Merges settings, the strongest first, and fills in the defaults.
 * @example completeSettings({ topK: 8 }, readEnvironment(process.env).settings)
 */
export function completeSettings(...layers: readonly SettingsInput[]): Settings {
  const values: Record<string, unknown> = {};
  for (const { path, setting } of ENTRIES) {
    const given = layers.map((layer) => valueAt(layer, path));
    putAt(values, path, given.find((each) => each !== undefined) ?? setting.default);
  }
  return values as Settings;
}

/**
 * @param context the run's settings; those of the agent fill the gaps
 * @param fitted thresholds for the embedded judge only; those in the context or settings win
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
  const model = given.model ?? (quality === "quick" ? all.quickModel : undefined) ?? all.model;
  return {
    ...(Object.fromEntries(RUN_KEYS.map((key) => [key, all[key]])) as Pick<Settings, RunKey>),
    quality,
    /** True if the user chose the quality. */
    qualityIsExplicit: all.quality !== undefined,
    /** Maximum number of corrections. */
    maxIterations:
      limitIn(given) ?? limitIn(settings) ?? (correctsOnceByDefault ? 1 : DEFAULT_CORRECTIONS),
    thresholds: thresholdsFor(all, defaults),
    /** For grades by the embedded judge, which are probabilities. */
    embeddedThresholds: thresholdsFor(all, { ...defaults, ...fitted }),
    /** Embedded mode abstains if the probability of the set is below this, 0–1. */
    abstainBelow: fitted.abstainBelow,
    filter: all.filter === undefined ? undefined : readFilter(all.filter),
    hyde: all.hyde ?? thorough,
    selfConsistency: all.selfConsistency ?? thorough,
    /** Undefined for the endpoint's default, or the caller's model. */
    model,
    judgeModel: all.judgeModel ?? (thorough ? strongerModel(all) : undefined) ?? model,
    contextTokens: all.contextTokens,
    gradeBatchSize: all.gradeBatchSize,
    gradeConcurrency: all.gradeConcurrency,
    toolTimeoutInMs: all.toolTimeoutSeconds * 1000,
    budget: { ...all.budget, modelCalls: all.budget.modelCalls ?? MODEL_CALLS[quality] },
    /** Steps left out for comparison; empty in normal use. */
    switchedOff: all.switchedOff ?? [],
  };
}

export type RunSettings = ReturnType<typeof resolveSettings>;

/** The limit of corrections that somebody chose, by number or else by quality. */
function limitIn({
  maxIterations,
  quality,
}: Pick<SettingsInput, "maxIterations" | "quality">): number | undefined {
  return maxIterations ?? (quality && CORRECTIONS[quality]);
}

/** What is set for every profile wins over what is set for this one. */
function thresholdsFor(
  { thresholds, profile, adaptive, holistic }: Settings,
  defaults: Thresholds,
): Thresholds {
  const named: Record<string, object> = { adaptive, holistic };
  const chosen = [named[profile] ?? {}, thresholds].flatMap((group) =>
    Object.entries(group).filter(([, value]) => value !== undefined),
  );
  return { ...defaults, ...Object.fromEntries(chosen) };
}

/**
 * At OpenAI itself, with nothing chosen, `thorough` judges with the larger model; elsewhere nobody
 * knows that name.
 */
function strongerModel({ thoroughJudgeModel, openaiBaseUrl, model }: Settings): string | undefined {
  const unknown = openaiBaseUrl !== undefined || model !== undefined;
  return thoroughJudgeModel ?? (unknown ? undefined : STRONGER_MODEL);
}
