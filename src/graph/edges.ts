/** Where a run goes after each node: pure functions of the state. */
import { END } from "@langchain/langgraph";
import type { AgentStateType } from "../state/agent-state.js";

/** Without a question there is nothing to route: the run ends through the guard, which says why. */
export function afterRewriting({
  run,
}: Pick<AgentStateType, "run">): "analyze_and_route" | "guard_answer" {
  return run.error === null ? "analyze_and_route" : "guard_answer";
}

/** Small talk needs no evidence. */
export function afterRouting({ mode }: Pick<AgentStateType, "mode">): "synthesize" | "plan" {
  return mode === "chat" ? "synthesize" : "plan";
}

/** Where the grader sends the run; without a grade it is answered from what there is. */
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

/**
 * The guard sends back at most once; `run.retry` is only ever set below the limit of corrections.
 */
export function afterGuard({ run }: Pick<AgentStateType, "run">): "plan" | typeof END {
  return run.retry ? "plan" : END;
}
