/** F7: a user's tool is called with arguments that the model filled in from the question, whatever its schema is. */
import { afterEach, describe, expect, it } from "@jest/globals";
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
  external: false,
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
  external: true,
};
const CLOCK: ToolDescription = {
  name: "clock",
  description: "The time now.",
  parameters: { type: "object", properties: {} },
  external: true,
};

const input = (more: Partial<PlanInput> = {}): PlanInput => ({
  question: "What will the weather be in New Delhi tomorrow?",
  standaloneQuestion: "What will the weather be in New Delhi tomorrow?",
  strategies: ["keyword"],
  purpose: "first",
  tools: [SEARCH, WEATHER, CLOCK],
  history: [],
  kept: [],
  hints: [],
  round: 0,
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
    const { calls } = await reasoner.plan(input(), scope());
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
    const { calls } = await reasoner.plan(
      input({ purpose: "refine", toolNeeded: "get_weather", hints, round: 1 }),
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
    const { calls } = await reasoner.plan(input(), scope());
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
