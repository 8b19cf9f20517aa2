/** Shows each search to tracers such as LangSmith, as a retriever's run below its node. */
import { Document } from "@langchain/core/documents";
import { getCallbackManagerForConfig, type RunnableConfig } from "@langchain/core/runnables";
import type { Evidence } from "../state/evidence.js";

/** Reports a call as a run of type `retriever`, whose documents are the evidence that it found. */
export async function traceRetrieval<T extends { evidence: readonly Evidence[] }>(
  { name, args, config }: { name: string; args: Record<string, unknown>; config: RunnableConfig },
  run: () => Promise<T>,
): Promise<T> {
  const manager = await getCallbackManagerForConfig(config);
  if (manager === undefined || manager.handlers.length === 0) return run();
  const { query, ...others } = args;
  const isPlain = typeof query === "string" && Object.keys(others).length === 0;
  const retrieval = await manager.handleRetrieverStart(
    { lc: 1, type: "not_implemented", id: ["corrective-rag", "tools", name] },
    isPlain ? query : JSON.stringify(args),
    undefined,
    undefined,
    undefined,
    undefined,
    name,
  );
  try {
    const result = await run();
    await retrieval.handleRetrieverEnd(result.evidence.map(documentOf));
    return result;
  } catch (error) {
    await retrieval.handleRetrieverError(error);
    throw error;
  }
}

function documentOf({ id, text, title, source, scores, metadata }: Evidence): Document {
  return new Document({ id, pageContent: text, metadata: { ...metadata, title, source, scores } });
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
