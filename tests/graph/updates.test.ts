import { MemorySaver } from "@langchain/langgraph";
import { expect, it } from "@jest/globals";
import { passageBase } from "../../evals/live/passage-base.js";
import { scriptedGraph } from "../support/scripted-parts.js";

const base = passageBase([
  {
    path: "dunmore.md",
    title: "Dunmore",
    text: "Dunmore was founded in 1803. The mayor is elected for five years.",
  },
]);

/** For each node that ran, the fields that it wrote. */
async function fieldsWritten(
  graph: ReturnType<typeof scriptedGraph>["graph"],
): Promise<Map<string, string[]>> {
  const fields = new Map<string, string[]>();
  const config = {
    configurable: { thread_id: "t" },
    context: {},
    streamMode: "updates" as const,
  };
  for await (const update of await graph.stream({ question: "When was Dunmore founded?" }, config))
    for (const [node, written] of Object.entries(update))
      fields.set(node, Object.keys(written ?? {}));
  return fields;
}

it("writes a warning and an outcome only if there is one", async () => {
  const fields = await fieldsWritten(
    scriptedGraph({ knowledgeBase: base, checkpointer: new MemorySaver() }).graph,
  );
  for (const node of ["analyze_and_route", "plan", "tools", "grade_evidence", "synthesize"]) {
    expect(fields.get(node)).toContain("usage");
    expect(fields.get(node)).not.toContain("warnings");
    expect(fields.get(node)).not.toContain("outcome");
  }
  expect(fields.get("guard_answer")).toContain("outcome");
});

it("empties what the last run of a thread left, and writes only new fields in the first run", async () => {
  const { graph } = scriptedGraph({ knowledgeBase: base, checkpointer: new MemorySaver() });
  const first = await fieldsWritten(graph);
  const second = await fieldsWritten(graph);
  expect(first.get("rewrite_question")).not.toContain("evaluation");
  expect(second.get("rewrite_question")).toEqual(
    expect.arrayContaining(["evaluation", "context", "answer", "details", "tool_history"]),
  );
});
