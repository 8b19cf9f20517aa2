/** What ends the loop of corrections although the thresholds would go on. */
import type { RetrievalStrategy } from "../state/run-record.js";
import type { GraderAction, OutcomeCause } from "../state/verdict.js";

export interface LoopState {
  /** Corrections made so far. */
  iteration: number;
  /** Corrections at most. */
  maxIterations: number;
  /** Whether this round brought an item that was not known before. */
  roundWasNew: boolean;
  /** Strategies that this run could still try, the web included. */
  untriedStrategies: readonly RetrievalStrategy[];
  /** Steps of the graph that the caller's recursion limit leaves. */
  stepsLeft: number;
  /**
   * A resource of the run's budget that is used up and without which another round makes no sense.
   */
  exhausted?: string;
}

export interface ForcedEnd {
  by: "max_iterations" | "step_limit" | "budget" | "nothing_new";
  cause: OutcomeCause;
  warning?: string;
}

/**
 * Steps that a correction needs until the run has ended: its own nodes, grading, synthesis and
 * guard.
 */
const STEPS_OF = { REFINE: 5, RE_RETRIEVE: 6 } as const satisfies Record<
  Exclude<GraderAction, "GENERATE">,
  number
>;

/** Whether the steps left suffice for a correction of this kind. */
export function enoughSteps(action: Exclude<GraderAction, "GENERATE">, stepsLeft: number): boolean {
  return stepsLeft >= STEPS_OF[action];
}

/** The first guard that forbids the correction; undefined when it may be made. Pure. */
export function forcedEnd(
  action: Exclude<GraderAction, "GENERATE">,
  state: LoopState,
): ForcedEnd | undefined {
  if (state.iteration >= state.maxIterations)
    return { by: "max_iterations", cause: "max_iterations" };
  if (!state.roundWasNew && state.untriedStrategies.length === 0)
    return { by: "nothing_new", cause: "nothing_new" };
  if (state.exhausted !== undefined) {
    return {
      by: "budget",
      cause: "budget_exhausted",
      warning: `no further round: the run's budget of ${state.exhausted} is used up`,
    };
  }
  if (!enoughSteps(action, state.stepsLeft)) {
    return {
      by: "step_limit",
      cause: "step_limit",
      warning: `no further round: the caller's recursion limit leaves ${state.stepsLeft} steps, a correction needs ${STEPS_OF[action]}`,
    };
  }
  return undefined;
}
