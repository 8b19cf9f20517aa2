import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { passageBase } from "../../evals/live/passage-base.js";
import { PASSAGES } from "../../evals/live/questions.js";
import { createCorrectiveRag } from "../../src/corrective-rag.js";
import type { CorrectiveRag } from "../../src/corrective-rag.js";
import type { Fault, ModelServer, Temperament } from "../support/model-server.js";
import { startModelServer } from "../support/model-server.js";
import { sureReader } from "../support/sure-reader.js";

// Whole runs of the agent, on machines that do other things besides.

const QUESTION = "How high is Mount Ashen?";
const ANSWER = "Its highest point is Mount Ashen at 1,208 metres [1].";

function agentAt(server: ModelServer, environment: Record<string, string> = {}): CorrectiveRag {
  return createCorrectiveRag({
    environment: {
      OPENAI_BASE_URL: server.baseUrl,
      OPENAI_API_KEY: "sk-secret-123456",
      LLM_MODEL: "test-model",
      KB_AGENT_AUDIT_LOG_PATH: "off",
      CRAG_READER: "lexical",
      WEB_SEARCH: "off",
      ...environment,
    },
    knowledgeBase: passageBase(PASSAGES),
    reader: sureReader(),
    checkpointer: false,
  });
}

describe.each<Temperament>(["json_schema", "plain", "careless"])(
  "the graph with an endpoint of temperament %s",
  (temperament) => {
    let server: ModelServer;
    let agent: CorrectiveRag;
    beforeAll(async () => {
      server = await startModelServer({ temperament });
      server.script("answer", ANSWER);
      agent = agentAt(server, { KB_AGENT_AUTO_APPROVE_MAX_ITEMS: "0" });
    });
    afterAll(async () => {
      await agent.close();
      await server.close();
    });

    it("answers by the model, cited and checked, with two calls that were answered", async () => {
      const result = await agent.ask(QUESTION);
      expect(result).toMatchObject({
        answer: ANSWER,
        outcome: { status: "success", causes: [] },
        warnings: [],
      });
      expect(result.citations).toEqual([
        expect.objectContaining({ marker: 1, status: "supported" }),
      ]);
      expect(
        server.requests.filter(({ outcome }) => outcome === "answered").map(({ task }) => task),
      ).toEqual(["relevance_scores", "answer"]);
    });
  },
);

const FAULTS: { fault: Fault; says: RegExp; slow?: boolean }[] = [
  { fault: { kind: "unauthorised" }, says: /refused the key/ },
  { fault: { kind: "unknown_model" }, says: /is not there \(404\)/ },
  { fault: { kind: "rate_limit", retryAfterInSeconds: 30 }, says: /rate-limited/ },
  { fault: { kind: "server_error" }, says: /status 500/ },
  { fault: { kind: "hang" }, says: /did not answer in time/, slow: true },
  { fault: { kind: "cut_stream", after: 10 }, says: /closed the connection|broke off/ },
  { fault: { kind: "nonsense" }, says: /could not be read/ },
  { fault: { kind: "empty" }, says: /empty answer|could not be read/ },
];

describe("the graph with an endpoint that fails", () => {
  let server: ModelServer;
  let agent: CorrectiveRag;
  beforeAll(async () => {
    server = await startModelServer();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.reset();
    agent = agentAt(server, {
      CRAG_MODEL_TIMEOUT_SECONDS: "0.5",
      KB_AGENT_AUTO_APPROVE_MAX_ITEMS: "0",
    });
  });
  afterEach(() => agent.close());

  it.each(FAULTS)(
    "ends $fault.kind in a quotation, with the cause in warnings and outcome",
    async ({ fault, says }) => {
      server.fail(fault);
      const result = await agent.ask(QUESTION);
      expect(result.warnings.join("\n")).toMatch(says);
      if (fault.kind === "nonsense") {
        // What it says is text, so only the guard can tell that it is not an answer.
        expect(result.answer).not.toContain("Well, that depends.");
        return;
      }
      expect(result.answer).toContain("1,208");
      expect(result.citations.map(({ quote }) => quote)).toContain(
        "Its highest point is Mount Ashen at 1,208 metres.",
      );
      expect(result.outcome).toMatchObject({
        status: "success",
        causes: expect.arrayContaining(["model_error"]),
      });
      expect(JSON.stringify(result)).not.toContain("secret");
    },
  );

  it("fails the run when the fallback is off", async () => {
    server.fail({ kind: "unauthorised" });
    const result = await agent.ask(QUESTION, { context: { model_fallback: "off" } });
    expect(result.outcome).toMatchObject({
      status: "failed",
      causes: expect.arrayContaining(["model_error"]),
    });
  });

  it("stops at once when the run is cancelled", async () => {
    server.fail({ kind: "hang" });
    const controller = new AbortController();
    const pending = agentAt(server).ask(QUESTION, { signal: controller.signal });
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const startedAt = Date.now();
    controller.abort();
    await pending.catch(() => undefined);
    expect(Date.now() - startedAt).toBeLessThan(30_000);
    expect(server.requests).toHaveLength(1);
  });
});

it("an answer from evidence lists no documents, of which there may be many", async () => {
  const server = await startModelServer({});
  server.script("answer", ANSWER);
  const documents = () => Promise.reject(new Error("too many"));
  const knowledgeBase = { ...passageBase(PASSAGES), documents };
  const settings = { openaiBaseUrl: server.baseUrl, auditLog: "off", reader: "lexical" } as const;
  const agent = createCorrectiveRag({ knowledgeBase, settings });
  expect((await agent.ask(QUESTION)).answer).toBe(ANSWER);
  await agent.close();
  await server.close();
});

describe("the messages stream", () => {
  it("carries the final answer's tokens under one id and nothing else of the model's, thinking included", async () => {
    const server = await startModelServer({ delayBetweenChunksInMs: 1 });
    const agent = agentAt(server, { KB_AGENT_AUTO_APPROVE_MAX_ITEMS: "0" });
    try {
      server.script("answer", `<think>Which mountain? [2]</think>${ANSWER}`);
      const pieces: { id: string | undefined; text: string }[] = [];
      const stream = await agent.graph.stream(
        { question: QUESTION },
        { streamMode: "messages", context: {} },
      );
      for await (const [message] of stream) pieces.push({ id: message.id, text: message.text });
      expect(pieces.map(({ text }) => text).join("")).toBe(ANSWER);
      expect(new Set(pieces.map(({ id }) => id)).size).toBe(1);
    } finally {
      await agent.close();
      await server.close();
    }
  });
});
