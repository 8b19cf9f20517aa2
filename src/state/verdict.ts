/** What the grader says of the evidence, what follows from it, and how a run ends. */
import { z } from "zod";

const share = () => z.number().min(0).max(1);

export const GraderActionSchema = z.enum(["GENERATE", "REFINE", "RE_RETRIEVE"]);
/** Where the graph goes after grading. */
export type GraderAction = z.infer<typeof GraderActionSchema>;

const EvidenceLabelSchema = z.enum(["CORRECT", "AMBIGUOUS", "INCORRECT"]);
/** The evaluator's class for the whole set of evidence. */
export type EvidenceLabel = z.infer<typeof EvidenceLabelSchema>;

export const SignalsSchema = z.object({
  rerank: share().optional(),
  coverage: share().optional(),
  agreement: share().optional(),
});
/**
 * The three signals of the `signals` profile, each in 0–1; one that could not be measured is
 * absent.
 */
export type Signals = z.infer<typeof SignalsSchema>;

export const EvaluationSchema = z.object({
  label: EvidenceLabelSchema,
  action: GraderActionSchema,
  score: share().describe("The aggregate that was compared with the thresholds."),
  confidence: share().describe(
    "How sure the evaluator is of its label; for INCORRECT 1 − score unless a judge stated its own.",
  ),
  reasoning: z.string(),
  suggested_action: z
    .string()
    .describe("refine_and_use, combine_with_web_search, … in the words of the profile's design."),
  judge: z.string().describe("batch, per_document, set, adequacy, signals, embedded or rule."),
  profile: z.string(),
  rule: z.string().optional().describe("The fast-path rule that set it."),
  signals: SignalsSchema.optional(),
  tool_needed: z
    .string()
    .optional()
    .describe("The judge says that a tool is needed before an answer is possible."),
  hints: z
    .array(z.string())
    .optional()
    .describe(
      "What is still missing. A model that saw evidence may have written it: local search only.",
    ),
  forced_by: z
    .string()
    .optional()
    .describe("What ended the loop although the thresholds said otherwise."),
});
/** The verdict on one round's evidence. */
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
/** Why a run ended as it did; several may apply. `success` has none when nothing went wrong. */
export type OutcomeCause = z.infer<typeof OutcomeCauseSchema>;

export const OutcomeSchema = z.object({
  status: z.enum(["success", "abstained", "failed"]),
  causes: z.array(OutcomeCauseSchema).describe("Why it ended so; empty when nothing went wrong."),
});
export type Outcome = z.infer<typeof OutcomeSchema>;
export type OutcomeStatus = Outcome["status"];
