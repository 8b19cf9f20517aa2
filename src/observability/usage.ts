/** What a run has cost so far, in total and by node. Numbers only ever grow within a run. */
export interface Usage {
  model_calls: number;
  input_tokens: number;
  output_tokens: number;
  web_searches: number;
  /** Milliseconds spent in nodes. */
  took_ms: number;
  by_node: Record<
    string,
    {
      runs: number;
      model_calls: number;
      input_tokens: number;
      output_tokens: number;
      web_searches: number;
      took_ms: number;
    }
  >;
}

export const NO_USAGE: Usage = {
  model_calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  web_searches: 0,
  took_ms: 0,
  by_node: {},
};

/** One node's share. */
export interface UsageDelta {
  node: string;
  runs: number;
  model_calls: number;
  input_tokens: number;
  output_tokens: number;
  web_searches: number;
  took_ms: number;
}

/** Adds one node's share to the totals; pure. */
export function addUsage(total: Usage, delta: UsageDelta): Usage {
  const before = total.by_node[delta.node];
  return {
    model_calls: total.model_calls + delta.model_calls,
    input_tokens: total.input_tokens + delta.input_tokens,
    output_tokens: total.output_tokens + delta.output_tokens,
    web_searches: total.web_searches + delta.web_searches,
    took_ms: total.took_ms + delta.took_ms,
    by_node: {
      ...total.by_node,
      [delta.node]: {
        runs: (before?.runs ?? 0) + delta.runs,
        model_calls: (before?.model_calls ?? 0) + delta.model_calls,
        input_tokens: (before?.input_tokens ?? 0) + delta.input_tokens,
        output_tokens: (before?.output_tokens ?? 0) + delta.output_tokens,
        web_searches: (before?.web_searches ?? 0) + delta.web_searches,
        took_ms: (before?.took_ms ?? 0) + delta.took_ms,
      },
    },
  };
}
