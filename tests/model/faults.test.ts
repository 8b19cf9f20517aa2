import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { createChatModel } from "../../src/model/chat-model.js";
import { ModelError } from "../../src/model/model-error.js";
import { createModelReasoner } from "../../src/model/model-reasoner.js";
import type { Reasoner } from "../../src/reasoning/reasoner.js";
import type { Fault, ModelServer } from "../support/model-server.js";
import { startModelServer } from "../support/model-server.js";
import { createTestScope } from "../support/test-scope.js";
import { answerInput, gradeInput, STAND_IN, fixedModels } from "./fixtures.js";

let server: ModelServer;
let reasoner: Reasoner;
const QUOTE = "Paris is the capital of France [1].";

async function reasonerWith({
  timeoutInMs = 2000,
  baseUrl = server.baseUrl,
  name = "test-model",
} = {}): Promise<Reasoner> {
  const model = await createChatModel({
    model: name,
    baseUrl,
    maxTokens: 500,
    apiKey: "sk-secret-1234567890",
  });
  return createModelReasoner({
    source: fixedModels({ answer: model, grade: model }),
    embedded: STAND_IN,
    timeoutInMs,
  });
}

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  server.reset();
  reasoner = await reasonerWith();
});

const FAULTS: { fault: Fault; says: RegExp; requests: number }[] = [
  { fault: { kind: "unauthorised" }, says: /refused the key \(401\)/, requests: 1 },
  { fault: { kind: "unknown_model" }, says: /is not there \(404\)/, requests: 1 },
  { fault: { kind: "rate_limit", retryAfterInSeconds: 60 }, says: /rate-limited/, requests: 1 },
  { fault: { kind: "rate_limit", retryAfterInSeconds: 0 }, says: /rate-limited/, requests: 3 },
  { fault: { kind: "server_error" }, says: /failed with status 500/, requests: 2 },
  { fault: { kind: "hang" }, says: /did not answer in time/, requests: 1 },
  { fault: { kind: "empty" }, says: /empty answer/, requests: 2 },
  { fault: { kind: "cut_stream", after: 20 }, says: /broke off/, requests: 3 },
];

describe.each(FAULTS)(
  "when the endpoint answers with $fault.kind for ever",
  ({ fault, says, requests }) => {
    it("answers from quotes instead, and says why", async () => {
      if (fault.kind === "hang") reasoner = await reasonerWith({ timeoutInMs: 200 });
      server.fail(fault);
      const scope = createTestScope();
      const draft = await reasoner.answer(answerInput(), scope);
      expect(draft).toMatchObject({ text: QUOTE, by: "embedded" });
      expect(scope.warnings.join("\n")).toMatch(says);
      expect(scope.causes).toContain("model_error");
      expect(server.requests).toHaveLength(requests);
      expect(scope.budget.spent.model_calls).toBe(requests);
      // Whatever the endpoint echoed, no part of the key gets out.
      expect(JSON.stringify([scope.events, scope.warnings])).not.toContain("secret");
    });

    it("ends the run with a ModelError when the fallback is off", async () => {
      if (fault.kind === "hang") reasoner = await reasonerWith({ timeoutInMs: 200 });
      server.fail(fault);
      const scope = createTestScope({ settings: { modelFallback: "off" } });
      await expect(reasoner.answer(answerInput(), scope)).rejects.toThrow(ModelError);
    });
  },
);

describe("a failing model", () => {
  it("is not asked again in a run after a hang, which leaves time for the answer", async () => {
    reasoner = await reasonerWith({ timeoutInMs: 200 });
    server.fail({ kind: "hang" });
    const scope = createTestScope();
    expect(await reasoner.grade(gradeInput(), scope)).toMatchObject({ judge: "embedded" });
    expect(await reasoner.answer(answerInput(), scope)).toMatchObject({ by: "embedded" });
    expect(server.requests).toHaveLength(1);
    server.reset();
    expect(await reasoner.answer(answerInput(), createTestScope())).toMatchObject({ by: "model" });
  });

  it("waits as Retry-After says and then succeeds, each attempt paid", async () => {
    server.fail({ kind: "rate_limit", retryAfterInSeconds: 0.2 }, { times: 1 });
    const scope = createTestScope();
    const startedAt = Date.now();
    expect(await reasoner.grade(gradeInput(), scope)).toMatchObject({ judge: "batch" });
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(195);
    expect(scope.budget.spent.model_calls).toBe(2);
    expect(scope.warnings).toEqual([]);
  });

  it("does not wait when the time budget would be gone by then", async () => {
    server.fail({ kind: "rate_limit", retryAfterInSeconds: 2 });
    const scope = createTestScope({ budget: { seconds: 3 } });
    expect(await reasoner.grade(gradeInput(), scope)).toMatchObject({ judge: "embedded" });
    expect(server.requests).toHaveLength(1);
  });

  it("is not blamed when the run's own seconds end its call", async () => {
    server.fail({ kind: "hang" });
    const scope = createTestScope({ budget: { seconds: 0.2 } });
    expect(await reasoner.grade(gradeInput(), scope)).toMatchObject({ judge: "embedded" });
    expect([...scope.causes]).toEqual(["budget_exhausted"]);
    expect(scope.warnings).toEqual([expect.stringContaining("budget of 0.2 seconds is used up")]);
  });

  it("that cannot be reached is replaced", async () => {
    const gone = await startModelServer();
    await gone.close();
    reasoner = await reasonerWith({ baseUrl: gone.baseUrl });
    const scope = createTestScope();
    expect(await reasoner.answer(answerInput(), scope)).toMatchObject({
      text: QUOTE,
      by: "embedded",
    });
    expect(scope.warnings.join()).toMatch(/could not be reached \(ECONNREFUSED\)/);
  });

  it.each([
    ["test-model", "max_tokens", "max_completion_tokens"],
    ["gpt-5-mini", "max_completion_tokens", "max_tokens"],
  ])("of %s that refuses %s gets %s, from then on at once", async (name, refused, other) => {
    reasoner = await reasonerWith({ name });
    server.fail({ kind: "refuse_parameter", name: refused });
    const scope = createTestScope();
    await reasoner.grade(gradeInput(), scope);
    const draft = await reasoner.answer(answerInput(), scope);
    expect(draft.by).toBe("model");
    const [first, ...later] = server.requests.map(({ outcome }) => outcome);
    expect(first).toBe("refuse_parameter");
    expect(new Set(later)).toEqual(new Set(["answered"]));
    expect(server.requests.at(-1)?.body).toHaveProperty(other, expect.any(Number));
    expect(server.requests.at(-1)?.body).not.toHaveProperty(refused);
  });
});

describe("grades that cannot be read", () => {
  it("count as 0.5 each, with grade_parse_failure and a warning", async () => {
    await reasoner.grade(gradeInput(), createTestScope());
    server.reset();
    server.fail({ kind: "nonsense" });
    const scope = createTestScope();
    expect(await reasoner.grade(gradeInput(), scope)).toEqual({
      judge: "batch",
      scores: { a: 0.5, b: 0.5, c: 0.5 },
    });
    expect(scope.of("grade_parse_failure")).toEqual([
      {
        type: "grade_parse_failure",
        judge: "batch",
        expected: 3,
        output: "Well, that depends.",
        failures: 1,
      },
    ]);
    expect(scope.warnings).toHaveLength(1);
    // It was a slip of a model that can, so nothing but the grading call was spent.
    expect(server.requests).toHaveLength(1);
  });

  it("hand grading to the embedded judge the second time in a run, even in another node", async () => {
    server.fail({ kind: "nonsense" });
    await reasoner.grade(gradeInput(), createTestScope({ runId: "two-failures" }));
    const scope = createTestScope({ runId: "two-failures" });
    expect(await reasoner.grade(gradeInput(), scope)).toMatchObject({
      judge: "embedded",
    });
    expect(scope.warnings.join()).toMatch(/the embedded judge takes over/);
    const before = server.requests.length;
    expect(
      await reasoner.grade(gradeInput(), createTestScope({ runId: "two-failures" })),
    ).toMatchObject({ judge: "embedded" });
    expect(server.requests).toHaveLength(before);
    expect(
      await reasoner.grade(gradeInput(), createTestScope({ runId: "another-run" })),
    ).toMatchObject({ judge: "batch" });
  });

  it("spend at most two calls on an unknown endpoint", async () => {
    server.fail({ kind: "nonsense" });
    await reasoner.grade(gradeInput(), createTestScope());
    expect(server.requests.map(({ form }) => form)).toEqual(["json_schema", "none"]);
  });
});

describe("a budget that is used up", () => {
  it("ends in the embedded result, with what was skipped", async () => {
    const scope = createTestScope({ budget: { modelCalls: 0 } });
    expect(await reasoner.answer(answerInput(), scope)).toMatchObject({
      by: "embedded",
      text: QUOTE,
    });
    expect(server.requests).toHaveLength(0);
    expect([...scope.causes]).toEqual(["budget_exhausted"]);
    expect(scope.of("budget_exhausted")).toEqual([
      {
        type: "budget_exhausted",
        resource: "modelCalls",
        limit: 0,
        skipped: "answering by the model",
      },
    ]);
  });

  it("leaves the last call for the answer", async () => {
    const scope = createTestScope({ budget: { modelCalls: 2 } });
    expect(await reasoner.grade(gradeInput(), scope)).toMatchObject({ judge: "batch" });
    expect(await reasoner.grade(gradeInput(), scope)).toMatchObject({ judge: "embedded" });
    expect(await reasoner.answer(answerInput(), scope)).toMatchObject({ by: "model" });
    expect(server.requests.map(({ task }) => task)).toEqual(["relevance_scores", "answer"]);
    expect(scope.warnings).toEqual([
      "The run's budget of 2 model calls is used up, but for the call that writes the answer: grading was done without the model.",
    ]);
  });

  it("is never overdrawn by parallel grading", async () => {
    const scope = createTestScope({ budget: { modelCalls: 4 } });
    server.fail({ kind: "server_error" }, { times: 2 });
    await reasoner.grade(gradeInput({ judge: "per_document" }), scope);
    expect(server.requests.length).toBeLessThanOrEqual(3);
    expect(scope.budget.has("modelCalls")).toBe(true);
  });
});

describe("a canceled run", () => {
  it("stops the request at the server at once and is not answered from quotes", async () => {
    server.fail({ kind: "hang" });
    const controller = new AbortController();
    const scope = createTestScope({ signal: controller.signal });
    const pending = reasoner.answer(answerInput(), scope);
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    await expect(pending).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.requests[0]?.abandoned).toBe(true);
    expect(scope.of("answer_delta")).toEqual([]);
  });
});

describe("a streamed answer", () => {
  it("that breaks off is retracted, and asked for again in one piece under another id", async () => {
    server.script("answer", "Paris is the capital of France [1]. It lies on the Seine [1].");
    server.fail({ kind: "cut_stream", after: 40 }, { times: 1 });
    const scope = createTestScope();
    const draft = await reasoner.answer(answerInput(), scope);
    expect(draft).toMatchObject({
      by: "model",
      text: "Paris is the capital of France [1]. It lies on the Seine [1].",
      messageId: "message-2",
    });
    expect(scope.of("answer_retracted")).toEqual([
      { type: "answer_retracted", id: "message", reason: expect.stringContaining("broke off") },
    ]);
    expect(server.requests.map(({ streamed }) => streamed)).toEqual([true, false]);
    const shown = scope.of("answer_delta").filter(({ id }) => id === "message-2");
    expect(shown.map(({ text }) => text).join("")).toBe(draft.text);
  });

  it("that ends without a finish reason counts as broken off", async () => {
    server.fail({ kind: "cut_stream", after: 20, politely: true }, { times: 1 });
    const scope = createTestScope();
    expect(await reasoner.answer(answerInput(), scope)).toMatchObject({ by: "model", text: QUOTE });
    // No whole sentence had been sent.
    expect(scope.of("answer_retracted")).toHaveLength(0);
  });

  it("that never stops is ended", async () => {
    server.script("answer", "Paris is the capital of France [1]. ".repeat(3_000));
    const patient = await reasonerWith({ timeoutInMs: 60_000 });
    const draft = await patient.answer(answerInput(), createTestScope());
    expect(draft.by).toBe("model");
    expect(draft.text.length).toBeLessThan(21_000);
    expect(draft.text).toMatch(/\[1\]\.?$/);
    expect(server.requests).toHaveLength(1);
  });

  it("hides the unanswerable line", async () => {
    server.script("answer", "UNANSWERABLE: The sources do not say who lives there.");
    const scope = createTestScope();
    const draft = await reasoner.answer(answerInput(), scope);
    expect(draft).toEqual({
      text: "",
      unanswerable: true,
      reason: "The sources do not say who lives there.",
      by: "model",
    });
    expect(scope.of("answer_delta")).toEqual([]);
  });

  it("hides the thinking before it", async () => {
    server.script("answer", "<think>Is it Paris [3]?</think>\nParis [1].");
    const scope = createTestScope();
    expect(await reasoner.answer(answerInput(), scope)).toMatchObject({ text: "Paris [1]." });
    expect(
      scope
        .of("answer_delta")
        .map(({ text }) => text)
        .join(""),
    ).toBe("Paris [1].");
    expect(scope.of("citation").map(({ marker }) => marker)).toEqual([1]);
  });

  it("announces each citation before the answer is complete", async () => {
    const slow = await startModelServer({ delayBetweenChunksInMs: 5 });
    try {
      slow.script("answer", `Paris [1]. ${"And so on. ".repeat(10)}Lyon [2].`);
      reasoner = await reasonerWith({ baseUrl: slow.baseUrl });
      const scope = createTestScope();
      await reasoner.answer(answerInput(), scope);
      const types = scope.events.map(({ type }) => type);
      expect(types.indexOf("citation")).toBeLessThan(types.lastIndexOf("answer_delta") - 5);
      expect(scope.of("citation").map(({ marker }) => marker)).toEqual([1, 2]);
    } finally {
      await slow.close();
    }
  });

  it("is not requested without evidence", async () => {
    const empty = { text: "", sources: [], form: "empty" as const, tokens: 0 };
    await reasoner.answer(answerInput({ window: empty, evidence: [] }), createTestScope());
    expect(server.requests).toHaveLength(0);
  });
});
