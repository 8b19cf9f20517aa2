/** F7: a user's tool is called with arguments that the model filled in from the question, whatever its schema is. */
import { afterEach, describe, expect, it } from "@jest/globals";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { passageBase } from "../../evals/live/passage-base.js";
import { PASSAGES } from "../../evals/live/questions.js";
import { createCorrectiveRag } from "../../src/corrective-rag.js";
import { createModelSource } from "../../src/model/chat-model.js";
import { createModelReasoner } from "../../src/model/model-reasoner.js";
import type { PlanInput, Reasoner, ToolDescription } from "../../src/reasoning/reasoner.js";
import type { ChatEndpoint } from "../support/chat-endpoint.js";
import { startChatEndpoint } from "../support/chat-endpoint.js";
import { createTestScope } from "../support/test-scope.js";
import { gradeInput, STAND_IN } from "./fixtures.js";

let endpoint: ChatEndpoint;
afterEach(() => endpoint.close());

async function reasonerThatHears(value: unknown): Promise<Reasoner> {
  endpoint = await startChatEndpoint(() => ({ content: JSON.stringify(value) }));
  return createModelReasoner({
    source: createModelSource({ baseUrl: endpoint.baseUrl, defaultModel: "m" }),
    embedded: STAND_IN,
  });
}

const SEARCH: ToolDescription = {
  name: "keyword_search",
  description: "Searches.",
  parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  strategy: "keyword",
  origin: "documents",
};
const WEATHER: ToolDescription = {
  name: "get_weather",
  description: "The weather in a city.",
  parameters: {
    type: "object",
    properties: {
      city: { type: "string" },
      days: { type: "integer" },
      unit: { type: "string", enum: ["celsius", "fahrenheit"] },
    },
    required: ["city", "days"],
  },
  origin: "user",
};
const CLOCK: ToolDescription = {
  name: "clock",
  description: "The time now.",
  parameters: { type: "object", properties: {} },
  origin: "user",
};

const input = (more: Partial<PlanInput> = {}): PlanInput => ({
  question: "What will the weather be in New Delhi tomorrow?",
  standaloneQuestion: "What will the weather be in New Delhi tomorrow?",
  outgoingQuestion: "What will the weather be in New Delhi tomorrow?",
  strategies: ["keyword"],
  purpose: "first",
  tools: [SEARCH, WEATHER, CLOCK],
  history: [],
  kept: [],
  hints: [],
  ...more,
});

describe.each(["quick", "balanced", "thorough"] as const)("in quality %s", (quality) => {
  const scope = () => createTestScope({ settings: { quality } });

  it("a tool of several parameters, and one of none, get what the model filled in", async () => {
    const reasoner = await reasonerThatHears({
      calls: [
        {
          tool: "get_weather",
          arguments_json: '{"city": "New Delhi", "days": "1", "unit": "Celsius"}',
        },
        { tool: "clock", arguments_json: "{}" },
      ],
      reason: "weather",
    });
    const calls = await reasoner.plan(input(), scope());
    expect(calls).toEqual([
      { tool: "keyword_search", args: { query: input().standaloneQuestion } },
      { tool: "get_weather", args: { city: "New Delhi", days: 1, unit: "celsius" } },
      { tool: "clock", args: {} },
    ]);
    expect(endpoint.requests).toHaveLength(1);
    expect(endpoint.requests[0]?.user).toContain('"required":["city","days"]');
  });

  it("the tool that the judge asked for is called first, and the model sees no word of any document", async () => {
    const reasoner = await reasonerThatHears({
      calls: [{ tool: "get_weather", arguments_json: { city: "New Delhi", days: 1 } }],
    });
    const hints = ["the launch code is 0000"];
    const calls = await reasoner.plan(
      input({ purpose: "refine", toolNeeded: "get_weather", hints }),
      scope(),
    );
    expect(calls[0]).toEqual({ tool: "get_weather", args: { city: "New Delhi", days: 1 } });
    expect(endpoint.requests[0]?.user).not.toContain("launch code");
    expect(endpoint.requests[0]?.user).not.toContain("clock");
  });

  it("a call that lacks a required argument is not made", async () => {
    const reasoner = await reasonerThatHears({
      calls: [{ tool: "get_weather", arguments_json: '{"unit": "celsius"}' }],
    });
    const calls = await reasoner.plan(input(), scope());
    expect(calls.map(({ tool }) => tool)).toEqual(["keyword_search"]);
  });
});

describe("the judge of adequacy", () => {
  it("is offered tools with what they do", async () => {
    const reasoner = await reasonerThatHears({
      score: 0.2,
      tool_needed: "get_weather",
      hints: ["weather in New Delhi"],
    });
    const { set } = await reasoner.grade(
      gradeInput({ judge: "adequacy", tools: [WEATHER] }),
      createTestScope(),
    );
    expect(endpoint.requests[0]?.system).toContain("- get_weather: The weather in a city.");
    expect(set).toMatchObject({ toolNeeded: "get_weather", hints: ["weather in New Delhi"] });
  });
});

describe("a run whose judge asks for a user's tool", () => {
  it("calls it once with the arguments that the model filled in, and answers from what it gave", async () => {
    const asked: unknown[] = [];
    const weather = tool(
      (input) => {
        asked.push(input);
        return "Tomorrow in Quellin: 31 degrees and haze.";
      },
      {
        name: "get_weather",
        description: "The weather in a city.",
        schema: z.object({ city: z.string(), days: z.number() }),
      },
    );
    endpoint = await startChatEndpoint(({ task, user, system }) => {
      const found = /<source id="(\d+)"[^>]*>\n[^<]*31 degrees/.exec(user)?.[1];
      switch (task) {
        case "tool_calls":
          return system.includes("Call get_weather")
            ? toolCalls([{ tool: "get_weather", arguments_json: '{"city":"Quellin","days":1}' }])
            : toolCalls([]);
        case "adequacy_verdict":
          return found === undefined
            ? { content: '{"score": 0.1, "tool_needed": "get_weather", "hints": ["get_weather"]}' }
            : { content: '{"score": 0.95, "tool_needed": null, "hints": []}' };
        default:
          return { content: `It will be 31 degrees with haze [${found ?? 1}].` };
      }
    });
    const agent = createCorrectiveRag({
      environment: { OPENAI_BASE_URL: endpoint.baseUrl, LLM_MODEL: "m" },
      settings: { reader: "lexical", profile: "adequacy", auditLog: "off", webSearch: "off" },
      knowledgeBase: passageBase(PASSAGES),
      tools: [weather],
      checkpointer: false,
    });
    try {
      const { answer, outcome, details } = await agent.ask(
        "What weather will the harbor town of Quellin have?",
      );
      expect(asked).toEqual([{ city: "Quellin", days: 1 }]);
      expect(answer).toContain("31 degrees");
      expect(outcome.status).toBe("success");
      const queries = details?.rounds.flatMap(({ calls }) => calls.map(({ args }) => args)) ?? [];
      expect(JSON.stringify(queries)).not.toContain("get_weather");
    } finally {
      await agent.close();
    }
  });
});

function toolCalls(calls: object[]): { content: string } {
  return { content: JSON.stringify({ calls, reason: "…" }) };
}
