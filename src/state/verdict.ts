/** The grader's verdict on the evidence, and the outcome of a run. */
import { z } from "zod";
import { share } from "../settings/setting.js";

export const GraderActionSchema = z.enum(["GENERATE", "REFINE", "RE_RETRIEVE"]);
export type GraderAction = z.infer<typeof GraderActionSchema>;

const EvidenceLabelSchema = z.enum(["CORRECT", "AMBIGUOUS", "INCORRECT"]);
/** The class of the whole set of evidence. */
export type EvidenceLabel = z.infer<typeof EvidenceLabelSchema>;

export const SignalsSchema = z.object({
  rerank: share.optional(),
  coverage: share.optional(),
  agreement: share.optional(),
});
/** The signals of the `signals` profile, each in 0–1; absent if it could not be measured. */
export type Signals = z.infer<typeof SignalsSchema>;

export const RuleSchema = z.enum(["read_file", "few_context", "high_vector_score"]);
/** A rule that approves evidence without a judge. */
export type FastPathRule = z.infer<typeof RuleSchema>;

const ForcedBySchema = z.enum(["max_iterations", "step_limit", "nothing_new", "budget"]);
/** What ends the loop despite the thresholds. */
export type ForcedBy = z.infer<typeof ForcedBySchema>;

export const CallStatusSchema = z.enum(["ok", "empty", "error", "timeout", "skipped"]);
export type CallStatus = z.infer<typeof CallStatusSchema>;

export const RetrievalStrategySchema = z.enum(["hybrid", "keyword", "vector", "files", "web"]);
export type RetrievalStrategy = z.infer<typeof RetrievalStrategySchema>;

export const EvaluationSchema = z.object({
  label: EvidenceLabelSchema,
  action: GraderActionSchema,
  score: share.describe("The aggregate that was compared with the thresholds."),
  confidence: share.describe(
    "Confidence in the label; for INCORRECT 1 − score unless a judge stated its own.",
  ),
  reasoning: z.string(),
  suggested_action: z
    .string()
    .describe("In the words of the profile's design: refine_and_use, combine_with_web_search, …"),
  judge: z
    .string()
    .describe("batch, per_document, set, adequacy, signals, embedded, rule, or one of yours."),
  profile: z.string(),
  rule: RuleSchema.optional().describe("The fast-path rule that set it."),
  signals: SignalsSchema.optional(),
  tool_needed: z.string().optional().describe("A tool that the judge needs before an answer."),
  hints: z
    .array(z.string())
    .optional()
    .describe("What is missing. A model that saw evidence may have written it: local search only."),
  forced_by: ForcedBySchema.optional().describe("What ended the loop despite the thresholds."),
});
/** The verdict on the evidence of one round. */
export type Evaluation = z.infer<typeof EvaluationSchema>;

const OutcomeCauseSchema = z.enum([
  "max_iterations",
  "step_limit",
  "nothing_new",
  "web_unavailable",
  "web_error",
  "tool_error",
  "model_error",
  "knowledge_base_error",
  "budget_exhausted",
  "insufficient_evidence",
  "unsupported_answer",
  "policy_blocked",
  "invalid_input",
  "cancelled",
  "internal_error",
]);
/** Why a run ended as it did; several may apply. */
export type OutcomeCause = z.infer<typeof OutcomeCauseSchema>;

export const OutcomeSchema = z.object({
  status: z
    .enum(["success", "closest_passages", "abstained", "failed"])
    .describe(
      "success: answered; closest_passages: in place of an answer; " +
        "abstained: nothing comes near; failed.",
    ),
  causes: z.array(OutcomeCauseSchema).describe("Empty if nothing went wrong."),
});
export type Outcome = z.infer<typeof OutcomeSchema>;
export type OutcomeStatus = Outcome["status"];
