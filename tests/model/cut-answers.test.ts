/** Answers that end before they are done, or never (13.13). */
import { afterEach, describe, expect, it } from "@jest/globals";
import { createModelSource } from "../../src/model/chat-model.js";
import { createEndpointFetch } from "../../src/model/endpoint.js";
import { createModelReasoner } from "../../src/model/model-reasoner.js";
import type { Reasoner } from "../../src/reasoning/reasoner.js";
import type { ChatEndpoint, ChatReply } from "../support/chat-endpoint.js";
import { startChatEndpoint } from "../support/chat-endpoint.js";
import { createTestScope } from "../support/test-scope.js";
import { answerInput, STAND_IN } from "./fixtures.js";

const ANSWER = "Paris is the capital of France [1].";
let endpoint: ChatEndpoint | undefined;
afterEach(() => endpoint?.close());

async function reasonerThatHears(reply: ChatReply): Promise<Reasoner> {
  endpoint = await startChatEndpoint(() => reply);
  return createModelReasoner({
    source: createModelSource({ baseUrl: endpoint.baseUrl, defaultModel: "m" }),
    embedded: STAND_IN,
    timeoutInMs: 300_000,
  });
}

describe.each([true, false])("an answer (streamed: %s)", (stream) => {
  it.each([
    ["content_filter", /cut short by the provider's content filter/],
    ["length", /cut short: it reached its token limit/],
  ])(
    "that ended with %s is reported as cut short, and kept up to its last sentence",
    async (finish, says) => {
      const reasoner = await reasonerThatHears({
        content: `${ANSWER} It has some two mil`,
        finish,
      });
      const scope = createTestScope();
      const draft = await reasoner.answer(answerInput({ stream }), scope);
      expect(draft).toMatchObject({ text: ANSWER, by: "model" });
      expect(scope.warnings.join()).toMatch(says);
    },
  );

  it("that is one huge delta is cut at the cap", async () => {
    const content = "Paris is the capital [1]. ".repeat(40_000);
    const reasoner = await reasonerThatHears({ content, pieceSize: 2_000_000 });
    const scope = createTestScope();
    const draft = await reasoner.answer(answerInput({ stream }), scope);
    expect(scope.warnings.join()).toMatch(/cut short/);
    expect(draft.text.length).toBeLessThanOrEqual(20_000);
    const shown = scope.of("answer_delta").map(({ text }) => text);
    expect(shown.join("").length).toBeLessThanOrEqual(20_000);
  });

  it.each([
    ["body", `: ${" ".repeat(10_000)}\n\n`.repeat(1_300), /sent more than 12 MB/],
    ["event", `: ${" ".repeat(10_000)}\n`.repeat(1_300), /sent more than 2 MB at once/],
    ["line", " ".repeat(13_000_000), /sent more than 2 MB at once/],
  ])("with too long a %s is not read to its end", async (_what, text, says) => {
    const reasoner = await reasonerThatHears({ raw: { type: "application/json", text } });
    const scope = createTestScope();
    expect(await reasoner.answer(answerInput({ stream }), scope)).toMatchObject({ by: "embedded" });
    expect(scope.warnings.join()).toMatch(says);
  });

  it("that is a web page is reported as one", async () => {
    const reasoner = await reasonerThatHears({
      raw: { type: "text/html; charset=utf-8", text: "<html>Please log in</html>" },
    });
    const scope = createTestScope();
    await reasoner.answer(answerInput({ stream }), scope);
    expect(scope.warnings.join()).toMatch(/sent a web page .* check the base URL/);
  });
});

it.each(["\n", "\r\n"])("counts events whose blank line %j comes apart", async (end) => {
  const event = `: ${" ".repeat(10_000)}${end}`;
  const pieces = Array.from({ length: 300 }, () => [event, end].map((text) => Buffer.from(text)));
  const send = createEndpointFetch({
    fetch: () => Promise.resolve(new Response(ReadableStream.from(pieces.flat()))),
  });
  const response = await send("http://model.test", { body: JSON.stringify({ stream: true }) });
  expect((await response.text()).length).toBeGreaterThan(3_000_000);
});

describe("a stream that never ends", () => {
  it("of text is ended at the cap, and reported as cut short", async () => {
    const reasoner = await reasonerThatHears({
      content: ANSWER,
      endless: [{ content: " More [1].".repeat(20) }],
    });
    const scope = createTestScope();
    const draft = await reasoner.answer(answerInput(), scope);
    expect(draft.by).toBe("model");
    expect(scope.warnings.join()).toMatch(/cut short/);
    expect(draft.text.length).toBeLessThanOrEqual(20_000);
  });

  it("of thinking and of nothing is ended after a number of bytes, and not asked again", async () => {
    const endless = [{}, { reasoning_content: "hm ".repeat(1_000) }];
    const reasoner = await reasonerThatHears({ endless });
    const scope = createTestScope({ budget: { seconds: 600 } });
    expect(await reasoner.answer(answerInput(), scope)).toMatchObject({ by: "embedded" });
    expect(scope.warnings.join()).toMatch(/sent more than 12 MB/);
    expect(endpoint?.requests).toHaveLength(1);
  });
});
