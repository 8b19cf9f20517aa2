/** How an answer came to be: the designs' CRAG details, CRAGResponse and evaluation result. */
import { z } from "zod";
import { EvidenceSchema } from "./evidence.js";
import { QUALITIES } from "../settings/run-settings.js";
import { share } from "../settings/setting.js";
import {
  CallStatusSchema,
  EvaluationSchema,
  GraderActionSchema,
  RetrievalStrategySchema,
} from "./verdict.js";

const count = () => z.number().int().min(0);

const spent = {
  model_calls: count(),
  input_tokens: count(),
  output_tokens: count(),
  web_searches: count(),
  took_ms: z.number().min(0).describe("Milliseconds spent in nodes."),
};
const NodeUsageSchema = z.object({ runs: count(), ...spent });

export const UsageSchema = z.object({ ...spent, by_node: z.record(z.string(), NodeUsageSchema) });
export type Usage = z.infer<typeof UsageSchema>;

export type UsageDelta = z.infer<typeof NodeUsageSchema> & { node: string };

export const NO_USAGE: Usage = {
  model_calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  web_searches: 0,
  took_ms: 0,
  by_node: {},
};

const EvidenceSummarySchema = EvidenceSchema.omit({ text: true, status: true }).extend({
  score: share.nullable().describe("Relevance; null while ungraded."),
});
/** An item that was kept or discarded, and why. */
export type EvidenceSummary = z.infer<typeof EvidenceSummarySchema>;

export const GradedRoundSchema = EvaluationSchema.extend({
  round: count(),
  thresholds: z
    .object({ correct: share, incorrect: share, keep: share })
    .describe("The cut-offs that decided."),
  kept: z.array(z.string()).describe("Ids of the evidence that was handed on."),
  discarded: z.array(z.string()).describe("Ids of the evidence that left in this round."),
  unanswerable: z
    .boolean()
    .optional()
    .describe("True if the model found no answer in what was kept."),
});
export type GradedRound = z.infer<typeof GradedRoundSchema>;

const CallSchema = z.object({
  round: count(),
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  status: CallStatusSchema,
  count: count(),
  took_ms: z.number().min(0),
  cached: z.boolean(),
  error: z.string().optional(),
});

export const DetailsSchema = z.object({
  run_id: z.string().describe("The run's id in the audit log."),
  reasoner: z
    .enum(["model", "embedded"])
    .describe("The reasoner of the run; single calls may have fallen back, see `warnings`."),
  mode: z.enum(["chat", "search"]),
  profile: z.string().describe("Its name: one of ours, or of a profile of yours."),
  quality: z.enum(QUALITIES),
  standalone_question: z.string().describe("The question as it was understood."),
  label: z
    .enum(["correct", "ambiguous", "incorrect"])
    .nullable()
    .describe("The class of the evidence that was answered from; null in chat."),
  action: GraderActionSchema.nullable().describe("The grader's last action."),
  rounds: z
    .array(GradedRoundSchema.extend({ calls: z.array(CallSchema.omit({ round: true })) }))
    .describe("Each round's calls, and how the grader judged their results."),
  evaluation: EvaluationSchema.nullable(),
  scores: z.record(z.string(), share).describe("Relevance of all graded evidence, by id."),
  relevance_scores: z.array(share),
  max_score: share.nullable(),
  iterations: count().describe("Corrections made."),
  max_iterations: count(),
  strategies_tried: z.array(RetrievalStrategySchema),
  web_used: z.boolean(),
  kept: z.array(EvidenceSummarySchema),
  discarded: z.array(EvidenceSummarySchema),
  tools: z.array(CallSchema),
  context_form: z.enum(["relevant", "ambiguous", "irrelevant", "empty"]),
  context_used: z.string().describe("The context window that the answer was written from."),
  withdrawn: z
    .array(z.string())
    .describe("Claims that were withdrawn because nothing supports them."),
  marked: z
    .array(z.string())
    .describe("Sentences of the answer that the evidence supports only in part."),
  usage: UsageSchema,
  took_ms: z.number().min(0),
});
export type Details = z.infer<typeof DetailsSchema>;

/** Adds one node's share to the totals. */
export function addUsage(total: Usage, { node, ...delta }: UsageDelta): Usage {
  const before = total.by_node[node] ?? { ...NO_USAGE, runs: 0 };
  const sum = (to: Omit<Usage, "by_node">): Omit<Usage, "by_node"> => ({
    model_calls: to.model_calls + delta.model_calls,
    input_tokens: to.input_tokens + delta.input_tokens,
    output_tokens: to.output_tokens + delta.output_tokens,
    web_searches: to.web_searches + delta.web_searches,
    took_ms: to.took_ms + delta.took_ms,
  });
  return {
    ...sum(total),
    by_node: { ...total.by_node, [node]: { runs: before.runs + delta.runs, ...sum(before) } },
  };
}
