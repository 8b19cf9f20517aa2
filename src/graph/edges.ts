/** Where a run goes after each node, by the state alone, and how many steps it then takes. */
import { END } from "@langchain/langgraph";
import type { CorrectionSteps } from "../grading/loop.js";
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

/** The part of a `StateGraph` that says where it goes. */
interface Wiring {
  readonly edges: ReadonlySet<readonly [from: string, to: string]>;
  readonly branches: Readonly<
    Record<string, Readonly<Record<string, { ends?: Readonly<Record<string, string>> }>>>
  >;
}

/**
 * Returns the steps from a node, which has just run, through a correction to the end of the run,
 * whatever nodes the graph has.
 * @example correctionSteps(stateGraph)("grade_evidence") // { REFINE: 5, RE_RETRIEVE: 6 }
 */
export function correctionSteps({ edges: plain, branches }: Wiring) {
  const edges = [
    ...plain,
    ...Object.entries(branches).flatMap(([from, each]) =>
      Object.values(each).flatMap(({ ends = {} }) =>
        Object.values(ends).map((to) => [from, to] as const),
      ),
    ),
  ];
  const toEnd = distance(edges, "plan", END);
  const toPlan = distance(edges, "analyze_and_route", "plan");
  return (node: string): CorrectionSteps => ({
    REFINE: distance(edges, node, "plan") - 1 + toEnd,
    RE_RETRIEVE: distance(edges, node, "analyze_and_route") - 1 + toPlan + toEnd,
  });
}

/** Returns the number of edges on the shortest way; Infinity if there is none. */
function distance(edges: readonly (readonly [string, string])[], from: string, to: string): number {
  const seen = new Set<string>();
  let nodes = [from];
  for (let length = 0; nodes.length > 0; length++) {
    if (nodes.includes(to) && length > 0) return length;
    for (const node of nodes) seen.add(node);
    nodes = edges
      .filter(([source, target]) => nodes.includes(source) && !seen.has(target))
      .map(([, target]) => target);
  }
  return Infinity;
}
