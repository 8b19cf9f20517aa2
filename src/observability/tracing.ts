/** Shows each tool call to tracers such as LangSmith, as a run below its node. */
import { getCallbackManagerForConfig, type RunnableConfig } from "@langchain/core/runnables";

/** @param describe summarizes the result in a line */
export async function traceTool<T>(
  { name, args, config }: { name: string; args: Record<string, unknown>; config: RunnableConfig },
  run: () => Promise<T>,
  describe: (result: T) => string,
): Promise<T> {
  const manager = await getCallbackManagerForConfig(config);
  if (manager === undefined || manager.handlers.length === 0) return run();
  const serialized = {
    lc: 1 as const,
    type: "not_implemented" as const,
    id: ["corrective-rag", "tools", name],
  };
  const call = await manager.handleToolStart(
    serialized,
    JSON.stringify(args),
    undefined,
    undefined,
    undefined,
    undefined,
    name,
  );
  try {
    const result = await run();
    await call.handleToolEnd(describe(result));
    return result;
  } catch (error) {
    await call.handleToolError(error);
    throw error;
  }
}

/** Sends pending traces, so that a process may exit right after a run. */
export async function flushTraces(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<void> {
  const isTracing = ["LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2"].some(
    (name) => environment[name] === "true",
  );
  if (!isTracing) return;
  const { awaitAllCallbacks } = await import("@langchain/core/callbacks/promises");
  await awaitAllCallbacks();
}
