/** Chat models with something wrapped around them (13.16), and the keys that they hold (13.10). */
import { afterEach, describe, expect, it } from "@jest/globals";
import { ChatOpenAI } from "@langchain/openai";
import { endpointOf, type ChatModel } from "../../src/model/endpoint.js";
import { createModelReasoner } from "../../src/model/model-reasoner.js";
import type { ChatEndpoint, ChatRequest, ChatReply } from "../support/chat-endpoint.js";
import { startChatEndpoint } from "../support/chat-endpoint.js";
import { createTestScope } from "../support/test-scope.js";
import { answerInput, gradeInput, STAND_IN, fixedModels } from "./fixtures.js";

const KEY = "my-very-own-key-4711";
let endpoint: ChatEndpoint;
afterEach(() => endpoint.close());

const reply = ({ task }: ChatRequest): ChatReply => ({
  content: task === "answer" ? "Paris [1]." : '{"scores": [0.9, 0.1, 0.1]}',
});

function chatOpenAI(model: string): ChatOpenAI {
  return new ChatOpenAI({
    model,
    apiKey: KEY,
    maxRetries: 0,
    configuration: { baseURL: endpoint.baseUrl },
  });
}

const WRAPPINGS: [string, () => ChatModel][] = [
  ["bare", () => chatOpenAI("m")],
  ["withRetry", () => chatOpenAI("m").withRetry({ stopAfterAttempt: 2 })],
  ["withConfig", () => chatOpenAI("m").withConfig({ tags: ["mine"] })],
  ["withFallbacks", () => chatOpenAI("m").withFallbacks([chatOpenAI("other")])],
  [
    "withConfig and withRetry",
    () =>
      chatOpenAI("m")
        .withConfig({ tags: ["mine"] })
        .withRetry(),
  ],
];

describe.each(WRAPPINGS)("a chat model, %s", (_name, make) => {
  it("grades and answers, streamed", async () => {
    endpoint = await startChatEndpoint(reply);
    const model = make();
    const reasoner = createModelReasoner({
      source: fixedModels({ answer: model, grade: model }),
      embedded: STAND_IN,
    });
    const scope = createTestScope();
    expect((await reasoner.grade(gradeInput(), scope)).scores).toMatchObject({ a: 0.9 });
    expect(await reasoner.answer(answerInput(), scope)).toMatchObject({ text: "Paris [1]." });
    expect(scope.warnings).toEqual([]);
    expect(endpointOf(model).label).toBe(`m at ${endpoint.baseUrl}`);
  });

  it("does not give its key away when the endpoint repeats it", async () => {
    endpoint = await startChatEndpoint(() => ({
      status: 418,
      content: `I will not brew with ${KEY} nor sk-abcdefghijklmn`,
    }));
    const model = make();
    const reasoner = createModelReasoner({
      source: fixedModels({ answer: model, grade: model }),
      embedded: STAND_IN,
    });
    const scope = createTestScope();
    await reasoner.answer(answerInput(), scope);
    expect(scope.warnings).toHaveLength(1);
    expect(JSON.stringify([scope.events, scope.warnings])).not.toMatch(/4711|abcdefgh/);
  });
});

describe("a chat model whose first choice fails", () => {
  it("answers by its fallback", async () => {
    endpoint = await startChatEndpoint((request) =>
      request.body["model"] === "m" ? { status: 503 } : reply(request),
    );
    const model = chatOpenAI("m").withFallbacks([chatOpenAI("other")]);
    const reasoner = createModelReasoner({
      source: fixedModels({ answer: model, grade: model }),
      embedded: STAND_IN,
    });
    const scope = createTestScope();
    expect(await reasoner.answer(answerInput({ stream: false }), scope)).toMatchObject({
      by: "model",
    });
  });
});
