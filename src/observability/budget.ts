/** The budget of a run. Counting is exact; whoever is about to spend asks first. */

import type { BudgetLimits } from "../settings/run-settings.js";

type BudgetResource = keyof BudgetLimits;

/** Thrown by `Budget.reserve` when the resource is used up; whoever catches it goes on without. */
export class BudgetExhaustedError extends Error {
  override readonly name = "BudgetExhaustedError";
  constructor(
    readonly resource: BudgetResource,
    readonly limit: number,
  ) {
    super(`the run's budget of ${limit} ${describe[resource]} is used up`);
  }
}

const describe: Record<BudgetResource, string> = {
  modelCalls: "model calls",
  tokens: "tokens",
  seconds: "seconds",
  webSearches: "web searches",
};

interface Spent {
  modelCalls: number;
  inputTokens: number;
  outputTokens: number;
  webSearches: number;
}

/**
 * One per node execution: starts from what the run has spent before, so that the sum survives
 * checkpoints.
 */
export interface Budget {
  readonly limits: BudgetLimits;
  /** Spent in this node's execution only. */
  readonly spent: Readonly<Spent>;
  /** True while one more of it can be had. Time and tokens are asked about by every reservation. */
  has(resource: BudgetResource): boolean;
  /** How many of it can still be had, time and tokens left aside. */
  left(resource: "modelCalls" | "webSearches"): number;
  /**
   * Takes one model call or one web search, at once, so that parallel callers cannot overdraw.
   * Throws `BudgetExhaustedError`.
   */
  reserve(resource: "modelCalls" | "webSearches"): void;
  addTokens(input: number, output: number): void;
  /** Milliseconds that the run has worked so far. */
  elapsedInMs(): number;
  /** Milliseconds until the time budget ends; 0 when it has. */
  remainingInMs(): number;
}

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
  before: Spent;
  startedAt: number;
  now?: () => number;
}): Budget {
  const spent: Spent = { modelCalls: 0, inputTokens: 0, outputTokens: 0, webSearches: 0 };
  const remainingInMs = (): number => Math.max(0, startedAt + limits.seconds * 1000 - now());
  const has = (resource: BudgetResource): boolean => {
    switch (resource) {
      case "modelCalls":
        return before.modelCalls + spent.modelCalls < limits.modelCalls;
      case "webSearches":
        return before.webSearches + spent.webSearches < limits.webSearches;
      case "tokens":
        return (
          before.inputTokens + before.outputTokens + spent.inputTokens + spent.outputTokens <
          limits.tokens
        );
      case "seconds":
        return remainingInMs() > 0;
      default:
        return resource satisfies never;
    }
  };
  return {
    limits,
    spent,
    has,
    elapsedInMs: () => Math.max(0, now() - startedAt),
    remainingInMs,
    left: (resource) => Math.max(0, limits[resource] - before[resource] - spent[resource]),
    reserve(resource) {
      const tokens: BudgetResource[] = resource === "modelCalls" ? ["tokens"] : [];
      for (const each of [resource, ...tokens, "seconds"] as const)
        if (!has(each)) throw new BudgetExhaustedError(each, limits[each]);
      spent[resource] += 1;
    },
    addTokens(input, output) {
      spent.inputTokens += input;
      spent.outputTokens += output;
    },
  };
}
