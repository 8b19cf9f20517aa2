/** Reads `context` and `discarded`; writes scores, evaluation, action, and what follows from it. */
import { describe, expect, it } from "@jest/globals";
import { gradeEvidenceNode } from "../../src/nodes/grade-evidence.js";
import { PROFILES } from "../../src/grading/profiles.js";
import { item } from "../grading/evidence.js";
import { judgeSaying } from "../support/scripted-parts.js";
import { nodeRunner } from "../support/run-node.js";

const { run } = nodeRunner(gradeEvidenceNode);
const STATE = {
  standalone_question: "What did the keeper count?",
  context: ["a", "b", "c"].map((id) => item(id)),
};
const scoring = (scores: Record<string, number>) => ({
  kind: "model" as const,
  grade: async () => ({ judge: "batch", scores }),
});

describe("grade_evidence", () => {
  it.each([
    [0.9, 0.9, "CORRECT", "GENERATE", 0],
    [0.5, 0.5, "AMBIGUOUS", "REFINE", 1],
    // Nothing of it is kept, so there is nothing to take the mean of.
    [0.1, 0, "INCORRECT", "RE_RETRIEVE", 1],
  ])(
    "at %d writes a mean of %d, %s, %s and %d corrections",
    async (score, mean, label, action, iteration) => {
      const { writes, state, of } = await run(STATE, { reasoner: judgeSaying(score) });
      expect(writes).toEqual([
        "context",
        "discarded",
        "evaluation",
        "evidence_scores",
        "grader_action",
        "iteration",
        "run",
      ]);
      expect(state).toMatchObject({
        grader_action: action,
        iteration,
        evaluation: { label, score: mean },
        evidence_scores: { a: score, b: score, c: score },
        run: { rounds: [{ round: 0, label, action }] },
      });
      expect(of("rag_iteration")).toMatchObject([{ label, action, eval_score: mean }]);
    },
  );

  it("moves weak items to `discarded`, with an event and a reason each", async () => {
    const { state, of } = await run(STATE, { reasoner: scoring({ a: 0.9, b: 0.3, c: 0.2999 }) });
    expect(state.context.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(state.discarded).toMatchObject([{ id: "c", status: "discarded" }]);
    expect(of("evidence_removed")).toMatchObject([{ id: "c", score: 0.2999 }]);
  });

  it("asks no judge where a rule approves, and says which", async () => {
    const { state, of } = await run(
      { ...STATE, context: [item("a")] },
      { reasoner: { kind: "model", grade: () => Promise.reject(new Error("was asked")) } },
    );
    expect(state.evaluation).toMatchObject({ rule: "few_context", judge: "rule", score: 1 });
    expect(of("fast_path_hit")).toMatchObject([{ rule_name: "few_context", items: 1 }]);
  });

  it("lets the reader judge where the profile's judge fails, with a warning", async () => {
    const profile = {
      ...PROFILES.adaptive,
      judge: () => {
        throw new Error("out of order");
      },
    };
    const { state } = await run(STATE, { profile });
    expect(state.evaluation?.judge).toBe("embedded");
    expect(state.warnings.join()).toContain("judge failed, so the reader judges: out of order");
  });

  it("hands on everything where grading is switched off", async () => {
    const context = { switched_off: ["grading" as const] };
    const { state, writes, of } = await run(STATE, { context });
    expect(writes).toEqual(["context", "grader_action"]);
    expect(state.context.every(({ status }) => status === "kept")).toBe(true);
    expect(of("rag_iteration")).toMatchObject([{ label: "CORRECT", action: "GENERATE" }]);
  });
});
