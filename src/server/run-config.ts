/** How a client's request becomes input and configuration of the graph. */
import { Command } from "@langchain/langgraph";
import type { Identity } from "./identity.js";
import type { RunRequest } from "./wire.js";

/** Whose run it is, and on which thread. */
export interface Place {
  readonly identity: Identity;
  readonly threadId: string;
  /** The thread lives no longer than its run. */
  readonly isTemporary: boolean;
  /** Of the request that started it. */
  readonly requestId: string;
}

export function inputOf({ command, input }: RunRequest): unknown {
  if (!command) return input ?? null;
  const { resume, update } = command;
  return new Command({ resume: resume ?? undefined, update: update ?? undefined });
}

/** Undefined values are left out, because LangGraph would take them for its defaults. */
export function configOf(
  request: RunRequest,
  { place, runId, signal }: { place: Place; runId: string; signal: AbortSignal },
) {
  const { config, context, checkpoint, checkpoint_id: checkpointId } = request;
  const from = checkpointId ?? checkpoint?.checkpoint_id ?? config?.configurable?.checkpoint_id;
  const limit = config?.recursion_limit;
  const { interrupt_before: interruptBefore, interrupt_after: interruptAfter } = request;
  return {
    modes: [request.stream_mode ?? "values"].flat(),
    subgraphs: request.stream_subgraphs ?? false,
    runId,
    signal,
    ...(request.durability && { durability: request.durability }),
    context: {
      ...config?.configurable?.settings,
      ...context,
      principal: place.identity.principal,
    },
    configurable: {
      run_id: runId,
      thread_id: place.threadId,
      ...(from && { checkpoint_id: from, checkpoint_ns: "" }),
    },
    tags: config?.tags ?? [],
    ...(limit && { recursionLimit: limit }),
    ...(interruptBefore && { interruptBefore }),
    ...(interruptAfter && { interruptAfter }),
  };
}
