import { describe, expect, it } from "@jest/globals";
import {
  getConfigTypeSchema,
  getInputTypeSchema,
  getOutputTypeSchema,
  getUpdateTypeSchema,
} from "@langchain/langgraph/zod/schema";
import { Overwrite } from "@langchain/langgraph";
import { AgentState, emptyRun } from "../../src/state/agent-state.js";
import { passage, scriptedBase } from "../support/scripted-base.js";
import { scriptedGraph } from "../support/scripted-parts.js";

const { graph } = scriptedGraph({
  knowledgeBase: scriptedBase([[passage("alpha")]]),
  reportsState: true,
});

/** What the API server asks for at `/assistants/{id}/schemas`. */
describe("what the graph reports", () => {
  it("is its state, with the messages marked for Studio's chat", () => {
    expect(getUpdateTypeSchema(graph)).toMatchObject({
      properties: {
        messages: { langgraph_type: "messages", type: "array" },
        context: { type: "array", items: { required: expect.arrayContaining(["id", "text"]) } },
        grader_action: expect.anything(),
      },
    });
  });

  it("is its input, output and context beside the state", () => {
    const keys = (schema: unknown): string[] => Object.keys(Object(Object(schema).properties));
    expect(keys(getInputTypeSchema(graph))).toEqual(["question", "messages"]);
    expect(keys(getOutputTypeSchema(graph))).toContain("details");
    expect(keys(getConfigTypeSchema(graph))).toContain("profile");
  });

  it("has nodes under their names", async () => {
    const drawn = (await graph.getGraphAsync()).drawMermaid();
    expect(drawn).toContain("rewrite_question(rewrite_question)");
    expect(drawn).not.toContain("Step");
  });
});

describe("the state", () => {
  it("is emptied whole for the next question, but for the conversation and a permission", () => {
    expect(Object.keys(emptyRun()).sort()).toEqual(
      Object.keys(AgentState.shape)
        .filter((key) => key !== "messages" && key !== "web_allowed")
        .sort(),
    );
  });

  it("is emptied as it begins, in spite of what a field gathers", () => {
    expect(emptyRun()).toMatchObject({
      question: null,
      mode: "search",
      citations: [],
      context: new Overwrite([]),
      outcome: new Overwrite({ status: "success", causes: [] }),
    });
  });

  it.each([
    ["a string", "What did the keeper count?"],
    ["a message", { role: "user", content: "What did the keeper count?" }],
    ["a list of tuples", [["user", "What did the keeper count?"] as [string, string]]],
  ])("takes messages given as %s", async (_form, messages) => {
    const { messages: conversation } = await graph.invoke({ messages });
    expect(conversation[0]?.text).toBe("What did the keeper count?");
    expect(conversation).toHaveLength(2);
  });
});
