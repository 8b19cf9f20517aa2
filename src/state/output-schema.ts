/**
 * The shapes behind the output, so that the API server can report them. The types are those of the state; the compiler holds the two together.
 */
import { z } from "zod";
import type { Usage } from "../observability/usage.js";
import type { Citation, SourceReference } from "./answer.js";
import type { Details, EvidenceSummary } from "./details.js";
import type { EvidenceSource, Score } from "./evidence.js";
import type { Evaluation, Outcome, OutcomeCause } from "./verdict.js";

const CAUSES = {
  max_iterations: "max_iterations",
  step_limit: "step_limit",
  nothing_new: "nothing_new",
  web_unavailable: "web_unavailable",
  web_error: "web_error",
  tool_error: "tool_error",
  model_error: "model_error",
  knowledge_base_error: "knowledge_base_error",
  budget_exhausted: "budget_exhausted",
  insufficient_evidence: "insufficient_evidence",
  unsupported_answer: "unsupported_answer",
  policy_blocked: "policy_blocked",
  invalid_input: "invalid_input",
  cancelled: "cancelled",
  internal_error: "internal_error",
} as const satisfies { [C in OutcomeCause]: C };

const share = () => z.number().min(0).max(1);
const line = () => z.number().int().min(1).optional();
const count = () => z.number().int().min(0);

export const EvidenceSourceSchema: z.ZodType<EvidenceSource> = z.union([
  z.object({
    kind: z.literal("file"),
    path: z.string(),
    startLine: line(),
    endLine: line(),
    page: line(),
    heading: z.string().optional(),
  }),
  z.object({
    kind: z.literal("web"),
    url: z.string(),
    provider: z.string().optional(),
    date: z.string().optional(),
  }),
  z.object({ kind: z.literal("tool"), path: z.string() }),
]);

const ScoreSchema: z.ZodType<Score> = z.object({
  value: z.number(),
  scale: z
    .enum(["cosine", "bm25", "fusion", "rerank", "relevance"])
    .describe("Only scores of one scale may be compared."),
  by: z.string().describe("Who gave it."),
});

export const CitationSchema: z.ZodType<Citation> = z.object({
  marker: z.number().int().min(1).describe("The number in the text."),
  evidence_id: z.string(),
  source: EvidenceSourceSchema,
  title: z.string(),
  quote: z.string().describe("The words of the evidence that support the sentence."),
  start: count().describe("Offset of the quote in the evidence's text, in UTF-16 code units."),
  end: count(),
  claim: z.string().describe("The sentence of the answer that it stands behind."),
  status: z.enum(["supported", "partial", "unsupported", "contradicted"]),
  score: share().describe("Probability that the quote supports the claim."),
  problems: z.array(z.string()).optional().describe("What does not agree, in words."),
});

export const SourceReferenceSchema: z.ZodType<SourceReference> = z.object({
  marker: z.number().int().min(1),
  evidence_id: z.string(),
  title: z.string(),
  source: EvidenceSourceSchema,
  label: z.string().describe("The printed form, [SOURCE:path:Lline]."),
});

export const OutcomeSchema: z.ZodType<Outcome> = z.object({
  status: z.enum(["success", "abstained", "failed"]),
  causes: z.array(z.enum(CAUSES)).describe("Why it ended so; empty when nothing went wrong."),
});

const SignalsSchema = z.object({
  rerank: share().optional(),
  coverage: share().optional(),
  agreement: share().optional(),
});

const EvaluationSchema: z.ZodType<Evaluation> = z.object({
  label: z.enum(["CORRECT", "AMBIGUOUS", "INCORRECT"]),
  action: z.enum(["GENERATE", "REFINE", "RE_RETRIEVE"]),
  score: share().describe("The aggregate that was compared with the thresholds."),
  confidence: share(),
  reasoning: z.string(),
  suggested_action: z.string(),
  judge: z.string(),
  profile: z.string(),
  rule: z.string().optional().describe("The fast-path rule that set it."),
  signals: SignalsSchema.optional(),
  tool_needed: z.string().optional(),
  hints: z.array(z.string()).optional(),
  forced_by: z
    .string()
    .optional()
    .describe("What ended the loop although the thresholds said otherwise."),
});

const EvidenceSummarySchema: z.ZodType<EvidenceSummary> = z.object({
  id: z.string(),
  title: z.string(),
  source: EvidenceSourceSchema,
  tool: z.string(),
  round: count(),
  score: share().nullable().describe("Relevance; null while ungraded."),
  scores: z.array(ScoreSchema),
  reason: z.string().optional().describe("Why it was discarded, or by which rule it was kept."),
});

const spent = {
  model_calls: count(),
  input_tokens: count(),
  output_tokens: count(),
  web_searches: count(),
  took_ms: z.number().min(0),
};

const UsageSchema: z.ZodType<Usage> = z.object({
  ...spent,
  by_node: z.record(z.string(), z.object({ runs: count(), ...spent })),
});

export const DetailsSchema: z.ZodType<Details> = z.object({
  run_id: z.string().describe("The run's id in the audit log."),
  reasoner: z.enum(["model", "embedded"]),
  mode: z.enum(["chat", "search"]),
  profile: z.string(),
  quality: z.string(),
  standalone_question: z.string().describe("The question as it was understood."),
  label: z.enum(["correct", "ambiguous", "incorrect"]).nullable(),
  action: z
    .enum(["GENERATE", "REFINE", "RE_RETRIEVE"])
    .nullable()
    .describe("The grader's last action."),
  evaluation: EvaluationSchema.nullable(),
  scores: z.record(z.string(), share()).describe("Relevance by evidence id."),
  relevance_scores: z.array(share()),
  max_score: share().nullable(),
  signals: SignalsSchema.nullable(),
  rule: z.string().nullable(),
  iterations: count().describe("Corrections made."),
  max_iterations: count(),
  strategies_tried: z.array(z.string()),
  web_used: z.boolean(),
  kept: z.array(EvidenceSummarySchema),
  discarded: z.array(EvidenceSummarySchema),
  tools: z.array(
    z.object({
      round: count(),
      tool: z.string(),
      args: z.record(z.string(), z.unknown()),
      status: z.string(),
      count: count(),
      took_ms: z.number().min(0),
      cached: z.boolean(),
      error: z.string().optional(),
    }),
  ),
  cache_hits: count(),
  context_form: z.enum(["relevant", "ambiguous", "irrelevant", "empty"]),
  context_used: z.string().describe("The context window that the answer was written from."),
  withdrawn: z
    .array(z.string())
    .describe("Claims that were taken out because nothing supports them."),
  usage: UsageSchema,
  took_ms: z.number().min(0),
});
