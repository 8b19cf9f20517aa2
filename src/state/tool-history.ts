/** The calls that were planned, what became of them, and the strategies to which they belong. */
import { z } from "zod";
import { ScoreSchema } from "./evidence.js";

/** Ways to look for evidence. RE_RETRIEVE takes one that was not tried yet. */
export const RETRIEVAL_STRATEGIES = ["hybrid", "keyword", "vector", "files", "web"] as const;
export type RetrievalStrategy = (typeof RETRIEVAL_STRATEGIES)[number];

export const PlannedCallSchema = z.object({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
});
/** A call that the planner made; `args` are JSON. */
export type PlannedCall = z.infer<typeof PlannedCallSchema>;

export const ToolHistoryEntrySchema = PlannedCallSchema.extend({
  round: z.number().int().min(0),
  status: z.enum(["ok", "empty", "error", "timeout", "skipped"]),
  scores: z
    .array(z.array(ScoreSchema))
    .describe("As the tool gave them, one list per hit, best first."),
  evidence_ids: z.array(z.string()).describe("Ids of the evidence that it returned."),
  output: z.string().describe("The beginning of the output, for people; cut."),
  error: z.string().optional(),
  cached: z.boolean().optional().describe("True when the result came from the cache."),
  durationMs: z.number().min(0),
});
/** What became of one call. */
export type ToolHistoryEntry = z.infer<typeof ToolHistoryEntrySchema>;

/** A key that is equal for equal calls: same tool, same arguments, in whatever order their keys. */
export function callKey(call: PlannedCall): string {
  return `${call.tool} ${canonicalJson(call.args)}`;
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
