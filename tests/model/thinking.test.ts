/** F4: models that think before they answer, in every way in which servers show it. */
import { afterEach, describe, expect, it } from "@jest/globals";
import { createAnswerFilter } from "../../src/model/answer-filter.js";
import { createModelSource } from "../../src/model/chat-model.js";
import { createModelReasoner } from "../../src/model/model-reasoner.js";
import type { Reasoner } from "../../src/reasoning/reasoner.js";
import type { ChatEndpoint, ChatReply, ChatRequest } from "../support/chat-endpoint.js";
import { startChatEndpoint } from "../support/chat-endpoint.js";
import { createTestScope } from "../support/test-scope.js";
import { answerInput, gradeInput, STAND_IN } from "./fixtures.js";

const ANSWER = "Paris is the capital of France [1].";
let endpoint: ChatEndpoint;
afterEach(() => endpoint.close());

async function reasonerAt(
  reply: (request: ChatRequest, nth: number) => ChatReply,
): Promise<Reasoner> {
  endpoint = await startChatEndpoint(reply);
  return createModelReasoner({
    source: createModelSource({ baseUrl: endpoint.baseUrl, defaultModel: "thinker" }),
    embedded: STAND_IN,
    timeoutInMs: 20_000,
  });
}

/** Thinks for 900 tokens, and answers only where the limit leaves room for that. */
const thinksAtLength = ({ limit = 0, task }: ChatRequest): ChatReply => {
  const reasoning = "Hm, let me see. ".repeat(225);
  if (limit < 1000) return { reasoning: reasoning.slice(0, limit * 4), finish: "length" };
  return { reasoning, content: task === "answer" ? ANSWER : '{"scores": [0.9, 0.1, 0.1]}' };
};

describe("a model that thinks longer than an answer may be", () => {
  it.each([true, false])("is asked once more, with more room (streamed: %s)", async (stream) => {
    const reasoner = await reasonerAt(thinksAtLength);
    const scope = createTestScope();
    const draft = await reasoner.answer(answerInput({ stream }), scope);
    expect(draft).toMatchObject({ text: ANSWER, by: "model" });
    expect(scope.warnings).toEqual([]);
    expect(endpoint.requests.map(({ limit }) => limit)).toEqual([500, 4500]);
    expect(scope.budget.spent.model_calls).toBe(2);
  });

  it("keeps the room, in other runs too", async () => {
    const reasoner = await reasonerAt(thinksAtLength);
    await reasoner.answer(answerInput(), createTestScope());
    await reasoner.answer(answerInput(), createTestScope());
    expect(endpoint.requests.map(({ limit }) => limit)).toEqual([500, 4500, 4500]);
  });

  it("has the room for its answer at once if it thought while grading", async () => {
    const reasoner = await reasonerAt(thinksAtLength);
    const scope = createTestScope();
    await reasoner.grade(gradeInput(), scope);
    expect(await reasoner.answer(answerInput(), scope)).toMatchObject({ text: ANSWER });
    expect(endpoint.requests.map(({ limit }) => limit)).toEqual([1500, 4500]);
  });

  it.each([true, false])(
    "is asked once more if only half a sentence was left for the answer (N12, streamed: %s)",
    async (stream) => {
      const reasoner = await reasonerAt(({ limit = 0 }) =>
        limit < 1000
          ? { content: "<think>Hm, let me see.</think>Paris is the", finish: "length" }
          : { content: `<think>Hm.</think>${ANSWER}` },
      );
      const scope = createTestScope();
      const draft = await reasoner.answer(answerInput({ stream }), scope);
      expect(draft).toMatchObject({ text: ANSWER, by: "model" });
      expect(scope.warnings).toEqual([]);
      expect(endpoint.requests.map(({ limit }) => limit)).toEqual([500, 4500]);
    },
  );

  it("that never ends is reported as having run out of tokens", async () => {
    const reasoner = await reasonerAt(() => ({ reasoning: "Hm. ", finish: "length" }));
    const scope = createTestScope();
    expect(await reasoner.answer(answerInput(), scope)).toMatchObject({ by: "embedded" });
    expect(scope.warnings.join()).toMatch(/ran out of tokens before its answer began/);
    expect(endpoint.requests).toHaveLength(2);
  });
});

describe("thinking", () => {
  it("in a field of its own is never shown", async () => {
    const reasoner = await reasonerAt(() => ({ reasoning: "Is it Lyon [2]?", content: ANSWER }));
    const scope = createTestScope();
    const draft = await reasoner.answer(answerInput(), scope);
    expect(draft.text).toBe(ANSWER);
    expect(shown(scope)).toBe(ANSWER);
  });

  it.each([1, 2, 5, 7, 1000])("in tags is never shown, in pieces of %d", async (pieceSize) => {
    const content = `<think>Is it Lyon [2]? a < b</think>\n\n${ANSWER} 3 < 4.`;
    const reasoner = await reasonerAt(() => ({ content, pieceSize }));
    const scope = createTestScope();
    expect((await reasoner.answer(answerInput(), scope)).text).toBe(`${ANSWER} 3 < 4.`);
    expect(shown(scope)).toBe(`${ANSWER} 3 < 4.`);
  });

  it.each(["<thought>", "[THINK]"])("in %s is never shown either", async (tag) => {
    const end = `${tag.charAt(0)}/${tag.slice(1)}`;
    const reasoner = await reasonerAt(() => ({ content: `${tag}Lyon [2]?${end}${ANSWER}` }));
    const scope = createTestScope();
    expect((await reasoner.answer(answerInput(), scope)).text).toBe(ANSWER);
    expect(shown(scope)).toBe(ANSWER);
  });

  it("is not a link or a word in brackets that has the name of a tag", async () => {
    const content = "See [Reasoning][1] and [Thinking] [1]. A [thought] is short [1].";
    const reasoner = await reasonerAt(() => ({ content, pieceSize: 3 }));
    const scope = createTestScope();
    expect((await reasoner.answer(answerInput(), scope)).text).toBe(content);
    expect(shown(scope)).toBe(content);
  });

  it("without a start tag is retracted, and the answer comes under another id", async () => {
    const content = `Lyon is a city. So it must be Paris.</think>${ANSWER}`;
    const reasoner = await reasonerAt(() => ({ content }));
    const scope = createTestScope();
    const draft = await reasoner.answer(answerInput(), scope);
    expect(draft).toMatchObject({ text: ANSWER, messageId: "message-2" });
    expect(scope.of("answer_retracted").map(({ id }) => id)).toEqual(["message"]);
    expect(shown(scope, "message-2")).toBe(ANSWER);
    expect(endpoint.requests).toHaveLength(1);
  });

  it("before a structured answer is ignored", async () => {
    const reasoner = await reasonerAt(() => ({
      content: '<think>[0.5, 0.5, 0.5]?</think>{"scores": [0.9, 0.2, 0.1]}',
    }));
    const { scores } = await reasoner.grade(gradeInput(), createTestScope());
    expect(scores).toEqual({ a: 0.9, b: 0.2, c: 0.1 });
  });

  it("of a megabyte is filtered in one pass", () => {
    const filter = createAnswerFilter();
    filter.push("<think>");
    for (let piece = 0; piece < 200_000; piece += 1) filter.push("hmm, ");
    filter.push("</think>Yes [1].");
    expect(filter.finish().text).toBe("Yes [1].");
  });
});

function shown(scope: ReturnType<typeof createTestScope>, id = "message"): string {
  return scope
    .of("answer_delta")
    .filter((each) => each.id === id)
    .map(({ text }) => text)
    .join("");
}

describe("a text with characters that nobody writes", () => {
  it.each([
    ["NUL", "30\u0000 metres"],
    ["a control of the terminal", "\u001b30 metres\u0007\u009b"],
    ["half a character", "\ud800 30 metres\udc00".replace(" ", "")],
    ["marks that turn the direction", "\u202e30 metres\u2066"],
    ["what could not be decoded", "30 \ufffd\ufffdmetres"],
  ])("%s: is shown and kept without them, in whatever pieces it comes", (_name, text) => {
    for (const size of [1, 2, 3, text.length]) {
      const filter = createAnswerFilter();
      let shown = "";
      for (let at = 0; at < text.length; at += size)
        shown += filter.push(text.slice(at, at + size));
      const { rest, text: all } = filter.finish();
      expect(shown + rest).toBe("30 metres");
      expect(all).toBe("30 metres");
    }
  });

  it("keeps characters of two halves that come apart, tabs and line breaks", () => {
    const text = "A\t𝒳 of\n👨‍👩‍👧 [1].";
    const filter = createAnswerFilter();
    let shown = "";
    for (let at = 0; at < text.length; at += 1) shown += filter.push(text.charAt(at));
    expect(shown + filter.finish().rest).toBe(text);
  });
});
