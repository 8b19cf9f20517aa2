/** Records that the nodes of a run share; small, because every checkpoint carries them. */
import { z } from "zod";
import { oneLine, withoutEnding } from "../text/words.js";
import { GradedRoundSchema } from "./details.js";
import { ScoreSchema } from "./evidence.js";
import { CallStatusSchema, RetrievalStrategySchema } from "./verdict.js";

export const PlannedCallSchema = z.object({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
});
export type PlannedCall = z.infer<typeof PlannedCallSchema>;

export const ToolHistoryEntrySchema = PlannedCallSchema.extend({
  round: z.number().int().min(0),
  status: CallStatusSchema,
  scores: z.array(z.array(ScoreSchema)).describe("The tool's own, one list per hit, best first."),
  evidence_ids: z.array(z.string()).describe("Ids of the evidence that it returned."),
  output: z.string().describe("A summary of the output, cut."),
  error: z.string().optional(),
  listed: z
    .object({ mention: z.string(), total: z.number(), is_estimate: z.boolean() })
    .optional()
    .describe("How many passages a complete list has, and what all of them mention."),
  cached: z.boolean().optional().describe("True if the result came from the cache."),
  duration_ms: z.number().min(0),
});
export type ToolHistoryEntry = z.infer<typeof ToolHistoryEntrySchema>;

const strategies = () => z.array(RetrievalStrategySchema);

/** The decision of `analyze_and_route`. */
export const RoutingPlanSchema = z.object({
  strategies: strategies().describe("The strategies of this round, the leading one first."),
  tried: strategies().describe("All strategies so far, including those of this round."),
  available: strategies().describe("All strategies that this run supports."),
  time_sensitive: z
    .boolean()
    .describe("The answer may change from day to day: poor evidence sends the run to the web."),
  reason: z.string(),
});

const flag = (meaning: string) => z.boolean().default(false).describe(meaning);
const words = (meaning: string) => z.string().default("").describe(meaning);
const lines = (meaning: string) => z.array(z.string()).default([]).describe(meaning);
const maybe = (meaning: string) => z.string().nullable().default(null).describe(meaning);

export const RunRecordSchema = z.object({
  id: words("LangGraph's id of the run, if it has one."),
  key: words("The key of the run in this process's memory."),
  context: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("The run's own settings, which hold after a pause."),
  caller: words("The id of the caller; empty without an identity."),
  first_step: z
    .number()
    .default(0)
    .describe("LangGraph's step at the first node, from which the steps left are counted."),
  purpose: z
    .enum(["first", "refine", "re_retrieve", "guard"])
    .default("first")
    .describe("Why the coming round happens."),
  hints: lines("What is missing, by the grader or the guard; for local searches only."),
  tool_needed: maybe("A tool that the grader asks for, to be called first."),
  wants_web: flag("The next round adds the web."),
  web_missed: flag("The grader called for the web, and there is none."),
  web_denied: flag("A person denied a web search, so this run asks for no other."),
  widen: flag("The last round found nothing new, so the next one adds an untried strategy."),
  rounds: z.array(GradedRoundSchema).default([]).describe("Each grading so far."),
  guard_retried: flag("The guard has sent the run back already."),
  retry: z
    .enum(["plan", "analyze_and_route"])
    .nullable()
    .default(null)
    .describe("Where the run goes back to after the guard."),
  unanswered: lines("Ids of the evidence in which the model found no answer."),
  withdrawn: lines("Claims that the guard withdrew from an earlier draft."),
  disagreement: maybe("How the two answers of the self-consistency check disagree."),
  message_id: words("The id of the answer's message, under which its tokens are streamed."),
  draft_streamed: flag("Deltas of the current draft were streamed."),
  drafted_by: z.enum(["model", "embedded"]).nullable().default(null),
  abstain_reason: maybe("Why the draft abstained."),
  window_form: z.enum(["relevant", "ambiguous", "irrelevant", "empty"]).default("empty"),
  window_text: words("The context window that the answer was written from."),
  round_started_at: z.number().default(0).describe("Milliseconds of the run before it."),
  error: maybe("The message of an error in a node."),
});
export type RunRecord = z.infer<typeof RunRecordSchema>;

export const NEW_RUN: RunRecord = RunRecordSchema.parse({});

/**
 * Returns the same key for the same tool and arguments, whatever the order of their keys, and
 * the capitals, spaces and last sign of a query.
 */
export function callKey(call: PlannedCall): string {
  const args = JSON.stringify(call.args, (key, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : key === "query" && typeof value === "string"
        ? withoutEnding(oneLine(value).toLowerCase())
        : value,
  );
  return `${call.tool} ${args}`;
}

/** Per round. */
const MAX_CALLS = 6;

/** Returns the calls that were not made before, each once, up to the limit of a round. */
export function newCalls(
  calls: readonly PlannedCall[],
  made: readonly PlannedCall[],
): PlannedCall[] {
  const seen = new Set(made.map(callKey));
  const fresh = new Map(calls.map((call) => [callKey(call), call]));
  return [...fresh].flatMap(([key, call]) => (seen.has(key) ? [] : [call])).slice(0, MAX_CALLS);
}
