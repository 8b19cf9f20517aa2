/** Makes a tool call visible to callbacks and tracers (LangSmith among them), as a run of its own below the node that made it. */
import { getCallbackManagerForConfig, type RunnableConfig } from "@langchain/core/runnables";

export interface TracedCall {
  name: string;
  args: Record<string, unknown>;
  /** The node's: its callbacks are told. */
  config: RunnableConfig;
}

/**
 * Runs the call and tells what came of it. Nobody listening costs next to nothing.
 * @param describe the result in a line
 */
export async function traceTool<T>(
  { name, args, config }: TracedCall,
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
