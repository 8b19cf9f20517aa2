/** The factory and its four ways of asking. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { MemorySaver } from "@langchain/langgraph";
import { afterEach, describe, expect, it } from "@jest/globals";
import { MODEL_PROVIDER_CONFIG } from "langchain/chat_models/universal";
import { passageBase } from "../../evals/live/passage-base.js";
import {
  createCorrectiveRag,
  type CorrectiveRag,
  type CorrectiveRagOptions,
  type RunnableCorrectiveRag,
  type Question,
} from "../../src/corrective-rag.js";
import { buildGraph } from "../../src/graph/graph.js";
import { PROFILES } from "../../src/grading/profiles.js";
import { PROVIDER_PACKAGES, providerOf } from "../../src/model/chat-model.js";
import type { RecordedEvent } from "../../src/observability/events.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { CorrectiveRagError } from "../../src/support/errors.js";
import { startModelServer } from "../support/model-server.js";
import { sureReader } from "../support/sure-reader.js";

const QUESTION = "How high is the tower of Dunmore?";
const knowledgeBase = passageBase([
  {
    path: "dunmore.md",
    title: "Dunmore",
    text: "The tower of Dunmore is 42 metres high. It was built in 1871.",
  },
]);

const open: CorrectiveRag[] = [];
function made(options: CorrectiveRagOptions = {}): RunnableCorrectiveRag {
  const settings = { auditLog: "off", ...options.settings };
  const reader = sureReader();
  const agent = createCorrectiveRag({ knowledgeBase, reader, ...options, settings });
  open.push(agent);
  return agent;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((agent) => agent.close()));
});

describe("createCorrectiveRag", () => {
  it("reads no environment unless it is passed in", () => {
    process.env["OPENAI_BASE_URL"] = "http://127.0.0.1:1/v1";
    try {
      expect(made().reasonerKind).toBe("embedded");
    } finally {
      delete process.env["OPENAI_BASE_URL"];
    }
    expect(made({ environment: { OPENAI_API_KEY: "k" } }).reasonerKind).toBe("model");
  });

  it("lets an option win over settings, and settings over the environment", () => {
    const environment = { CRAG_TOP_K: "3", CRAG_BUDGET_SECONDS: "9", CRAG_PROFILE: "signals" };
    const { settings } = made({
      profile: "holistic",
      budget: { tokens: 7 },
      settings: { topK: 4, profile: "adequacy" },
      environment,
    });
    expect(settings).toMatchObject({
      topK: 4,
      profile: "holistic",
      budget: { tokens: 7, seconds: 9 },
    });
  });

  it.each([
    [
      "environment",
      (url: string) => ({ environment: { OPENAI_API_KEY: "k1", OPENAI_BASE_URL: url } }),
    ],
    ["settings", (url: string) => ({ settings: { openaiApiKey: "k1", openaiBaseUrl: url } })],
  ])("reaches an openai: model with the key and the address of its %s", async (_, given) => {
    const server = await startModelServer();
    try {
      const agent = made({ model: "openai:m", ...given(server.baseUrl) });
      expect((await agent.ask(QUESTION)).outcome.causes).not.toContain("model_error");
      expect(server.requests[0]).toMatchObject({ model: "m", authorization: "Bearer k1" });
    } finally {
      await server.close();
    }
  });

  it("warns of a reader that does not run", async () => {
    const agent = made();
    const parts = { ...agent.parts, troubles: () => ["the encoder does not run"] };
    const graph = buildGraph({ parts });
    const { warnings } = await graph.invoke({ question: QUESTION });
    expect(warnings).toEqual(["the encoder does not run"]);
  });

  it("names a misspelled variable", () => {
    expect(made({ environment: { CRAG_TOPK: "3" } }).notices).toContain(
      "CRAG_TOPK is not a setting: did you mean CRAG_TOP_K?",
    );
  });

  it("judges by the caller's own profile and judge", async () => {
    const seen: string[] = [];
    const agent = made({
      profile: {
        ...PROFILES.three_action,
        name: "mine",
        judge: ({ question, evidence }) => {
          seen.push(question);
          return {
            judge: "mine",
            scores: Object.fromEntries(evidence.map(({ id }) => [id, 0.93])),
          };
        },
      },
    });
    const { details } = await agent.ask(QUESTION);
    expect(seen).toEqual([QUESTION]);
    expect(details?.evaluation).toMatchObject({ score: 0.93, label: "CORRECT" });
  });

  it("takes models with retries, fallbacks and settings bound to them", () => {
    const model = new FakeListChatModel({ responses: ["x"] });
    for (const wrapped of [
      model.withRetry({ stopAfterAttempt: 2 }),
      model.withFallbacks([model]),
      model.withConfig({ tags: ["t"] }),
    ])
      expect(made({ model: wrapped }).reasonerKind).toBe("model");
  });
});

describe("a model named with its provider", () => {
  it.each([
    ["openai:gpt-5-mini", { provider: "openai", model: "gpt-5-mini" }],
    ["bedrock:us.amazon.nova:1", { provider: "bedrock", model: "us.amazon.nova:1" }],
    ["llama3.1:8b", undefined],
    ["gpt-4o", undefined],
    ["openai:", undefined],
  ])("%s is %j", (name, parts) => {
    expect(providerOf(name)).toEqual(parts);
  });

  it("knows LangChain's providers and their packages", () => {
    expect(PROVIDER_PACKAGES).toEqual(
      Object.fromEntries(
        Object.entries(MODEL_PROVIDER_CONFIG).map(([name, each]) => [name, each.package]),
      ),
    );
  });

  it("needs no OpenAI key or endpoint", () => {
    expect(made({ model: "openai:gpt-5-mini" }).reasonerKind).toBe("model");
    expect(made({ environment: { LLM_MODEL: "openai:gpt-5-mini" } }).reasonerKind).toBe("model");
  });

  it("says which package to install, with an error code", () => {
    let error: unknown;
    try {
      made({ model: "groq:llama-4" });
    } catch (caught) {
      error = caught;
    }
    expect(CorrectiveRagError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      code: "package_missing",
      hint: "npm install @langchain/groq",
    });
  });
});

describe("asking", () => {
  it("answers by ask, invoke, batch and events alike", async () => {
    const agent = made();
    const [asked, invoked, [batched], streamed] = await Promise.all([
      agent.ask(QUESTION),
      agent.invoke({ question: QUESTION }),
      agent.batch([QUESTION, { messages: [{ role: "user", content: QUESTION }] }]),
      drained(agent.events(QUESTION)),
    ]);
    expect(asked.answer).toContain("42 metres");
    for (const each of [invoked, batched, streamed.result]) expect(each?.answer).toBe(asked.answer);
    expect(streamed.events.map(({ type }) => type)).toContain("answer_delta");
    expect(asked).not.toHaveProperty("threadId");
  });

  it("passes LangChain's configuration on: callbacks of the agent and of the run, tags, name", async () => {
    class Recorder extends BaseCallbackHandler {
      name = "recorder";
      runs: { name?: string; tags?: string[]; metadata?: Record<string, unknown> }[] = [];
      override handleChainStart(
        ...args: Parameters<NonNullable<BaseCallbackHandler["handleChainStart"]>>
      ) {
        const [, , , , tags, metadata, , name] = args;
        this.runs.push({ name, tags, metadata });
      }
    }
    const [always, once] = [new Recorder(), new Recorder()];
    const agent = made({ callbacks: [always] });
    const { details } = await agent.ask(QUESTION, {
      callbacks: [once],
      tags: ["mine"],
      metadata: { user: "anna" },
      runName: "docs",
      runId: "5a0f6d3e-59d6-4b1c-9a44-5e1f0c7b9a10",
    });
    for (const { runs } of [always, once]) {
      expect(runs[0]).toMatchObject({ name: "docs", tags: ["mine"], metadata: { user: "anna" } });
      expect(runs.filter(({ name }) => name === "docs")).toHaveLength(1);
    }
    expect(details?.run_id).toBe("5a0f6d3e-59d6-4b1c-9a44-5e1f0c7b9a10");
  });

  it("gives each run its own thread if there is a checkpointer, and returns its id", async () => {
    const agent = made({ checkpointer: new MemorySaver() });
    const { threadId, messages } = await agent.ask(QUESTION);
    expect(threadId).toEqual(expect.any(String));
    expect(messages).toHaveLength(2);
    const next = await agent.ask("When was it built?", { threadId });
    expect(next.threadId).toBe(threadId);
    expect(next.messages).toHaveLength(4);
    expect((await drained(agent.events(QUESTION))).result.threadId).not.toBe(threadId);
  });

  it("says that a threadId is of no use without a checkpointer", async () => {
    await expect(made().ask(QUESTION, { threadId: "t" })).rejects.toThrow(
      "a thread was named or resumed, but the agent has no checkpointer",
    );
  });

  it.each([null, 42, ["When?"], { question: 42 }])(
    "says of %j that it is no question, before anything is run",
    async (question) => {
      const ask = (given: unknown) => made().ask(given as Question);
      await expect(ask(question)).rejects.toMatchObject({ name: "UserError" });
    },
  );

  it("answers from the folder's new file when the old one was deleted", async () => {
    const folder = mkdtempSync(join(tmpdir(), "crag-replaced-"));
    const fill = async (text: string): Promise<void> => {
      rmSync(folder, { recursive: true });
      const store = await openSqliteKnowledgeBase({ directory: folder });
      const facts = { path: "tower.md", kind: "markdown", title: "Tower" } as const;
      const record = { ...facts, hash: text, bytes: text.length };
      await store.put([{ record, passages: [{ ...facts, id: text, text }] }]);
      await store.close();
    };
    const agent = made({ knowledgeBase: folder });
    for (const height of ["42", "57"]) {
      await fill(`The tower of Dunmore is ${height} metres high.`);
      expect((await agent.ask(QUESTION)).answer).toContain(`${height} metres`);
    }
    await agent.close();
    rmSync(folder, { recursive: true });
  });

  it("refuses to resume a thread on which no run is waiting", async () => {
    const agent = made({ checkpointer: new MemorySaver() });
    const { threadId } = await agent.ask(QUESTION);
    for (const thread of [threadId, "unknown"]) {
      const resumed = agent.ask({ resume: "yes" }, { threadId: thread });
      await expect(resumed).rejects.toThrow("no run is waiting on this thread");
    }
    await expect(made().ask({ resume: "yes" })).rejects.toThrow("the agent has no checkpointer");
  });

  it("stops the run when the consumer of its events leaves", async () => {
    const agent = made();
    for await (const event of agent.events(QUESTION)) if (event.type === "planned") break;
    expect((await agent.ask(QUESTION)).outcome.status).toBe("success");
  });
});

async function drained(stream: ReturnType<CorrectiveRag["events"]>) {
  const events: RecordedEvent[] = [];
  for (;;) {
    const step = await stream.next();
    if (step.done) return { events, result: step.value };
    events.push(step.value);
  }
}
