/** An edge that goes one way or another, as LangGraph runs it. */
import { Runnable, type RunnableConfig } from "@langchain/core/runnables";
import { hasListeners } from "./has-listeners.js";

/** Where the run goes next, from the state alone. */
export type Decision<State, Target extends string> = (state: State) => Target;

/**
 * A decision as a runnable. A bare function would be wrapped by LangGraph in one that opens a traced run of its own with a context of its
 * own, whether or not anybody is tracing; a decision reads a field of the state, so that opening the run would be most of its time. Where
 * somebody listens (a tracer, a caller's callbacks) it is a run like any other.
 */
class Edge<State, Target extends string> extends Runnable<State, Target> {
  override lc_namespace = ["corrective_rag", "edges"];

  constructor(private readonly decide: Decision<State, Target>) {
    super();
    this.name = decide.name;
  }

  override async invoke(state: State, config?: Partial<RunnableConfig>): Promise<Target> {
    if (!hasListeners(config)) return this.decide(state);
    return this._callWithConfig(async (input: State) => this.decide(input), state, config);
  }
}

/** @example graph.addConditionalEdges("guard_answer", edge(afterGuard), ["plan", END]) */
export function edge<State, Target extends string>(
  decide: Decision<State, Target>,
): Runnable<State, Target> {
  return new Edge(decide);
}
