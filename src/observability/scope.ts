/**
 * What a node passes to everything it calls. A scope lives for one execution of one node, and what
 * it collects becomes part of the node's update.
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
  /** Passed on to models and tools, so that callbacks, tracing and streaming reach them. */
  readonly config: RunnableConfig;
  /** Reports to the custom stream and the audit log. Never throws. */
  emit(event: AgentEvent): void;
  /** Adds a line to `warnings`, once per run, and emits it. */
  warn(message: string): void;
  /** Adds a cause to `outcome`. */
  cause(cause: OutcomeCause): void;
  /** Those of this node. */
  readonly warnings: string[];
  readonly causes: ReadonlySet<OutcomeCause>;
  /** Milliseconds since the epoch. */
  now(): number;
}
