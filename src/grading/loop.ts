/** What ends the loop, and which strategies a round after RE_RETRIEVE takes. Pure. */
import type { ForcedBy, GraderAction, RetrievalStrategy } from "../state/verdict.js";
import type { Profile } from "./profiles.js";

export interface LoopState {
  /** Corrections made so far. */
  iteration: number;
  maxIterations: number;
  /** True if this round found an item that was not known before. */
  roundWasNew: boolean;
  /** True if the last correction added nothing that answers better than what was there. */
  foundNothingBetter?: boolean;
  /** Including the web. */
  untriedStrategies: readonly RetrievalStrategy[];
  /** Steps of the graph that the caller's recursion limit leaves. */
  stepsLeft: number;
  correctionSteps: CorrectionSteps;
  /** A spent resource of the budget that another round would need. */
  exhausted?: string;
}

export interface ForcedEnd {
  by: ForcedBy;
  warning?: string;
}

/** Steps of the graph that a correction takes, up to the end of the run. */
export type CorrectionSteps = Readonly<Record<Exclude<GraderAction, "GENERATE">, number>>;

/** Returns the first reason to end the loop; undefined if the correction may be made. */
export function forcedEnd(
  action: Exclude<GraderAction, "GENERATE">,
  loop: LoopState,
): ForcedEnd | undefined {
  if (loop.iteration >= loop.maxIterations) return { by: "max_iterations" };
  if (loop.foundNothingBetter || (!loop.roundWasNew && loop.untriedStrategies.length === 0))
    return { by: "nothing_new" };
  const refused = "no further round";
  if (loop.exhausted !== undefined)
    return {
      by: "budget",
      warning: `${refused}: the run's budget of ${loop.exhausted} is used up`,
    };
  const needed = loop.correctionSteps[action];
  if (loop.stepsLeft >= needed) return undefined;
  const left = `the caller's recursion limit leaves ${loop.stepsLeft} steps`;
  return { by: "step_limit", warning: `${refused}: ${left}, a correction needs ${needed}` };
}

interface Strategies {
  /** The preferred one first; the web only with a provider. */
  available: readonly RetrievalStrategy[];
  tried: readonly RetrievalStrategy[];
}

/** Counts hybrid search as keyword and vector search, and both of these together as hybrid. */
export function untriedStrategies({ available, tried }: Strategies): RetrievalStrategy[] {
  const covered = new Set<RetrievalStrategy>(tried);
  if (covered.has("hybrid")) covered.add("keyword").add("vector");
  if (covered.has("keyword") && covered.has("vector")) covered.add("hybrid");
  return available.filter((strategy) => !covered.has(strategy));
}

/**
 * Returns the strategies after RE_RETRIEVE: the web alone in a `web_first` profile, otherwise the
 * first untried strategy and the web. When all were tried, the preferred one takes other queries.
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
