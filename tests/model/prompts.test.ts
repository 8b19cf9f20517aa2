/** F3, F10 and the review of the prompts: they agree with the thresholds, with each other, and know the day. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { answerPrompt, chatPrompt } from "../../src/model/answer.js";
import { createChatModel } from "../../src/model/chat-model.js";
import { gradeItemsPrompt, gradeAdequacyPrompt, gradeSetPrompt } from "../../src/model/judges.js";
import { hypothesizePrompt, webQueryPrompt } from "../../src/model/questions.js";
import { createModelReasoner } from "../../src/model/model-reasoner.js";
import { planPrompt } from "../../src/model/plan.js";
import type { Prompt, PromptInputs } from "../../src/model/prompt.js";
import type { ModelServer } from "../support/model-server.js";
import { startModelServer } from "../support/model-server.js";
import { createTestScope } from "../support/test-scope.js";
import { answerInput, FRANCE, gradeInput, STAND_IN, fixedModels } from "./fixtures.js";

const TODAY = "2026-11-22";
const GRADE: PromptInputs["grade"] = {
  judge: "batch",
  question: "What is the capital of France?",
  evidence: FRANCE,
  thresholds: { correct: 0.72, incorrect: 0.41, keep: 0.33 },
  tools: [],
  today: TODAY,
};
const system = ([first]: Prompt): string => first?.content ?? "";
const user = (prompt: Prompt): string => prompt[1]?.content ?? "";

describe("anchors", () => {
  it.each([
    ["batch", gradeItemsPrompt(GRADE)],
    ["per_document", gradeItemsPrompt({ ...GRADE, judge: "per_document" })],
  ])("of the %s judge stand on both sides of what keeps and what answers", (_judge, prompt) => {
    expect(system(prompt)).toMatch(/Above 0\.72: states the answer/);
    expect(system(prompt)).toMatch(/0\.33 to 0\.72: does not state it/);
    expect(system(prompt)).toMatch(/Below 0\.33: no help\. Shared words or the same subject/);
  });

  it("of the set give each label its range, and the example keeps to them", () => {
    const text = system(gradeSetPrompt(GRADE));
    expect(text).toMatch(/0\.72 to 1\.0, relevant/);
    expect(text).toMatch(/0\.41 to 0\.72, ambiguous/);
    expect(text).toMatch(/Below 0\.41, irrelevant/);
    expect(text).toContain('"relevance_score": 0.72, "relevance_label": "relevant"');
  });

  it("of adequacy name the threshold", () => {
    expect(system(gradeAdequacyPrompt(GRADE))).toMatch(
      /0\.72 to 1\.0: nothing important is missing/,
    );
  });
});

describe("a prompt", () => {
  it("names the day wherever an answer may depend on it", () => {
    const history = [{ role: "user" as const, text: "Hello" }];
    for (const prompt of [
      gradeItemsPrompt(GRADE),
      gradeSetPrompt(GRADE),
      gradeAdequacyPrompt(GRADE),
      webQueryPrompt({ question: "?", today: TODAY }),
      answerPrompt({ ...answerInput(), today: TODAY }),
      chatPrompt({ question: "?", history, today: TODAY }),
    ])
      expect(user(prompt)).toContain(`Today is ${TODAY}.`);
  });

  it("for grading shows the date of a web result", () => {
    const [first = FRANCE[0]] = FRANCE;
    if (first === undefined) throw new Error("no passage");
    const source = { kind: "web" as const, url: "https://x.example/", date: "2026-11-20" };
    const prompt = gradeItemsPrompt({ ...GRADE, evidence: [{ ...first, source }] });
    expect(user(prompt)).toContain("Title a (2026-11-20)");
  });

  it("for hypothetical answers keeps the question's language", () => {
    expect(system(hypothesizePrompt({ question: "Warum?", count: 3 }))).toContain(
      "in the language of the question",
    );
  });

  it("for answering has one name for a source", () => {
    const text = system(answerPrompt({ ...answerInput(), today: TODAY }));
    expect(text).toContain("A source is named by its number only");
    expect(text).not.toContain("Document 1");
  });

  it("for planning shows the agent's own tools by their signature", () => {
    const search = (name: string): PromptInputs["plan"]["tools"][number] => ({
      name,
      description: "Searches the passages by their words. It stems, and knows synonyms of no kind.",
      parameters: {
        type: "object",
        properties: { query: { type: "string", description: "…" }, path: { type: "string" } },
        required: ["query"],
      },
      strategy: "keyword",
      origin: "documents",
    });
    const tools = ["keyword_search", "hybrid_search", "grep_search", "web_search", "read_file"];
    const prompt = planPrompt({
      standaloneQuestion: "How is the pump cooled?",
      tools: tools.map(search),
      history: [],
      hints: [],
      today: TODAY,
    });
    expect(user(prompt)).toContain(
      "- keyword_search(query, path?): Searches the passages by their words.",
    );
    // About 400 tokens.
    expect(system(prompt).length + user(prompt).length).toBeLessThan(1600);
  });
});

describe("a prompt of the caller's", () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer();
  });
  afterAll(() => server.close());
  beforeEach(() => server.reset());

  it("takes the place of ours, or adds to its rules", async () => {
    const model = await createChatModel({ model: "test-model", baseUrl: server.baseUrl });
    const reasoner = createModelReasoner({
      source: fixedModels({ answer: model, grade: model }),
      embedded: STAND_IN,
      prompts: {
        answer: { instructions: "Answer in British English." },
        grade: ({ judge, evidence, thresholds }, [ours]) => [
          { role: "system", content: `${ours?.content.split("\n")[0]}\nJudge (${judge}).` },
          { role: "user", content: `${evidence.length} sources, ${thresholds.correct} is enough.` },
        ],
      },
    });
    server.script("relevance_scores", { scores: [0.9, 0.2, 0.1] });
    await reasoner.grade(gradeInput(), createTestScope());
    await reasoner.answer(answerInput(), createTestScope());
    const [grading, answering] = server.requests;
    expect(grading).toMatchObject({
      system: "# Task: relevance_scores\nJudge (batch).",
      user: "3 sources, 0.7 is enough.",
    });
    expect(answering?.system).toMatch(/Answer from the sources only[^]*British English\.$/);
  });
});
