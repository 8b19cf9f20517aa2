/** Grading as one step: rules or a judge, then the decision. Independent of graph and model. */
import type { Reader } from "../reader/reader.js";
import type { ProfileName, Thresholds } from "../settings/run-settings.js";
import {
  asEvidence,
  asPassage,
  relevanceOf,
  type Evidence,
  type GradablePassage,
} from "../state/evidence.js";
import type { EvidenceLabel, FastPathRule, GraderAction } from "../state/verdict.js";
import type { ToolHistoryEntry } from "../state/run-record.js";
import { decide, type Decision } from "./decide.js";
import type { DecideInput } from "./apply-verdict.js";
import { isJudged, type Judge, type JudgeInput } from "./judgement.js";
import { profileOf, type Profile } from "./profiles.js";
import { signalsJudge } from "./signals.js";

/** What a judge is shown of a round. Refused in an earlier round, an item is `discarded`. */
export function toJudge(context: readonly Evidence[]): Pick<JudgeInput, "evidence" | "ungraded"> {
  const evidence = context.filter(({ status }) => status !== "discarded");
  return { evidence, ungraded: evidence.filter((item) => !isJudged(item)) };
}

export interface RoundGrade extends Decision {
  input: DecideInput;
}

/**
 * Decides what follows from a judgement, or from the rule that made one needless.
 * @param embeddedThresholds the embedded judge's probabilities have cut-offs of their own
 */
export function gradeRound({
  embeddedThresholds,
  ...round
}: Omit<DecideInput, "roundWasNew"> & { embeddedThresholds?: Thresholds }): RoundGrade {
  const { evidence, iteration, thresholds, judgement } = round;
  const cutOffs = judgement?.judge === "embedded" ? embeddedThresholds : undefined;
  const roundWasNew = toJudge(evidence).ungraded.some((item) => item.round === iteration);
  const input = { ...round, thresholds: cutOffs ?? thresholds, roundWasNew };
  return { ...decide(input), input };
}

export interface GradeEvidenceInput {
  question: string;
  items: readonly GradablePassage[];
  /** `adaptive` by default. */
  profile?: ProfileName | Profile;
  /** Override those of the profile. */
  thresholds?: Partial<Thresholds>;
  /** Takes precedence over the profile's judge and over `reader`. */
  judge?: Judge;
  /** Judges if neither a judge nor the profile's judge is given. */
  reader?: Reader;
  signal?: AbortSignal;
}

export interface GradedEvidence {
  action: GraderAction;
  label: EvidenceLabel;
  /** The aggregate that was compared with the thresholds, 0–1. */
  score: number;
  kept: Evidence[];
  /** Each item with its reason. */
  discarded: Evidence[];
  /** Relevance by id, 0–1. */
  scores: Record<string, number>;
  reasoning: string;
}

/**
 * Grades the passages of any retriever, as the graph does in its first round.
 * @throws UserError for an unknown profile, Error without any judge or reader
 * @example
 * const profile = profiles.signals;
 * const { label, kept } = await gradeEvidence({ question, items, reader, profile });
 */
export async function gradeEvidence({
  question,
  items,
  profile: chosen = "adaptive",
  thresholds,
  judge,
  reader,
  signal,
}: GradeEvidenceInput): Promise<GradedEvidence> {
  const evidence = items.map(asEvidence);
  const profile = profileOf(chosen);
  const judged = judge ?? judgeOf(profile, reader);
  const { evaluation, context, discarded, scores } = gradeRound({
    evidence,
    profile,
    thresholds: { ...profile.defaults, ...thresholds },
    judgement: await judged({ question, ...toJudge(evidence), signal }),
    rule: undefined,
    iteration: 0,
    maxIterations: 1,
    untriedStrategies: ["web"],
    stepsLeft: Infinity,
    correctionSteps: { REFINE: 1, RE_RETRIEVE: 1 },
    webAvailable: true,
  });
  const { action, label, score, reasoning } = evaluation;
  return { action, label, score, kept: context, discarded, scores, reasoning };
}

function judgeOf(profile: Profile, reader: Reader | undefined): Judge {
  if (typeof profile.judge === "function") return profile.judge;
  if (reader !== undefined)
    return profile.judge === "signals" ? signalsJudge(reader) : readerJudge(reader);
  throw new Error(`the profile ${profile.name} needs a judge: pass \`judge\` or \`reader\``);
}

/** Returns a judge that takes the reader's probabilities for each passage and for the set. */
export function readerJudge(reader: Reader): Judge {
  return async ({ question, evidence, signal }) => {
    const passages = evidence.map(asPassage);
    const relevance = await reader.relevance({ question, passages, signal });
    return {
      judge: "embedded",
      scores: Object.fromEntries(
        evidence.map(({ id }, index) => [id, relevance.passages[index]?.value ?? 0]),
      ),
      set: { score: relevance.value },
    };
  };
}

/**
 * Returns the first rule that approves the evidence without a judge. They hold in the first round
 * only, while nothing has been graded, and never for an empty context.
 */
export function fastPath({
  context,
  history,
  round,
  thresholds,
}: {
  context: readonly Evidence[];
  history: readonly ToolHistoryEntry[];
  /** The current round, from 0; only its calls count. */
  round: number;
  thresholds: Pick<Thresholds, "vectorScore" | "autoApproveMaxItems">;
}): FastPathRule | undefined {
  const isNew = context.every((item) => relevanceOf(item) === undefined);
  if (round > 0 || context.length === 0 || !isNew) return undefined;
  const calls = history.filter((entry) => entry.round === round);
  if (
    calls.length > 0 &&
    calls.every(({ tool, status }) => tool === "read_file" && status === "ok")
  )
    return "read_file";
  if (context.length <= thresholds.autoApproveMaxItems) return "few_context";
  const cosines = cosinesOf(calls);
  return context.every(({ id }) => (cosines.get(id) ?? -1) >= thresholds.vectorScore)
    ? "high_vector_score"
    : undefined;
}

const VECTOR_TOOLS: ReadonlySet<string> = new Set(["vector_search", "hybrid_search"]);

/** Returns the highest cosine by evidence id; a hit of the keyword leg alone has none. */
function cosinesOf(calls: readonly ToolHistoryEntry[]): Map<string, number> {
  const best = new Map<string, number>();
  for (const { tool, evidence_ids: ids, scores } of calls) {
    if (!VECTOR_TOOLS.has(tool)) continue;
    ids.forEach((id, position) => {
      for (const { scale, value } of scores[position] ?? []) {
        if (scale === "cosine") best.set(id, Math.max(value, best.get(id) ?? -1));
      }
    });
  }
  return best;
}
