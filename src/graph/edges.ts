/** Where a run goes after each node: pure functions of the state. */
import { END } from "@langchain/langgraph";
import type { AgentStateType } from "../state/agent-state.js";

/** A run that cannot be routed, for lack of a question, ends through the guard, which says why. */
export function afterRewriting({
  run,
}: Pick<AgentStateType, "run">): "analyze_and_route" | "guard_answer" {
  return run.error === null ? "analyze_and_route" : "guard_answer";
}

/** Small talk needs no evidence. */
export function afterRouting({ mode }: Pick<AgentStateType, "mode">): "synthesize" | "plan" {
  return mode === "chat" ? "synthesize" : "plan";
}

/** Without a grade, the answer is written from what there is. */
export function afterGrading({
  grader_action: action,
}: Pick<AgentStateType, "grader_action">): "synthesize" | "plan" | "analyze_and_route" {
  switch (action) {
    case "REFINE":
      return "plan";
    case "RE_RETRIEVE":
      return "analyze_and_route";
    case "GENERATE":
    case null:
      return "synthesize";
    default:
      return action satisfies never;
  }
}

/** The guard sends back only below the limit of corrections, once for claims without support. */
export function afterGuard({
  run,
}: Pick<AgentStateType, "run">): "plan" | "analyze_and_route" | typeof END {
  return run.retry ?? END;
}

/** The decisions after a node; each returns the node that follows. */
export const EDGES = { afterRewriting, afterRouting, afterGrading, afterGuard };

/** The same as a caller gives them, who may look at the whole state. */
export type Edges = {
  readonly [K in keyof typeof EDGES]: (state: AgentStateType) => ReturnType<(typeof EDGES)[K]>;
};
