/** Decides a recorded grading anew with today's code: rules, aggregate, thresholds and guards. No model, no network. */
import { z } from "zod";
import { readEnvironment } from "../settings/environment.js";
import { PROFILE_NAMES } from "../settings/run-settings.js";
import { decide } from "../grading/decide.js";
import type { Judgement } from "../grading/judgement.js";
import { PROFILES } from "../grading/profiles.js";
import { judgeBySignals } from "../grading/signals.js";
import type { ReplayedDecision } from "../observability/replay-run.js";
import { createReader } from "../reader/create-reader.js";
import type { Reader } from "../reader/reader.js";
import { loadWeights } from "../reader/weights.js";
import { judgeParts } from "../reasoning/embedded/judge-parts.js";
import { RETRIEVAL_STRATEGIES } from "../state/tool-history.js";

const Signals = z.object({
  rerank: z.number().optional(),
  coverage: z.number().optional(),
  agreement: z.number().optional(),
});

const EvidenceSchema = z.object({
  id: z.string(),
  text: z.string(),
  title: z.string(),
  source: z.discriminatedUnion("kind", [
    z.looseObject({ kind: z.literal("file"), path: z.string() }),
    z.looseObject({ kind: z.literal("web"), url: z.string() }),
    z.looseObject({ kind: z.literal("tool"), path: z.string() }),
  ]),
  tool: z.string(),
  round: z.number(),
  scores: z.array(
    z.object({
      value: z.number(),
      scale: z.enum(["cosine", "bm25", "fusion", "rerank", "relevance"]),
      by: z.string(),
    }),
  ),
  status: z.enum(["kept", "discarded", "ungraded"]),
  reason: z.string().optional(),
});

/** What the grader logs when inputs are recorded. */
const RecordedInputs = z.object({
  question: z.string(),
  profile: z.object({ name: z.enum(PROFILE_NAMES) }),
  thresholds: z.object({
    correct: z.number(),
    incorrect: z.number(),
    keep: z.number(),
    vectorScore: z.number(),
    autoApproveMaxItems: z.number(),
  }),
  evidence: z.array(EvidenceSchema),
  judgement: z
    .object({
      judge: z.string(),
      scores: z.record(z.string(), z.number()),
      set: z
        .object({
          score: z.number(),
          statedLabel: z.string().optional(),
          confidence: z.number().optional(),
          reasoning: z.string().optional(),
          toolNeeded: z.string().optional(),
          hints: z.array(z.string()).optional(),
        })
        .optional(),
      signals: Signals.optional(),
      parseFailures: z.number(),
    })
    .optional(),
  rule: z
    .object({
      rule: z.enum(["read_file", "few_context", "high_vector_score"]),
      scores: z.record(z.string(), z.number()),
    })
    .optional(),
  iteration: z.number(),
  maxIterations: z.number(),
  roundWasNew: z.boolean(),
  untriedStrategies: z.array(z.enum(RETRIEVAL_STRATEGIES)),
  stepsLeft: z.number(),
  exhausted: z.string().optional(),
  webAvailable: z.boolean(),
  filtering: z.boolean().optional(),
});
type Inputs = z.output<typeof RecordedInputs>;

/**
 * Today's decision on recorded inputs. A model's judgement is taken as it was recorded; a judgement that costs no model is made anew, so
 * that changed weights and signals show.
 */
export async function redecide(recorded: unknown): Promise<ReplayedDecision | undefined> {
  const parsed = RecordedInputs.safeParse(recorded);
  if (!parsed.success) return undefined;
  const { profile, ...inputs } = parsed.data;
  // A calibrated reader is the one that graded then, and would grade today.
  const { reader: model, calibrationFile } = readEnvironment(process.env).settings;
  const reader = createReader({ model, weights: loadWeights(calibrationFile) });
  const judgement = await judgeAnew(parsed.data, reader);
  await reader.close();
  const { evaluation } = decide({ ...inputs, profile: PROFILES[profile.name], judgement });
  return {
    label: evaluation.label,
    action: evaluation.action,
    score: evaluation.score,
    ...(evaluation.rule !== undefined && { rule: evaluation.rule }),
  };
}

async function judgeAnew(
  { question, evidence, judgement }: Inputs,
  reader: Reader,
): Promise<Judgement | undefined> {
  const present = evidence.filter(({ status }) => status !== "discarded");
  if (judgement?.judge !== "embedded" && judgement?.judge !== "signals") return judgement;
  const judged = await judgeParts({ reader, question, evidence: present });
  if (judgement.judge === "signals")
    return judgeBySignals({ question, evidence: present, relevance: judged.passages });
  // Only what was graded in that round gets a score of its own; the rest brought its score along.
  const scores = present.flatMap(({ id }, position): [string, number][] =>
    id in judgement.scores ? [[id, judged.passages[position] ?? 0]] : [],
  );
  return {
    ...judgement,
    scores: Object.fromEntries(scores),
    set: { ...judgement.set, score: judged.set },
  };
}
