/** The budget of a run. Counting is exact; whoever is about to spend asks first. */
import type { BudgetLimits } from "../settings/run-settings.js";
import type { Usage } from "../state/details.js";

const RESOURCES: Record<keyof BudgetLimits, string> = {
  modelCalls: "model calls",
  tokens: "tokens",
  seconds: "seconds",
  webSearches: "web searches",
};

/** Thrown by `Budget.reserve` when the resource is used up; whoever catches it goes on without. */
export class BudgetExhaustedError extends Error {
  override readonly name = "BudgetExhaustedError";
  constructor(
    readonly resource: keyof BudgetLimits,
    readonly limit: number,
  ) {
    super(`the run's budget of ${limit} ${RESOURCES[resource]} is used up`);
  }
}

/** What can be reserved, and what it is called in the usage. */
const RESERVED = { modelCalls: "model_calls", webSearches: "web_searches" } as const;

/** One per node execution, so that the sum survives checkpoints. */
export type Budget = ReturnType<typeof createBudget>;

/**
 * @param limits what the run may spend
 * @param before what it spent before this node
 * @param startedAt when the run began, in ms since the epoch, pauses left out
 */
export function createBudget({
  limits,
  before,
  startedAt,
  now = Date.now,
}: {
  limits: BudgetLimits;
  before: Omit<Usage, "by_node" | "took_ms">;
  startedAt: number;
  now?: () => number;
}) {
  const spent = { model_calls: 0, input_tokens: 0, output_tokens: 0, web_searches: 0 };
  const sum = (of: keyof typeof spent): number => before[of] + spent[of];
  const used: Record<keyof BudgetLimits, () => number> = {
    modelCalls: () => sum("model_calls"),
    tokens: () => sum("input_tokens") + sum("output_tokens"),
    seconds: () => (now() - startedAt) / 1000,
    webSearches: () => sum("web_searches"),
  };
  /** True while one more of it can be had. Every reservation asks about time and tokens too. */
  const has = (resource: keyof BudgetLimits): boolean => used[resource]() < limits[resource];
  return {
    limits,
    /** Spent in this node's execution only. */
    spent,
    has,
    /** How many of it can still be had, time and tokens left aside. */
    left: (resource: keyof typeof RESERVED): number =>
      Math.max(0, limits[resource] - used[resource]()),
    /**
     * Takes one, at once, so that parallel callers cannot overdraw.
     * @throws BudgetExhaustedError
     */
    reserve(resource: keyof typeof RESERVED): void {
      const needed = resource === "modelCalls" ? (["tokens"] as const) : [];
      for (const each of [resource, ...needed, "seconds"] as const)
        if (!has(each)) throw new BudgetExhaustedError(each, limits[each]);
      spent[RESERVED[resource]] += 1;
    },
    addTokens(input: number, output: number): void {
      spent.input_tokens += input;
      spent.output_tokens += output;
    },
    /** Milliseconds that the run has worked so far. */
    elapsedInMs: (): number => Math.max(0, now() - startedAt),
    /** Milliseconds until the time budget ends; 0 when it has. */
    remainingInMs: (): number => Math.max(0, startedAt + limits.seconds * 1000 - now()),
  };
}
