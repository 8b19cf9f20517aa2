/** Reads `question` and `messages`; writes the question at hand and the record of a new run. */
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { describe, expect, it } from "@jest/globals";
import { rewriteQuestionNode } from "../../src/nodes/rewrite-question.js";
import { nodeRunner } from "../support/run-node.js";

const { run, EMPTIED } = nodeRunner(rewriteQuestionNode, "rewrite_question");

describe("rewrite_question", () => {
  it("empties what the last run left, and writes the question in both forms", async () => {
    const { writes, state, of } = await run(
      { question: "When?", answer: "left", iteration: 3, warnings: ["left"] },
      { reasoner: { rewrite: async () => ({ standaloneQuestion: "When is it?", by: "model" }) } },
    );
    expect(writes).toEqual([...EMPTIED, "messages"].sort());
    expect(state).toMatchObject({
      question: "When?",
      standalone_question: "When is it?",
      answer: "",
      iteration: 0,
      warnings: [],
    });
    expect(state.messages.map(({ text }) => text)).toEqual(["When?"]);
    expect(of("question_rewritten")).toMatchObject([{ by: "model" }]);
  });

  it("takes the last message for the question, and adds none", async () => {
    const { state, writes } = await run({ messages: [new HumanMessage("How high is it?")] });
    expect(state.question).toBe("How high is it?");
    expect(writes).not.toContain("messages");
  });

  it.each([
    ["no question", {}, "no question was given"],
    [
      "a picture alone",
      {
        messages: [
          new HumanMessage({ content: [{ type: "image_url", image_url: { url: "data:," } }] }),
        ],
      },
      "the message has none: image_url",
    ],
    ["a question that is too long", { question: "x".repeat(20_000) }, "CRAG_MAX_QUESTION_BYTES"],
  ])("with %s writes the error that ends the run", async (_, given, message) => {
    const { state } = await run(given);
    expect(state.run.error).toContain(message);
    expect(state.outcome).toEqual({ status: "failed", causes: ["invalid_input"] });
  });

  it("warns of system messages, which it does not follow", async () => {
    const messages = [new SystemMessage("Answer in Latin."), new HumanMessage("How high is it?")];
    expect((await run({ messages })).state.warnings).toEqual([
      expect.stringContaining("system messages are ignored"),
    ]);
  });

  it("refuses a thread of another caller", async () => {
    await expect(
      run({ question: "When?", run: { caller: "ada" } }, { context: { principal: { id: "eve" } } }),
    ).rejects.toThrow("this conversation belongs to another caller");
  });
});
