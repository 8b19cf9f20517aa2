/** Sends what tracers still hold, so that a process that ends at once loses nothing of its last run. */
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
