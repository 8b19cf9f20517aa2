/** What a run has cost so far, in total and by node. Numbers only ever grow within a run. */
import { z } from "zod";

const count = () => z.number().int().min(0);
const spent = {
  model_calls: count(),
  input_tokens: count(),
  output_tokens: count(),
  web_searches: count(),
  took_ms: z.number().min(0).describe("Milliseconds spent in nodes."),
};
const NodeUsageSchema = z.object({ runs: count(), ...spent });

export const UsageSchema = z.object({
  ...spent,
  by_node: z.record(z.string(), NodeUsageSchema),
});
export type Usage = z.infer<typeof UsageSchema>;

/** One node's share. */
export type UsageDelta = z.infer<typeof NodeUsageSchema> & { node: string };

export const NO_USAGE: Usage = {
  model_calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  web_searches: 0,
  took_ms: 0,
  by_node: {},
};

/** Adds one node's share to the totals; pure. */
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
