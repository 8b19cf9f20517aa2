/** Grading for anybody's retrieval, outside the graph: question and passages in, verdict out. */
import type { Reader } from "../reader/reader.js";
import type { Thresholds } from "../settings/run-settings.js";
import { asPassage, type Evidence } from "../state/evidence.js";
import type { EvidenceLabel, GraderAction } from "../state/verdict.js";
import { grade } from "./grade.js";
import type { Judge } from "./judgement.js";
import { PROFILES, type Profile } from "./profiles.js";
import { signalsJudge } from "./signals.js";

/** A passage to be graded: its text, and whatever else is known of it. */
export type GradablePassage = Pick<Evidence, "text"> & Partial<Evidence>;

export interface GradeEvidenceInput {
  question: string;
  items: readonly GradablePassage[];
  /** `profiles.adaptive` by default; its thresholds decide. */
  profile?: Profile;
  /** Cut-offs in place of the profile's. */
  thresholds?: Partial<Thresholds>;
  /** Judges, where the profile brings no function of its own and `reader` is not to. */
  judge?: Judge;
  /** Reads the passages, where no judge is given. */
  reader?: Reader;
  signal?: AbortSignal;
}

export interface GradedEvidence {
  action: GraderAction;
  label: EvidenceLabel;
  /** The aggregate that was compared with the thresholds, 0–1. */
  score: number;
  kept: Evidence[];
  /** What the profile drops, each item with its reason. */
  discarded: Evidence[];
  /** Relevance by id, 0–1. */
  scores: Record<string, number>;
  reasoning: string;
}

/**
 * Grades passages once, as the graph does in its first round.
 * @throws Error when neither profile, judge nor reader can judge
 * @example
 * const { label, kept } = await gradeEvidence({ question, items, reader, profile: profiles.signals
 * });
 */
export async function gradeEvidence({
  question,
  items,
  profile = PROFILES.adaptive,
  thresholds,
  judge,
  reader,
  signal,
}: GradeEvidenceInput): Promise<GradedEvidence> {
  const { evaluation, context, discarded, removed, scores } = await grade({
    question,
    evidence: items.map(asEvidence),
    profile,
    thresholds: { ...profile.defaults, ...thresholds },
    judge: judgeFor({ profile, judge, reader }),
    loop: {
      iteration: 0,
      maxIterations: 1,
      untriedStrategies: ["web"],
      stepsLeft: Number.POSITIVE_INFINITY,
      webAvailable: true,
    },
    ...(signal && { signal }),
  });
  const texts = new Map(items.map((item, index) => [asEvidence(item, index).id, item.text]));
  return {
    action: evaluation.action,
    label: evaluation.label,
    score: evaluation.score,
    kept: context,
    discarded: (removed.length > 0 ? removed.map((item) => item.evidence) : discarded).map(
      (item) => ({ ...item, text: texts.get(item.id) ?? "" }),
    ),
    scores,
    reasoning: evaluation.reasoning,
  };
}

function asEvidence(item: GradablePassage, index: number): Evidence {
  return {
    id: String(index + 1),
    title: "",
    source: { kind: "tool", path: "retrieval" },
    tool: "retrieval",
    round: 0,
    scores: [],
    status: "ungraded",
    ...item,
  };
}

function judgeFor({
  profile,
  judge,
  reader,
}: Pick<GradeEvidenceInput, "judge" | "reader"> & { profile: Profile }): Judge {
  if (judge !== undefined) return judge;
  if (typeof profile.judge === "function") return profile.judge;
  if (reader !== undefined)
    return profile.judge === "signals" ? signalsJudge(reader) : readerJudge(reader);
  throw new Error(`the profile ${profile.name} needs a judge: pass \`judge\` or \`reader\``);
}

/** The reader's probabilities as a judgement of each passage and of the set. */
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
