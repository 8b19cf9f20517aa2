/** What the next round does where the evidence is poor, and what ends the loop nevertheless. Pure. */
import type { RetrievalStrategy } from "../state/run-record.js";
import type { GraderAction, OutcomeCause } from "../state/verdict.js";
import type { Profile } from "./profiles.js";

export interface LoopState {
  /** Corrections made so far. */
  iteration: number;
  /** Corrections at most. */
  maxIterations: number;
  /** True when this round brought an item that was not known before. */
  roundWasNew: boolean;
  /** Strategies that this run could still try, the web included. */
  untriedStrategies: readonly RetrievalStrategy[];
  /** Steps of the graph that the caller's recursion limit leaves. */
  stepsLeft: number;
  /** A resource of the budget that is used up and that another round would need. */
  exhausted?: string;
}

export interface ForcedEnd {
  by: "max_iterations" | "step_limit" | "budget" | "nothing_new";
  cause: OutcomeCause;
  warning?: string;
}

/** Steps that a correction needs: its own nodes, grading, synthesis and guard. */
const STEPS_OF = { REFINE: 5, RE_RETRIEVE: 6 } as const satisfies Record<
  Exclude<GraderAction, "GENERATE">,
  number
>;

/** Tells whether the steps left suffice for a correction of this kind. */
export function enoughSteps(action: Exclude<GraderAction, "GENERATE">, stepsLeft: number): boolean {
  return stepsLeft >= STEPS_OF[action];
}

/** The first guard that forbids the correction; undefined when it may be made. Pure. */
export function forcedEnd(
  action: Exclude<GraderAction, "GENERATE">,
  { iteration, maxIterations, roundWasNew, untriedStrategies, exhausted, stepsLeft }: LoopState,
): ForcedEnd | undefined {
  if (iteration >= maxIterations) return { by: "max_iterations", cause: "max_iterations" };
  if (!roundWasNew && untriedStrategies.length === 0)
    return { by: "nothing_new", cause: "nothing_new" };
  if (exhausted !== undefined) {
    const warning = `no further round: the run's budget of ${exhausted} is used up`;
    return { by: "budget", cause: "budget_exhausted", warning };
  }
  if (enoughSteps(action, stepsLeft)) return undefined;
  const warning = `no further round: the caller's recursion limit leaves ${stepsLeft} steps, a correction needs ${STEPS_OF[action]}`;
  return { by: "step_limit", cause: "step_limit", warning };
}

interface Strategies {
  /** All that this run can serve, preferred first; the web only when there is a provider. */
  available: readonly RetrievalStrategy[];
  /** All that were given a round so far. */
  tried: readonly RetrievalStrategy[];
}

/**
 * Available and not tried yet. A hybrid search was a keyword and a vector search, and both of these
 * together were a hybrid one.
 */
export function untriedStrategies({ available, tried }: Strategies): RetrievalStrategy[] {
  const covered = new Set<RetrievalStrategy>(tried);
  if (covered.has("hybrid")) covered.add("keyword").add("vector");
  if (covered.has("keyword") && covered.has("vector")) covered.add("hybrid");
  return available.filter((strategy) => !covered.has(strategy));
}

/**
 * The strategies of the round that follows a RE_RETRIEVE, the leading one first. `web_first`
 * profiles go to the web at once; the others take the first untried strategy, with the web beside
 * it. When everything was tried the preferred one is taken again, for other queries; the novelty
 * guard ends the loop if these find nothing new either.
 */
export function nextStrategies({
  profile,
  available,
  tried,
}: Strategies & { profile: Pick<Profile, "reRetrieve"> }): RetrievalStrategy[] {
  const untried = untriedStrategies({ available, tried });
  const web = untried.filter((strategy) => strategy === "web");
  const local = untried.filter((strategy) => strategy !== "web");
  if (profile.reRetrieve === "web_first" && web.length > 0) return web;
  const next = [...local.slice(0, 1), ...web];
  return next.length > 0 ? next : available.slice(0, 1);
}
