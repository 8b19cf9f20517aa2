/** Runs the graph as a client asks for it, and names its events as LangGraph's API does. */
import { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { StreamEvent } from "@langchain/core/tracers/log_stream";
import { Command, type StateSnapshot } from "@langchain/langgraph";
import { z } from "zod";
import { isRecord } from "../support/json.js";
import type { Identity } from "./identity.js";
import type { RunRequest } from "./wire.js";

/** The graph, as far as the server uses it. */
export interface ServedGraph {
  stream(input: unknown, config: object): Promise<AsyncIterable<unknown>>;
  streamEvents(input: unknown, config: { version: "v2" }): AsyncIterable<StreamEvent>;
  getState(config: RunnableConfig): Promise<StateSnapshot>;
  getStateHistory(config: RunnableConfig, options: object): AsyncIterable<StateSnapshot>;
  updateState(config: RunnableConfig, values: unknown, node?: string): Promise<RunnableConfig>;
}

interface ApiEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Where a run comes from: whose it is, on which thread, by which request. */
export interface RunOrigin {
  readonly identity: Identity;
  readonly threadId: string;
  /** The thread lives no longer than its run. */
  readonly isTemporary: boolean;
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
  { origin, runId, signal }: { origin: RunOrigin; runId: string; signal: AbortSignal },
) {
  const { config, context, checkpoint, checkpoint_id: checkpointId } = request;
  const from = checkpointId ?? checkpoint?.checkpoint_id ?? config?.configurable?.checkpoint_id;
  const limit = config?.recursion_limit;
  const { interrupt_before: interruptBefore, interrupt_after: interruptAfter } = request;
  return {
    modes: request.stream_mode ?? ["values" as const],
    subgraphs: request.stream_subgraphs ?? false,
    runId,
    signal,
    ...(request.durability && { durability: request.durability }),
    context: {
      ...config?.configurable?.settings,
      ...context,
      principal: origin.identity.principal,
    },
    configurable: {
      run_id: runId,
      thread_id: origin.threadId,
      ...(from && { checkpoint_id: from, checkpoint_ns: "" }),
    },
    metadata: { request_id: origin.requestId },
    tags: config?.tags ?? [],
    ...(limit && { recursionLimit: limit }),
    ...(interruptBefore && { interruptBefore }),
    ...(interruptAfter && { interruptAfter }),
  };
}

/**
 * Yields the run's events in the modes that the client asked for.
 * @param config of LangGraph, with the run's id, thread, context and signal
 */
export async function* runStream(
  graph: ServedGraph,
  input: unknown,
  { modes, ...config }: ReturnType<typeof configOf>,
): AsyncGenerator<ApiEvent> {
  const streamMode = [...new Set(modes.map((mode) => mode.replace("-tuple", "")))];
  const whole = new Map<string, AIMessageChunk>();
  const all = { ...config, streamMode: streamMode.filter((mode) => mode !== "events") };
  const parts = modes.includes("events")
    ? withEvents(graph, input, all)
    : await graph.stream(input, all);
  for await (const item of parts) {
    const part = z.array(z.unknown()).parse(item);
    const [ns, mode, payload] = config.subgraphs ? part : [[], ...part];
    if (!streamMode.includes(String(mode))) continue;
    const suffix = Array.isArray(ns) && ns.length > 0 ? `|${ns.join("|")}` : "";
    if (mode !== "messages") yield { event: `${String(mode)}${suffix}`, data: forClients(payload) };
    else if (modes.includes("messages-tuple")) yield { event: `messages${suffix}`, data: payload };
    if (mode === "messages" && modes.includes("messages")) yield* growing(payload, whole);
  }
}

/** Yields what the graph streams, and LangChain's events of all that it calls. */
async function* withEvents(
  graph: ServedGraph,
  input: unknown,
  config: object & Pick<ReturnType<typeof configOf>, "runId" | "subgraphs">,
): AsyncGenerator {
  for await (const event of graph.streamEvents(input, { ...config, version: "v2" }))
    if (event.event === "on_chain_stream" && event.run_id === config.runId) yield event.data.chunk;
    else yield config.subgraphs ? [[], "events", event] : ["events", event];
}

/** LangGraph's older form of streamed messages: each event holds the text so far. */
function* growing(payload: unknown, whole: Map<string, AIMessageChunk>): Generator<ApiEvent> {
  const [message, metadata] = Array.isArray(payload) ? (payload as unknown[]) : [];
  if (!BaseMessage.isInstance(message) || message.id === undefined) return;
  if (!(message instanceof AIMessageChunk)) {
    yield { event: "messages/complete", data: [message] };
    return;
  }
  const before = whole.get(message.id);
  if (before === undefined)
    yield { event: "messages/metadata", data: { [message.id]: { metadata } } };
  const now = before?.concat(message) ?? message;
  whole.set(message.id, now);
  yield { event: "messages/partial", data: [now] };
}

/** Gives checkpoints in events their place, and leaves LangGraph's configuration out. */
function forClients(payload: unknown): unknown {
  if (!isRecord(payload)) return payload;
  if (isRecord(payload["payload"])) return { ...payload, payload: forClients(payload["payload"]) };
  const { config, parentConfig, ...rest } = payload;
  if (config === undefined) return payload;
  return {
    ...rest,
    checkpoint: checkpointOf(config),
    parent_checkpoint: checkpointOf(parentConfig),
  };
}

export function threadState(snapshot: StateSnapshot): object {
  return {
    values: z.unknown().parse(snapshot.values),
    next: snapshot.next,
    tasks: snapshot.tasks.map(({ id, name, path, error, interrupts, result }) => ({
      id,
      name,
      path,
      error: error === undefined ? null : reasonIn(error),
      interrupts,
      checkpoint: null,
      state: null,
      result: result ?? null,
    })),
    metadata: snapshot.metadata,
    created_at: snapshot.createdAt ?? null,
    checkpoint: checkpointOf(snapshot.config),
    parent_checkpoint: checkpointOf(snapshot.parentConfig),
  };
}

function reasonIn(error: unknown): string {
  return isRecord(error) && typeof error["message"] === "string" ? error["message"] : String(error);
}

function checkpointOf(config: unknown): object | null {
  const place: unknown = isRecord(config) ? config["configurable"] : undefined;
  if (!isRecord(place) || typeof place["checkpoint_id"] !== "string") return null;
  return {
    thread_id: place["thread_id"],
    checkpoint_id: place["checkpoint_id"],
    checkpoint_ns: place["checkpoint_ns"] ?? "",
    checkpoint_map: place["checkpoint_map"] ?? null,
  };
}

/** Writes JSON with messages as plain objects, as LangGraph's API does. */
export function apiJson(value: unknown): string {
  const plain = function (this: unknown, key: string, given: unknown): unknown {
    // `toJSON` has already replaced the message.
    const message: unknown = Reflect.get(Object(this), key);
    if (!BaseMessage.isInstance(message)) return given;
    const { type, data } = message.toDict();
    return { ...data, type };
  };
  return JSON.stringify(value, plain) ?? "null";
}
