/** Runs one node by itself on a state that the test gives, and tells what it wrote. */
import { END, START, StateGraph } from "@langchain/langgraph";
import type { RecordedEvent } from "../../src/observability/events.js";
import type { NodeFunction } from "../../src/nodes/node.js";
import type { AgentParts } from "../../src/nodes/parts.js";
import type { ContextValues } from "../../src/settings/context.js";
import { AgentState, emptyRun, type AgentStateType } from "../../src/state/agent-state.js";
import { NEW_RUN, type RunRecord } from "../../src/state/run-record.js";
import type { WebResult, WebSearch } from "../../src/web/search-provider.js";
import { scriptedParts, type ScriptedPartsOptions } from "./scripted-parts.js";

/** Part of a state; the rest is as it is before a run. */
export type GivenState = Partial<Omit<AgentStateType, "run" | "usage">> & {
  run?: Partial<RunRecord>;
};

/** What a node did. */
interface NodeRun {
  /** The keys of its update, sorted, without those that `defineNode` adds to every update. */
  writes: string[];
  /** The state after the update. */
  state: AgentStateType;
  /** The events of one type. */
  of(type: RecordedEvent["type"]): RecordedEvent[];
}

const ADDED = ["usage", "warnings", "outcome"];

/**
 * Returns a function that runs one node by itself, in a graph that has no other.
 * @param make the node, such as `planNode`
 * @example const { run } = nodeRunner(planNode);
 */
export function nodeRunner(make: (parts: AgentParts) => NodeFunction, name = "node") {
  const run = async (
    given: GivenState,
    { context = {}, ...options }: ScriptedPartsOptions & { context?: ContextValues } = {},
  ): Promise<NodeRun> => {
    const { parts, events } = scriptedParts(options);
    const graph = new StateGraph({ state: AgentState })
      .addNode(name, make({ ...parts, correctionSteps: () => ({ REFINE: 5, RE_RETRIEVE: 6 }) }))
      .addEdge(START, name)
      .addEdge(name, END)
      .compile();
    const input = { ...given, run: { ...NEW_RUN, key: "run", ...given.run } };
    let writes: string[] = [];
    let state: unknown;
    const streamMode: ["updates", "values"] = ["updates", "values"];
    for await (const [mode, chunk] of await graph.stream(input, { streamMode, context }))
      if (mode === "values") state = chunk;
      else writes = Object.keys(Object(Reflect.get(chunk, name)) as object);
    return {
      writes: writes.filter((key) => !ADDED.includes(key)).sort(),
      state: state as AgentStateType,
      of: (type) => events.filter((event) => event.type === type),
    };
  };
  const EMPTIED = Object.keys(emptyRun()).filter((key) => !ADDED.includes(key));
  return { run, EMPTIED };
}

/** A web search that finds these results, whatever it is asked. */
export function scriptedWeb(results: readonly WebResult[]): WebSearch {
  return {
    providers: ["scripted"],
    search: async () => ({ results: [...results], attempts: [], cached: false }),
  };
}
