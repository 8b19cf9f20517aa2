import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { createChatModel } from "../../src/model/chat-model.js";
import { createModelReasoner } from "../../src/model/model-reasoner.js";
import type { Reasoner } from "../../src/reasoning/reasoner.js";
import type { ModelServer, Temperament } from "../support/model-server.js";
import { startModelServer } from "../support/model-server.js";
import { createTestScope } from "../support/test-scope.js";
import { answerInput, gradeInput, FRANCE, STAND_IN, fixedModels } from "./fixtures.js";

const TEMPERAMENTS: { temperament: Temperament; forms: string[] }[] = [
  { temperament: "json_schema", forms: ["json_schema"] },
  { temperament: "plain", forms: ["json_schema", "none"] },
  { temperament: "careless", forms: ["json_schema"] },
];

describe.each(TEMPERAMENTS)(
  "a model behind an endpoint of temperament $temperament",
  ({ temperament, forms }) => {
    let server: ModelServer;
    let reasoner: Reasoner;
    beforeAll(async () => {
      server = await startModelServer({ temperament });
    });
    afterAll(() => server.close());
    beforeEach(async () => {
      server.reset();
      const model = await createChatModel({
        model: "test-model",
        baseUrl: server.baseUrl,
        maxTokens: 500,
      });
      reasoner = createModelReasoner({
        source: fixedModels({ answer: model, grade: model }),
        embedded: STAND_IN,
        timeoutInMs: 5000,
      });
    });

    it("grades N passages in one call that was answered, and learns only once that schemas are refused", async () => {
      server.script("relevance_scores", { scores: [0.9, 0.4, 0.1] });
      const scope = createTestScope();
      const first = await reasoner.grade(gradeInput(), scope);
      expect(first).toMatchObject({
        judge: "batch",
        scores: { a: 0.9, b: 0.4, c: 0.1 },
      });
      expect(server.requests.map(({ form }) => form)).toEqual(forms);
      await reasoner.grade(gradeInput(), scope);
      expect(server.requests).toHaveLength(forms.length + 1);
      expect(server.answered()).toBe(2);
      // Refused attempts are paid too: the budget counts what was asked.
      expect(scope.budget.spent.model_calls).toBe(forms.length + 1);
      expect(scope.warnings).toEqual([]);
    });

    it("judges a set and its adequacy", async () => {
      const set = await reasoner.grade(gradeInput({ judge: "set" }), createTestScope());
      expect(set.set).toMatchObject({ score: 0.9, confidence: 0.9 });
      expect(Object.keys(set.scores)).toEqual(["a", "b", "c"]);
      server.script("adequacy_verdict", {
        score: 0.4,
        adequate: false,
        tool_needed: "web_search",
        hints: ["population"],
        reasoning: "…",
      });
      const adequacy = await reasoner.grade(
        gradeInput({
          judge: "adequacy",
          tools: [{ name: "web_search", description: "Searches the web." }],
        }),
        createTestScope(),
      );
      expect(adequacy.set).toMatchObject({
        score: 0.4,
        toolNeeded: "web_search",
        hints: ["population"],
      });
    });

    it("grades each document in a call of its own", async () => {
      server.script("relevance_score", (request: { user: string }) => ({
        score: request.user.includes("Paris") ? 0.8 : 0.2,
      }));
      const judgement = await reasoner.grade(
        gradeInput({ judge: "per_document" }),
        createTestScope(),
      );
      expect(judgement).toMatchObject({
        judge: "per_document",
        scores: { a: 0.8, b: 0.2, c: 0.2 },
      });
      expect(server.answered("relevance_score")).toBe(3);
    });

    it("streams an answer with its citations, and counts the tokens that the endpoint reports", async () => {
      const scope = createTestScope();
      const draft = await reasoner.answer(answerInput(), scope);
      expect(draft).toMatchObject({
        text: "Paris is the capital of France [1].",
        by: "model",
        streamed: "Paris is the capital of France [1].",
        unanswerable: false,
        messageId: "message",
      });
      expect(
        scope
          .of("answer_delta")
          .map(({ text }) => text)
          .join(""),
      ).toBe(draft.text);
      expect(scope.of("citation")).toEqual([
        expect.objectContaining({ marker: 1, evidence_id: "a", source: "[SOURCE:a.md:L1]" }),
      ]);
      const [request] = server.requests;
      expect(scope.budget.spent).toMatchObject({
        model_calls: 1,
        input_tokens: request?.inputTokens,
        output_tokens: request?.outputTokens,
      });
      expect(scope.of("model_call")).toEqual([
        expect.objectContaining({ task: "answer", model: "test-model", ok: true }),
      ]);
    });

    it("rewrites a follow-up in one call and a first question in none", async () => {
      server.script("standalone_question", {
        standalone_question: "What is the capital of Germany?",
      });
      const history = [
        { role: "user" as const, text: "What is the capital of France?" },
        { role: "assistant" as const, text: "Paris [1]." },
      ];
      expect(
        await reasoner.rewrite(
          { question: "What is the capital of France?", history: [] },
          createTestScope(),
        ),
      ).toMatchObject({
        by: "rule",
      });
      expect(server.requests).toHaveLength(0);
      const rewritten = await reasoner.rewrite(
        { question: "and of Germany?", history },
        createTestScope(),
      );
      expect(rewritten).toEqual({
        standaloneQuestion: "What is the capital of Germany?",
        by: "model",
      });
      server.reset();
      expect(
        await reasoner.rewrite({ question: "thanks!", history }, createTestScope()),
      ).toMatchObject({ by: "rule" });
      expect(server.requests).toHaveLength(0);
    });

    it("writes web queries, hypothetical answers, key points and reviews", async () => {
      const scope = createTestScope();
      server.script("web_query", { query: "capital France" });
      expect(
        await reasoner.webQuery(
          { question: "What is the capital of France?", purpose: "first" },
          scope,
        ),
      ).toBe("capital France");
      expect(await reasoner.hypothesize({ question: "Why?", count: 3 }, scope)).toHaveLength(3);
      server.script("key_points", {
        points: [
          { text: "Lyon is a city.", source: 2 },
          { text: "From nowhere.", source: 9 },
        ],
      });
      expect(await reasoner.keyPoints({ question: "?", evidence: FRANCE }, scope)).toEqual([
        { text: "Lyon is a city.", evidenceId: "b" },
      ]);
      expect(
        await reasoner.compare({ question: "?", answers: ["It is 4 [1].", "It is 5 [1]."] }, scope),
      ).toEqual({ agree: true });
      expect(scope.warnings).toEqual([]);
    });
  },
);
