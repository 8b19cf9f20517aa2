/** Keeps two checkpoints a turn: one with the question, before the run, and one with its answer. */
import { isCommand, START } from "@langchain/langgraph";
import type { RunnableConfig } from "@langchain/core/runnables";
import { InputSchema } from "../state/agent-state.js";
import type { CorrectiveRagGraph } from "./graph.js";

type TurnConfig = RunnableConfig & { durability?: string };

/**
 * Makes runs on a thread leave what clients need to edit a question, to ask it again and to fork:
 * the conversation before and after each run. LangGraph's own default keeps every step,
 * which takes four times the space; without any step before the run nothing could be asked again.
 * A `durability` of the caller's wins.
 * @returns the same graph
 */
export function keepTurns(graph: CorrectiveRagGraph): CorrectiveRagGraph {
  const stream: unknown = Reflect.get(graph, "stream");
  if (typeof stream !== "function") throw new Error("the graph has no stream");
  const begin = async (input: unknown, config: TurnConfig = {}): Promise<[unknown, TurnConfig]> => {
    const { configurable = {}, durability } = config;
    const isRoot = typeof graph.checkpointer === "object" && !configurable["checkpoint_ns"];
    if (!isRoot || durability !== undefined || configurable["thread_id"] === undefined)
      return [input, config];
    const turn = { ...config, durability: "exit" };
    const asked = isCommand(input) ? undefined : InputSchema.safeParse(input).data;
    if (asked === undefined) return [input, turn];
    const thread = { configurable };
    const { createdAt } = await graph.getState(thread);
    // The first question can only be edited if something comes before it.
    if (createdAt === undefined) await graph.updateState(thread, { messages: [] }, START);
    await graph.updateState(thread, asked, START);
    // The run goes on from there, the newest checkpoint of the thread.
    const { checkpoint_id: _forked, ...rest } = configurable;
    return [null, { ...turn, configurable: rest }];
  };
  return Object.defineProperty(graph, "stream", {
    value: async (input: unknown, config?: TurnConfig): Promise<unknown> =>
      Reflect.apply(stream, graph, await begin(input, config)),
  });
}
