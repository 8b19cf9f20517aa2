/** F13: forms of output that are clear although they are not what was asked for. */
import { afterEach, describe, expect, it } from "@jest/globals";
import { createModelSource } from "../../src/model/chat-model.js";
import { createModelReasoner } from "../../src/model/model-reasoner.js";
import type { PlanInput, Reasoner } from "../../src/reasoning/reasoner.js";
import type { ChatEndpoint } from "../support/chat-endpoint.js";
import { startChatEndpoint } from "../support/chat-endpoint.js";
import { createTestScope, type TestScope } from "../support/test-scope.js";
import { answerInput, gradeInput, STAND_IN } from "./fixtures.js";

let endpoint: ChatEndpoint;
afterEach(() => endpoint.close());

async function reasonerThatHears(value: unknown): Promise<Reasoner> {
  const content = typeof value === "string" ? value : JSON.stringify(value);
  endpoint = await startChatEndpoint(() => ({ content }));
  return createModelReasoner({
    source: createModelSource({ baseUrl: endpoint.baseUrl, defaultModel: "m" }),
    embedded: STAND_IN,
  });
}

const thorough = (): TestScope => createTestScope({ settings: { quality: "thorough" } });

const PLAN: PlanInput = {
  question: "Why?",
  standaloneQuestion: "Why?",
  outgoingQuestion: "Why?",
  strategies: ["keyword"],
  purpose: "first",
  tools: [
    {
      name: "keyword_search",
      description: "Searches.",
      parameters: {
        type: "object",
        properties: { query: { type: "string" } },
        required: ["query"],
      },
      strategy: "keyword",
      origin: "documents",
    },
  ],
  history: [],
  kept: [],
  hints: [],
};

describe("a plan", () => {
  it.each([
    [
      "arguments as an object",
      { calls: [{ tool: "keyword_search", arguments_json: { query: "x" } }] },
    ],
    ["no reason", { calls: [{ tool: "keyword_search", arguments_json: '{"query": "x"}' }] }],
    [
      "half-mended arguments",
      { calls: [{ tool: "keyword_search", arguments_json: "{query: 'x'}" }] },
    ],
    [
      "one call in place of a list",
      { calls: { tool: "keyword_search", arguments_json: '{"query": "x"}' } },
    ],
    [
      "a bare list of calls",
      'Sure: [{"tool": "keyword_search", "arguments_json": {"query": "x"}}]',
    ],
  ])("with %s is understood", async (_what, value) => {
    const reasoner = await reasonerThatHears(value);
    const scope = thorough();
    const calls = await reasoner.plan(PLAN, scope);
    expect(calls).toContainEqual({ tool: "keyword_search", args: { query: "x" } });
    expect(scope.warnings).toEqual([]);
  });
});

describe("a verdict", () => {
  it.each([
    [{ relevance_score: "85%", relevance_label: "Relevant" }],
    [{ Relevance_Score: "0.85", label: "relevant", confidence: "high" }],
    ["{relevance_score: '0,85'}"],
    ['The verdict: {"verdict": {"score": "8.5/10", "label": "very relevant"}}'],
  ])("like %j is .85", async (value) => {
    const reasoner = await reasonerThatHears(value);
    const { set } = await reasoner.grade(gradeInput({ judge: "set" }), createTestScope());
    expect(set?.score).toBe(0.85);
  });

  it.each(["none", "null", "no", false, "", null])(
    "takes a needed tool of %j for none",
    async (needed) => {
      const reasoner = await reasonerThatHears({ score: 0.8, adequate: true, tool_needed: needed });
      const { set } = await reasoner.grade(gradeInput({ judge: "adequacy" }), createTestScope());
      expect(set).toEqual({ score: 0.8, hints: [], reasoning: "" });
    },
  );

  it("of adequacy is mended", async () => {
    const reasoner = await reasonerThatHears(
      "Here: {score: 80%, tool_needed: web_search, hints: ['the year', 'the price',]}",
    );
    const { set } = await reasoner.grade(gradeInput({ judge: "adequacy" }), createTestScope());
    expect(set).toMatchObject({
      score: 0.8,
      toolNeeded: "web_search",
      hints: ["the year", "the price"],
    });
  });

  it("without a score counts as .5, with a warning", async () => {
    const reasoner = await reasonerThatHears({ relevance_label: "relevant" });
    const scope = createTestScope();
    const { set } = await reasoner.grade(gradeInput({ judge: "set" }), scope);
    expect(set?.score).toBe(0.5);
    expect(scope.warnings.join()).toMatch(/could not be read/);
  });
});

describe("an endpoint", () => {
  const reasonerAt = async (reply: Parameters<typeof startChatEndpoint>[0]): Promise<Reasoner> => {
    endpoint = await startChatEndpoint(reply);
    return createModelReasoner({
      source: createModelSource({ baseUrl: endpoint.baseUrl, defaultModel: "m" }),
      embedded: STAND_IN,
    });
  };

  it("that does not stream is asked without, from then on at once (N15)", async () => {
    const refusal = { error: { message: "streaming is not supported" } };
    const reasoner = await reasonerAt(({ streamed }) =>
      streamed
        ? { status: 400, raw: { type: "application/json", text: JSON.stringify(refusal) } }
        : { content: "Paris [1]." },
    );
    const scope = createTestScope();
    for (let turn = 0; turn < 2; turn += 1)
      expect(await reasoner.answer(answerInput(), scope)).toMatchObject({
        text: "Paris [1].",
        by: "model",
        streamed: "Paris [1].",
      });
    expect(endpoint.requests.map(({ streamed }) => streamed)).toEqual([true, false, false]);
    expect(scope.warnings).toEqual([]);
  });

  it("whose first replies were empty is asked with a schema again (N18)", async () => {
    const reasoner = await reasonerAt((_request, nth) => ({
      content: nth < 2 ? "" : '{"scores": [0.9, 0.1, 0.1]}',
    }));
    await reasoner.grade(gradeInput(), createTestScope());
    const before = endpoint.requests.length;
    await reasoner.grade(gradeInput(), createTestScope());
    expect(endpoint.requests.slice(before).map(({ form }) => form)).toEqual(["json_schema"]);
  });
});
