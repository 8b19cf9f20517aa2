import { expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { edge } from "../../src/graph/edge.js";

const State = Annotation.Root({ count: Annotation<number>() });

function goOnBelowThree({ count }: { count: number }): "add" | typeof END {
  return count < 3 ? "add" : END;
}

const graph = new StateGraph(State)
  .addNode("add", ({ count }) => ({ count: count + 1 }))
  .addEdge(START, "add")
  .addConditionalEdges("add", edge(goOnBelowThree), ["add", END])
  .compile();

it("sees the state as the node left it, and goes where the decision says", async () => {
  await expect(graph.invoke({ count: 0 })).resolves.toEqual({ count: 3 });
});

/** Keeps what each run came to, by its name. */
class Listener extends BaseCallbackHandler {
  override name = "listener";
  readonly ended: { name: string; outputs: unknown }[] = [];
  private readonly names = new Map<string, string>();

  override handleChainStart(
    ...[, , runId, , , , , runName]: Parameters<
      NonNullable<BaseCallbackHandler["handleChainStart"]>
    >
  ): void {
    this.names.set(runId, runName ?? "");
  }

  override handleChainEnd(outputs: unknown, runId: string): void {
    this.ended.push({ name: this.names.get(runId) ?? "", outputs });
  }
}

it("is a run of its own, under the decision's name, for whoever listens", async () => {
  const listener = new Listener();
  await graph.invoke({ count: 1 }, { callbacks: [listener] });
  const decisions = listener.ended.filter(({ name }) => name === "goOnBelowThree");
  expect(decisions.map(({ outputs }) => outputs)).toEqual([{ output: "add" }, { output: END }]);
});

it("fails the run when the decision throws", async () => {
  const broken = new StateGraph(State)
    .addNode("add", () => ({}))
    .addEdge(START, "add")
    .addConditionalEdges(
      "add",
      edge((): typeof END => {
        throw new Error("no way on");
      }),
      [END],
    )
    .compile();
  await expect(broken.invoke({ count: 0 })).rejects.toThrow("no way on");
});
