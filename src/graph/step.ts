/** A node as LangGraph runs it. */
import { Runnable } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { NodeConfig } from "../nodes/node.js";
import { hasListeners } from "./has-listeners.js";

/** What a node does with the state, and what it has changed. */
export type Work<State, Update> = (state: State, config: NodeConfig) => Promise<Update>;

/**
 * A node as a runnable. A bare function would be wrapped by LangGraph in one that copies the config twice and opens a context, for code that is
 * not handed the config to find it there. The nodes hand it on wherever they call, so a context is opened only where somebody listens (a
 * tracer, a caller's callbacks). It is not for nodes that run code of others without handing it the config.
 */
class Step<State, Update> extends Runnable<State, Update> {
  override lc_namespace = ["corrective_rag", "nodes"];

  constructor(private readonly work: Work<State, Update>) {
    super();
  }

  override async invoke(state: State, config: Partial<NodeConfig> = {}): Promise<Update> {
    if (!hasListeners(config)) return this.work(state, config);
    return AsyncLocalStorageProviderSingleton.runWithConfig(config, () => this.work(state, config));
  }
}

/** @example graph.addNode("plan", step(plan(parts))) */
export function step<State, Update>(work: Work<State, Update>): Runnable<State, Update> {
  return new Step(work);
}
