/**
 * What a node hands to everything it calls: the settings of this run, the signal, the budget, and
 * where to say what happened. One scope lives for one execution of one node; what it collected
 * becomes part of the node's update.
 */
import type { RunnableConfig } from "@langchain/core/runnables";
import type { RunSettings } from "../settings/run-settings.js";
import type { OutcomeCause } from "../state/verdict.js";
import type { Budget } from "./budget.js";
import type { AgentEvent } from "./events.js";

export interface Scope {
  readonly runId: string;
  readonly node: string;
  readonly settings: RunSettings;
  readonly signal: AbortSignal;
  readonly budget: Budget;
  /** To be passed on to models and tools, so that callbacks, tracing and streaming reach them. */
  readonly config: RunnableConfig;
  /** Says what happened on the custom stream and in the audit log. Never throws. */
  emit(event: AgentEvent): void;
  /** A line for `warnings`, said once per run; also emitted as an event. */
  warn(message: string): void;
  /** A cause for `outcome`. */
  cause(cause: OutcomeCause): void;
  /** What was said in this node. */
  readonly warnings: string[];
  readonly causes: ReadonlySet<OutcomeCause>;
  /** Milliseconds since the epoch; injected so that tests can stand still. */
  now(): number;
}
