import { expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { Annotation, END, getConfig, START, StateGraph } from "@langchain/langgraph";
import { step } from "../../src/graph/step.js";
import type { NodeConfig } from "../../src/nodes/node.js";

const State = Annotation.Root({ count: Annotation<number>() });

/** What each run of the node was handed, and what it found without being handed anything. */
const seen: { step: unknown; found: unknown }[] = [];

async function add({ count }: { count: number }, config: NodeConfig): Promise<{ count: number }> {
  seen.push({
    step: config.metadata?.["langgraph_step"],
    found: getConfig()?.metadata?.["langgraph_node"],
  });
  return { count: count + 1 };
}

const graph = new StateGraph(State)
  .addNode("add", step(add))
  .addEdge(START, "add")
  .addEdge("add", END)
  .compile();

class Listener extends BaseCallbackHandler {
  override name = "listener";
  readonly started: string[] = [];

  override handleChainStart(
    ...[, , , , , , , name]: Parameters<NonNullable<BaseCallbackHandler["handleChainStart"]>>
  ): void {
    this.started.push(name ?? "");
  }
}

it("hands the node the state and the config, and its update on", async () => {
  seen.length = 0;
  await expect(graph.invoke({ count: 1 })).resolves.toEqual({ count: 2 });
  expect(seen).toEqual([{ step: 1, found: undefined }]);
});

it("is a run under the node's name, and a context for what it calls, for whoever listens", async () => {
  seen.length = 0;
  const listener = new Listener();
  await graph.invoke({ count: 1 }, { callbacks: [listener] });
  expect(listener.started).toContain("add");
  expect(seen).toEqual([{ step: 1, found: "add" }]);
});
