import { describe, expect, it } from "@jest/globals";
import { createEmbeddedReasoner } from "../../src/reasoning/embedded/embedded-reasoner.js";
import { unmentionedNames } from "../../src/reasoning/embedded/queries.js";
import { createReader } from "../../src/reader/create-reader.js";
import { createTestScope } from "../support/test-scope.js";
import { answerInput, FRANCE, gradeInput } from "../model/fixtures.js";

const reasoner = createEmbeddedReasoner({ reader: createReader({ model: "lexical" }) });

describe("the embedded reasoner", () => {
  it("gives a probability for each new passage and for the set, for every kind of judgment", async () => {
    for (const judge of ["batch", "per_document", "set", "adequacy"] as const) {
      const judgement = await reasoner.grade(
        gradeInput({ judge, ungraded: FRANCE.slice(0, 2) }),
        createTestScope(),
      );
      expect(judgement).toMatchObject({ judge: "embedded" });
      expect(Object.keys(judgement.scores)).toEqual(["a", "b"]);
      expect(judgement.scores["a"]).toBeGreaterThan(judgement.scores["b"] ?? 1);
      expect(judgement.set?.score).toBeGreaterThan(0);
      expect(judgement.set?.reasoning).toMatch(/^3 passages/);
    }
  });

  it("gives the question's words that are in no passage as hints", async () => {
    const judgement = await reasoner.grade(
      gradeInput({ question: "How many inhabitants does Lyon have?" }),
      createTestScope(),
    );
    expect(judgement.set?.hints).toContain("inhabitants");
  });

  it("gives kept evidence no less than the round before did, and nothing for no evidence", async () => {
    const graded = async (input: Parameters<typeof gradeInput>[0]) =>
      (await reasoner.grade(gradeInput(input), createTestScope())).set?.score;
    const alone = (await graded({})) ?? 0;
    expect(await graded({ earlier: alone + 0.01 })).toBe(alone + 0.01);
    expect(await graded({ earlier: alone - 0.01 })).toBe(alone);
    expect(await graded({ evidence: [], ungraded: [], earlier: 0.5 })).toBe(0);
  });

  it("is deterministic", async () => {
    const [first, second] = await Promise.all(
      [1, 2].map(() => reasoner.grade(gradeInput(), createTestScope())),
    );
    expect(first).toEqual(second);
  });

  it("answers in quotes with their citations, and the deltas add up to the answer", async () => {
    const scope = createTestScope();
    // Without a score, as after no grading, the best quotation is asserted whatever its confidence.
    const { evidenceScore: _, ...ungraded } = answerInput();
    const draft = await reasoner.answer(ungraded, scope);
    expect(draft).toMatchObject({ by: "embedded", unanswerable: false, streamed: draft.text });
    expect(draft.text).toMatch(/Paris.*\[1\]/);
    expect(
      scope
        .of("answer_delta")
        .map(({ text }) => text)
        .join(""),
    ).toBe(draft.text);
    expect(scope.of("citation")[0]).toMatchObject({ marker: 1, evidence_id: "a" });
  });

  it("asserts no quotation of which the reader is not sure", async () => {
    const scope = createTestScope();
    const question = "Which capital is the most beautiful?";
    const draft = await reasoner.answer(
      answerInput({ question, standaloneQuestion: question }),
      scope,
    );
    expect(draft).toMatchObject({ text: "", unanswerable: true });
    expect(scope.of("answer_delta")).toEqual([]);
  });

  it("gives no answer, and streams nothing, if the evidence does not support an answer", async () => {
    const scope = createTestScope();
    const question = "What does a ticket to the moon cost?";
    const draft = await reasoner.answer(
      answerInput({ question, standaloneQuestion: question, evidenceScore: 0.02 }),
      scope,
    );
    expect(draft).toMatchObject({ text: "", unanswerable: true });
    expect(scope.of("answer_delta")).toEqual([]);
  });

  it("abstains if no passage mentions the name in the question", async () => {
    const question = "What is the capital of Kiribati?";
    const draft = await reasoner.answer(
      answerInput({ question, standaloneQuestion: question }),
      createTestScope(),
    );
    expect(draft).toMatchObject({ text: "", unanswerable: true });
    expect(draft.reason).toBe('none of them mentions "Kiribati"');
  });

  it.each([
    "What is the capital of Frances?",
    "What Is The Capital Of Kiribati?",
    "What is the capital of kiribati?",
    "Was ist die Hauptstadt des Nachbarlandes?",
  ])("sees no unknown name in: %s", (question) => {
    expect(unmentionedNames(question, FRANCE)).toEqual([]);
  });

  it.each(["Who are you?", "Hello!"])(
    "says what it can do when it is told %j",
    async (question) => {
      const scope = createTestScope();
      const draft = await reasoner.answer(
        answerInput({ mode: "chat", question, standaloneQuestion: question }),
        scope,
      );
      expect(draft.text).toMatch(/^I answer questions about your documents/u);
      expect(scope.of("citation")).toEqual([]);
    },
  );

  it("writes no hypothetical answers", async () => {
    const scope = createTestScope();
    expect(await reasoner.hypothesize({ question: "?", count: 3 }, scope)).toEqual([]);
    expect(await reasoner.keyPoints({ question: "?", evidence: FRANCE }, scope)).toEqual([]);
    expect(await reasoner.compare({ question: "?", answers: ["4 [1].", "5 [1]."] }, scope)).toEqual(
      {},
    );
    expect(scope.budget.spent.model_calls).toBe(0);
  });
});
