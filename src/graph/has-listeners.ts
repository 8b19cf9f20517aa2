import type { RunnableConfig } from "@langchain/core/runnables";

/** Whether anybody is told what runs: a tracer, or a caller's callbacks. */
export function hasListeners({ callbacks }: Partial<RunnableConfig> = {}): boolean {
  if (callbacks === undefined) return false;
  return (Array.isArray(callbacks) ? callbacks : callbacks.handlers).length > 0;
}
