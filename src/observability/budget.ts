/** The budget of a run: model calls, tokens, seconds and web searches. */
import type { BudgetLimits } from "../settings/run-settings.js";
import type { Usage } from "../state/details.js";
import { CorrectiveRagError } from "../support/errors.js";

const RESOURCES: Record<keyof BudgetLimits, string> = {
  modelCalls: "model calls",
  tokens: "tokens",
  seconds: "seconds",
  webSearches: "web searches",
};

/** Thrown once a resource is used up; the caller goes on without it. */
export class BudgetExhaustedError extends CorrectiveRagError {
  override readonly name = "BudgetExhaustedError";
  constructor(
    readonly resource: keyof BudgetLimits,
    readonly limit: number,
  ) {
    super(`the run's budget of ${limit} ${RESOURCES[resource]} is used up`, {
      code: "budget_exhausted",
    });
  }
}

/** The resources that can be reserved, with their names in the usage. */
const RESERVED = { modelCalls: "model_calls", webSearches: "web_searches" } as const;

/** One per node execution, so that the sum survives checkpoints. */
export type Budget = ReturnType<typeof createBudget>;

/**
 * @param before spent before this node
 * @param startedAt start of the run by `now`, shifted by its pauses
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
  const has = (resource: keyof BudgetLimits): boolean => used[resource]() < limits[resource];
  return {
    limits,
    /** Spent in this node only. */
    spent,
    has,
    /** How many are left, regardless of time and tokens. */
    left: (resource: keyof typeof RESERVED): number =>
      Math.max(0, limits[resource] - used[resource]()),
    /**
     * Takes one at once, so that parallel callers cannot overdraw.
     * @throws BudgetExhaustedError also when time or tokens are used up
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
