import { describe, expect, it } from "@jest/globals";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { createCorrectiveRag } from "../../src/index.js";
import { passageBase } from "../../evals/live/passage-base.js";

describe("a user's tool that never answers", () => {
  it("holds a round no longer than CRAG_TOOL_TIMEOUT_SECONDS", async () => {
    const hanging = tool(() => new Promise<string>(() => undefined), {
      name: "salaries",
      description: "Looks up the salary of an employee",
      schema: z.object({ query: z.string() }),
    });
    const agent = createCorrectiveRag({
      environment: {
        KB_AGENT_AUDIT_LOG_PATH: "off",
        CRAG_TOOL_TIMEOUT_SECONDS: "0.05",
        CRAG_READER: "lexical",
      },
      knowledgeBase: passageBase([
        { path: "a.md", title: "A", text: "The canteen opens at noon." },
      ]),
      model: "embedded",
      tools: [hanging],
    });
    const errors: (string | undefined)[] = [];
    for await (const event of agent.events("What is the salary of the employee Xaver Quentin?"))
      if (event.type === "tool_call" && event.tool === "salaries") errors.push(event.error);
    expect(errors).toContain("no answer within 50 ms");
  });
});
