import { MemorySaver } from "@langchain/langgraph";
import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "@jest/globals";
import { passageBase } from "../../evals/live/passage-base.js";
import { createCorrectiveRag } from "../../src/corrective-rag.js";
import { scriptedGraph } from "../support/scripted-parts.js";
import { sureReader } from "../support/sure-reader.js";

const TOWNS = [
  "Ashford",
  "Birchwood",
  "Cedarville",
  "Dunmore",
  "Elmstead",
  "Fairview",
  "Glenrock",
  "Hartwell",
  "Ivydale",
  "Juniper Falls",
];
const base = passageBase(
  TOWNS.map((town, index) => ({
    path: `${town}.md`,
    title: town,
    text: `${town} was founded in ${1800 + index}. The mayor of ${town} is elected for ${index + 2} years.`,
  })),
);

describe("a thread", () => {
  it.each(["question", "messages"] as const)(
    "keeps ten questions sent as `%s` independent; only messages carry over",
    async (form) => {
      const { graph } = scriptedGraph({ knowledgeBase: base, checkpointer: new MemorySaver() });
      const config = { configurable: { thread_id: "t" } };
      for (const [index, town] of TOWNS.entries()) {
        const text = `When was ${town} founded?`;
        const result = await graph.invoke(
          form === "question" ? { question: text } : { messages: [new HumanMessage(text)] },
          config,
        );
        expect(result.answer).toContain(String(1800 + index));
        expect(result.messages).toHaveLength(2 * (index + 1));
        const { values } = await graph.getState(config);
        expect(values).toMatchObject({ question: text, iteration: result.details?.iterations });
        expect(
          values.tool_history.every(({ round }: { round: number }) => round <= values.iteration),
        ).toBe(true);
        expect(values.usage.by_node.rewrite_question.runs).toBe(1);
      }
    },
  );

  it("goes on at once after a stream that was left early", async () => {
    const checkpointer = new MemorySaver();
    const agent = createCorrectiveRag({
      knowledgeBase: base,
      checkpointer,
      reader: sureReader(),
      settings: { auditLog: "off" },
    });
    for await (const event of agent.events("When was Ashford founded?", { threadId: "t" }))
      if (event.type === "answer_delta") break;
    const next = await agent.ask("When was Dunmore founded?", { threadId: "t" });
    expect(next.answer).toContain("1803");
    expect(next.messages.map(({ type }) => type)).toEqual(["human", "human", "ai"]);
    await agent.close();
  });

  it("refuses a question longer than the limit, however it was sent", async () => {
    const { graph } = scriptedGraph({ knowledgeBase: base });
    for (const input of [
      { question: "x".repeat(16_385) },
      { messages: [new HumanMessage("é".repeat(8_193))] },
    ]) {
      const { outcome, answer } = await graph.invoke(input);
      expect(outcome).toEqual({ status: "failed", causes: ["invalid_input"] });
      expect(answer).toContain("longer than 16384 bytes (CRAG_MAX_QUESTION_BYTES)");
    }
  });

  it("ends with invalid_input when there is no question, and answers the next one", async () => {
    const { graph } = scriptedGraph({ knowledgeBase: base, checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "t" } };
    const empty = await graph.invoke({ messages: [] }, config);
    expect(empty.outcome).toEqual({ status: "failed", causes: ["invalid_input"] });
    expect(empty.answer).toMatch(/no question was given/);
    const next = await graph.invoke({ question: "When was Dunmore founded?" }, config);
    expect(next).toMatchObject({
      outcome: { status: "success" },
      answer: expect.stringContaining("1803"),
    });
  });

  it("takes older callers' settings from `configurable`", async () => {
    const { graph } = scriptedGraph({ knowledgeBase: base });
    const result = await graph.invoke(
      { question: "When was Dunmore founded?" },
      { configurable: { profile: "signals" } },
    );
    expect(result.details?.profile).toBe("signals");
  });
});
