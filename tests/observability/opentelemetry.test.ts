/** Spans for a process that has registered an SDK of OpenTelemetry. */
import { MemorySaver } from "@langchain/langgraph";
import { SpanStatusCode, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { startModelServer, type ModelServer } from "../support/model-server.js";
import { observedAgent } from "../support/observed-agent.js";
import { passage, scriptedBase } from "../support/scripted-base.js";

const exporter = new InMemorySpanExporter();
let model: ModelServer;

beforeAll(async () => {
  model = await startModelServer();
});
afterAll(async () => {
  trace.disable();
  await model.close();
});

const agentWith = (environment: Record<string, string> = {}) =>
  observedAgent({
    environment: {
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: "k",
      LLM_MODEL: "test-model",
      KB_AGENT_AUTO_APPROVE_MAX_ITEMS: "0",
      ...environment,
    },
    knowledgeBase: scriptedBase([[passage("dunmore", "Dunmore was founded in 1803.")]]),
  });
const question = "When was Dunmore founded?";

it("are made of the run, its nodes, searches and model calls, and hold no word of the answer", async () => {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  const { result } = await agentWith().ask(question);
  const spans = exporter.getFinishedSpans();
  const named = (name: string) => spans.find((span) => span.name === name);
  const parentOf = (name: string): string | undefined => {
    const id = named(name)?.parentSpanContext?.spanId;
    return spans.find((span) => span.spanContext().spanId === id)?.name;
  };
  const roots = spans.filter(({ parentSpanContext }) => parentSpanContext === undefined);
  expect(roots).toHaveLength(1);
  expect(roots[0]?.attributes["langchain.run_id"]).toBe(result.details?.run_id);
  for (const node of ["rewrite_question", "tools", "grade_evidence", "synthesize", "guard_answer"])
    expect(parentOf(node)).toBe(roots[0]?.name);
  expect(named("keyword_search")?.attributes["langchain.run_type"]).toBe("retriever");
  expect(parentOf("keyword_search")).toBe("tools");
  expect(named("grade")?.attributes).toMatchObject({
    "langchain.run_type": "llm",
    "gen_ai.usage.input_tokens": expect.any(Number),
    "gen_ai.usage.output_tokens": expect.any(Number),
  });
  expect(JSON.stringify(spans.map(({ attributes, events }) => [attributes, events]))).not.toContain(
    "Dunmore",
  );
});

it("tell that a call failed, without the keys in its message", async () => {
  exporter.reset();
  const away = {
    OPENAI_BASE_URL: "http://127.0.0.1:9",
    OPENAI_API_KEY: "sk-secret-abcdefgh12345678",
  };
  await agentWith(away).ask(question);
  const failed = exporter
    .getFinishedSpans()
    .filter(({ status }) => status.code === SpanStatusCode.ERROR);
  expect(failed.map(({ name }) => name)).toContain("grade");
  expect(JSON.stringify(failed.map(({ status }) => status))).not.toMatch(/sk-secret|\\n +at /);
});

it("of a run that waits for a person tell no failure, and not what the person is asked", async () => {
  exporter.reset();
  const { ask, agent } = observedAgent({
    environment: { SEARXNG_URL: "http://127.0.0.1:9" },
    settings: { webSearch: "ask" },
    knowledgeBase: scriptedBase([]),
    checkpointer: new MemorySaver(),
  });
  const { result } = await ask("When was the lighthouse of Quellin built?");
  expect(result.interrupts).toHaveLength(1);
  const spans = exporter.getFinishedSpans();
  expect(spans.map(({ name }) => name)).toContain("tools");
  expect(spans.filter(({ status }) => status.code === SpanStatusCode.ERROR)).toEqual([]);
  expect(JSON.stringify(spans.map(({ status, events }) => [status, events]))).not.toContain(
    "lighthouse",
  );
  await agent.close();
});

it("are not made where nobody has registered one", async () => {
  trace.disable();
  exporter.reset();
  await agentWith().ask(question);
  expect(exporter.getFinishedSpans()).toEqual([]);
});
