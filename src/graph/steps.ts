/** Counts the steps of a correction on a graph, whatever nodes it has. */
import { END } from "@langchain/langgraph";
import type { CorrectionSteps } from "../grading/loop.js";

/** The part of a `StateGraph` that says where it goes. */
interface Wiring {
  readonly edges: ReadonlySet<readonly [from: string, to: string]>;
  readonly branches: Readonly<
    Record<string, Readonly<Record<string, { ends?: Readonly<Record<string, string>> }>>>
  >;
}

/**
 * Returns the steps from a node, which has just run, through a correction to the end of the run.
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
    nodes = [
      ...new Set(
        edges
          .filter(([source, target]) => nodes.includes(source) && !seen.has(target))
          .map(([, target]) => target),
      ),
    ];
  }
  return Infinity;
}
