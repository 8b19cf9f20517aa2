/** What is seen of an answer while it is written, through the compiled graph and a model endpoint that takes its time. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { passageBase } from "../../evals/live/passage-base.js";
import { PASSAGES } from "../../evals/live/questions.js";
import { createCorrectiveRag, type CorrectiveRag } from "../../src/corrective-rag.js";
import { createReader } from "../../src/reader/create-reader.js";
import type { RecordedEvent } from "../../src/observability/events.js";
import type { ContextValues } from "../../src/settings/context.js";
import { startModelServer, type ModelServer } from "../support/model-server.js";
import { sureReader } from "../support/sure-reader.js";

const QUESTION = "How high is Mount Ashen?";
const ANSWER =
  "Its highest point is Mount Ashen at 1,208 metres [1]. Velmora is an island of 412 square kilometres in the northern sea [1].";
const LIE = "Mount Ashen is 1,508 metres high [1].";

let server: ModelServer;
let agent: CorrectiveRag;
beforeAll(async () => {
  server = await startModelServer({ delayBetweenChunksInMs: 2 });
});
afterAll(() => server.close());
beforeEach(() => {
  server.reset();
  server.script("answer", ANSWER);
  agent = createCorrectiveRag({
    environment: {
      OPENAI_BASE_URL: server.baseUrl,
      LLM_MODEL: "test-model",
      WEB_SEARCH: "off",
      KB_AGENT_AUDIT_LOG_PATH: "off",
      CRAG_READER: "lexical",
      KB_AGENT_AUTO_APPROVE_MAX_ITEMS: "0",
    },
    knowledgeBase: passageBase(PASSAGES),
    checkpointer: false,
  });
});
afterEach(() => agent.close());

/** Text on the `messages` stream by message id, in the order in which the ids came. */
async function messagesOf(context: ContextValues = {}): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const stream = await agent.graph.stream(
    { question: QUESTION },
    { streamMode: "messages", context: context },
  );
  for await (const [message] of stream)
    texts.set(message.id ?? "", (texts.get(message.id ?? "") ?? "") + message.text);
  return texts;
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

describe("while the model writes", () => {
  it("the first sentence and its citation come before generation ends", async () => {
    const order: string[] = [];
    for await (const event of agent.events(QUESTION)) {
      if (event.type === "answer_delta" || event.type === "citation") order.push(event.type);
      if (event.type === "model_call" && event.task === "answer") order.push("written");
    }
    const written = order.indexOf("written");
    expect(order.indexOf("answer_delta")).toBe(0);
    expect(order.indexOf("citation")).toBe(1);
    expect(written).toBe(2);
  });

  it("the deltas add up to the answer, and each citation is sent once with its place", async () => {
    const events: RecordedEvent[] = [];
    for await (const event of agent.events(QUESTION)) events.push(event);
    expect(
      events.flatMap((event) => (event.type === "answer_delta" ? [event.text] : [])).join(""),
    ).toBe(ANSWER);
    const citations = events.filter((event) => event.type === "citation");
    expect(citations).toEqual([
      expect.objectContaining({
        marker: 1,
        source: "[SOURCE:geography.md:L1]",
        title: "Geography of Velmora",
      }),
    ]);
  });
});

describe("the messages stream", () => {
  it("carries the final answer's tokens and nothing of grading, rewriting, routing or a second opinion", async () => {
    expect([...(await messagesOf({ guard: "strict", quality: "balanced" })).values()]).toEqual([
      ANSWER,
    ]);
  });

  it("carries nothing of the second answer of a self-consistency check, nor of HyDE", async () => {
    server.script("answer", ({ body }) =>
      Number(body["temperature"] ?? 0) > 0.5 ? "It is 1,208 metres high, they say [1]." : ANSWER,
    );
    server.script("comparison", { agree: true, difference: null });
    expect([...(await messagesOf({ quality: "thorough" })).values()]).toEqual([ANSWER]);
  });

  it("keeps a draft that was thrown away apart from the answer by its id", async () => {
    let turn = 0;
    server.script("answer", () => (turn++ === 0 ? LIE : ANSWER));
    const texts = [...(await messagesOf({ guard: "strict" })).entries()];
    expect(texts.map(([, text]) => text)).toEqual([LIE, ANSWER]);
    expect(new Set(texts.map(([id]) => id)).size).toBe(2);
  });

  it("carries the quotes of embedded mode too", async () => {
    await agent.close();
    agent = createCorrectiveRag({
      environment: { KB_AGENT_AUDIT_LOG_PATH: "off", CRAG_READER: "lexical" },
      knowledgeBase: passageBase(PASSAGES),
      checkpointer: false,
    });
    const texts = [...(await messagesOf()).values()];
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain("1,208");
  });
});

it("the events of chat models are those of the answer, each token once", async () => {
  let text = "";
  const events = agent.graph.streamEvents({ question: QUESTION }, { version: "v2" });
  for await (const { event, data } of events)
    if (event === "on_chat_model_stream") text += String(data.chunk.text);
  expect(text).toBe(ANSWER);
});

it("replaces a draft that the guard failed to check by the error, under the same id", async () => {
  const lexical = createReader({ model: "lexical" });
  const broken = createCorrectiveRag({
    environment: {
      OPENAI_BASE_URL: server.baseUrl,
      LLM_MODEL: "test-model",
      WEB_SEARCH: "off",
      KB_AGENT_AUDIT_LOG_PATH: "off",
      KB_AGENT_AUTO_APPROVE_MAX_ITEMS: "0",
    },
    knowledgeBase: passageBase(PASSAGES),
    reader: { ...lexical, support: () => Promise.reject(new Error("support is ill")) },
    checkpointer: false,
  });
  const { messages, outcome } = await broken.graph.invoke({ question: QUESTION });
  expect(outcome).toMatchObject({ status: "failed" });
  expect(messages.map(({ text }) => text)).toEqual([
    QUESTION,
    "I could not answer: support is ill",
  ]);
  await broken.close();
});

describe("a consumer", () => {
  it("that reads slowly misses nothing and changes nothing", async () => {
    const deltas: string[] = [];
    const events = agent.events(QUESTION);
    let next = await events.next();
    for (; !next.done; next = await events.next()) {
      if (next.value.type === "answer_delta") deltas.push(next.value.text);
      await pause(5);
    }
    expect(deltas.join("")).toBe(ANSWER);
    expect(next.value).toMatchObject({ answer: ANSWER, outcome: { status: "success" } });
  });

  it.each(["agent", "graph"] as const)(
    "that goes away in the middle of the %s's stream harms nothing: the next question is answered",
    async (what) => {
      const unhandled: unknown[] = [];
      const note = (reason: unknown): void => void unhandled.push(reason);
      process.on("unhandledRejection", note);
      try {
        const stream: AsyncIterable<unknown> =
          what === "agent"
            ? agent.events(QUESTION)
            : await agent.graph.stream({ question: QUESTION }, { streamMode: "custom" });
        let seen = 0;
        for await (const event of stream) {
          if (JSON.stringify(event).includes("answer_delta") && ++seen === 1) break;
        }
        expect(seen).toBe(1);
        // What the first run still does must not touch the second.
        const { answer, outcome } = await agent.ask(QUESTION);
        expect({ answer, outcome }).toEqual({
          answer: ANSWER,
          outcome: { status: "success", causes: [] },
        });
        await pause(100);
        expect(unhandled).toEqual([]);
      } finally {
        process.off("unhandledRejection", note);
      }
    },
  );

  it("that listens to events by a callback which throws does not stop the run", async () => {
    await agent.close();
    agent = createCorrectiveRag({
      environment: { KB_AGENT_AUDIT_LOG_PATH: "off", CRAG_READER: "lexical" },
      knowledgeBase: passageBase(PASSAGES),
      reader: sureReader(),
      checkpointer: false,
      onEvent: () => {
        throw new Error("the listener is ill");
      },
    });
    const { answer, outcome } = await agent.ask(QUESTION);
    expect(outcome).toEqual({ status: "success", causes: [] });
    expect(answer).toContain("1,208");
  });
});
