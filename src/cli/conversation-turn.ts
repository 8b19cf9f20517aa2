/** One question put to the graph: its events as they come, and the result at the end. */
import type { AssembledAgent } from "../assembly.js";
import type { RecordedEvent } from "../observability/events.js";
import type { ContextValues } from "../settings/context.js";
import type { InputValues, OutputValues } from "../state/schemas.js";
import type { AskOptions } from "./options.js";

/** What the command line needs of the compiled graph. */
export type StreamingGraph = Pick<AssembledAgent["graph"], "stream">;

export type TurnResult = Pick<
  OutputValues,
  "answer" | "citations" | "sources" | "outcome" | "details"
> & { warnings: string[] };

/** Enough for every limit of corrections; the graph ends by itself long before. */
const RECURSION_LIMIT = 128;

/**
 * @param onEvent told each event as it happens
 * @throws the signal's reason when it fires
 */
export async function takeTurn({
  graph,
  input,
  context,
  signal,
  onEvent,
}: {
  graph: StreamingGraph;
  input: Partial<InputValues>;
  context: ContextValues;
  signal: AbortSignal;
  onEvent: (event: RecordedEvent) => void;
}): Promise<TurnResult> {
  let last: Record<string, unknown> = {};
  try {
    const parts = await graph.stream(input, {
      streamMode: ["custom", "values"],
      context: context,
      // LangGraph leaves a listener on the signal that it is given; a conversation has one signal for all its turns.
      signal: AbortSignal.any([signal]),
      recursionLimit: RECURSION_LIMIT,
    });
    for await (const part of parts) {
      if (!Array.isArray(part)) continue;
      const [mode, payload]: unknown[] = part;
      if (mode === "values" && isRecord(payload)) last = payload;
      else if (mode === "custom" && isEvent(payload)) onEvent(payload);
    }
  } catch (error) {
    // The stream reports a cancellation in words of its own; whoever cancelled knows better.
    signal.throwIfAborted();
    throw error;
  }
  signal.throwIfAborted();
  return resultOf(last);
}

/** The settings of a run that the options name; the environment answers for the rest. */
export function contextOf({
  profile,
  quality,
  web,
}: Pick<AskOptions, "profile" | "quality" | "web">): ContextValues {
  return {
    ...(profile && { profile }),
    ...(quality && { quality }),
    ...(web && { web_search: web }),
  };
}

function resultOf(values: Record<string, unknown>): TurnResult {
  if (!isOutput(values)) throw new Error("the graph ended without a result");
  return {
    ...values,
    warnings: Array.isArray(values["warnings"])
      ? values["warnings"].filter((warning) => typeof warning === "string")
      : [],
  };
}

/** The graph's output schema vouches for the inner shapes. */
function isOutput(
  values: Record<string, unknown>,
): values is Record<string, unknown> & Omit<TurnResult, "warnings"> {
  return (
    typeof values["answer"] === "string" &&
    Array.isArray(values["citations"]) &&
    Array.isArray(values["sources"]) &&
    isRecord(values["outcome"])
  );
}

function isEvent(value: unknown): value is RecordedEvent {
  return isRecord(value) && typeof value["type"] === "string";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object";
}
