/** Runs the graph, and names its events as LangGraph's API does. */
import { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { StateSnapshot } from "@langchain/langgraph";
import { z } from "zod";
import { isRecord } from "../support/is-record.js";

export const STREAM_MODES = [
  "values",
  "messages",
  "messages-tuple",
  "updates",
  "events",
  "tasks",
  "checkpoints",
  "debug",
  "custom",
  "tools",
] as const;
export type StreamMode = (typeof STREAM_MODES)[number];

/** The graph, as far as the server uses it. */
export interface ServedGraph {
  stream(input: unknown, config: object): Promise<AsyncIterable<unknown>>;
  streamEvents(input: unknown, config: object): AsyncIterable<unknown>;
  getState(config: RunnableConfig): Promise<StateSnapshot>;
  getStateHistory(config: RunnableConfig, options: object): AsyncIterable<StateSnapshot>;
  updateState(config: RunnableConfig, values: unknown, node?: string): Promise<RunnableConfig>;
}

interface ApiEvent {
  readonly event: string;
  readonly data: unknown;
}

/**
 * Yields the run's events in the modes that the client asked for.
 * @param config of LangGraph, with the run's id, thread, context and signal
 */
export async function* runStream(
  graph: ServedGraph,
  input: unknown,
  {
    modes,
    subgraphs,
    ...config
  }: RunnableConfig & { modes: readonly StreamMode[]; subgraphs: boolean; runId: string },
): AsyncGenerator<ApiEvent> {
  const wanted = new Set<string>(modes);
  const streamMode = [
    ...new Set(modes.filter((mode) => mode !== "events").map((mode) => mode.replace("-tuple", ""))),
  ];
  const options = { ...config, subgraphs, streamMode };
  const whole = new Map<string, AIMessageChunk>();
  for await (const part of parts(graph, input, options, wanted.has("events"))) {
    if (!Array.isArray(part)) {
      yield { event: "events", data: part };
      continue;
    }
    const tuple: unknown[] = part;
    const [ns, mode, payload] = subgraphs ? tuple : [[], ...tuple];
    const suffix = Array.isArray(ns) && ns.length > 0 ? `|${ns.join("|")}` : "";
    if (mode !== "messages") {
      yield { event: `${String(mode)}${suffix}`, data: forClients(payload) };
      continue;
    }
    if (wanted.has("messages-tuple")) yield { event: `messages${suffix}`, data: payload };
    if (wanted.has("messages")) yield* growing(payload, whole);
  }
}

/** Yields `[mode, payload]`, after a namespace with subgraphs, and LangChain's events as objects. */
async function* parts(
  graph: ServedGraph,
  input: unknown,
  options: RunnableConfig & { subgraphs: boolean; runId: string },
  withEvents: boolean,
): AsyncGenerator {
  if (!withEvents) {
    yield* await graph.stream(input, options);
    return;
  }
  for await (const event of graph.streamEvents(input, { ...options, version: "v2" })) {
    if (!isRecord(event)) continue;
    yield event;
    const { data } = event;
    if (event["event"] === "on_chain_stream" && event["run_id"] === options.runId && isRecord(data))
      if (Array.isArray(data["chunk"])) yield data["chunk"];
  }
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

/** Returns the state of a thread in the API's form. */
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
    // `toJSON` has already replaced the message that stands here.
    const message: unknown = Reflect.get(Object(this), key);
    if (!BaseMessage.isInstance(message)) return given;
    const { type, data } = message.toDict();
    return { ...data, type };
  };
  return JSON.stringify(value, plain) ?? "null";
}
