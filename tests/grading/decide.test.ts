import { describe, expect, it } from "@jest/globals";
import { fastPath } from "../../src/grading/grade-evidence.js";
import { PROFILES } from "../../src/grading/profiles.js";
import { decide } from "../../src/grading/decide.js";
import { decided, item, webItem } from "./evidence.js";

const graded = (value: number) => ({
  scores: [{ value, scale: "relevance" as const, by: "judge:batch" }],
  status: "kept" as const,
});

describe("filtering", () => {
  it("removes items below 0.3 and records the reason", () => {
    const { context, discarded, removed, scores } = decided("adaptive", [0.8, 0.29, 0.3]);
    expect(context.map(({ id, status }) => [id, status])).toEqual([
      ["a", "kept"],
      ["c", "kept"],
    ]);
    expect(discarded).toMatchObject([
      { id: "b", status: "discarded", reason: "relevance 0.29 is below 0.3" },
    ]);
    expect(removed).toMatchObject([{ id: "b", reason: "relevance 0.29 is below 0.3" }]);
    expect(scores).toEqual({ a: 0.8, b: 0.29, c: 0.3 });
  });

  it("answers at once where an item has full marks, without the items below 0.3 (adaptive)", () => {
    const decision = decided("adaptive", [1, 0.4, 0.4, 0.05, 0]);
    expect(decision.evaluation).toMatchObject({ label: "AMBIGUOUS", action: "GENERATE" });
    expect(decision.evaluation.forced_by).toBeUndefined();
    expect(decision.causes).toEqual([]);
    expect(decision.context.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  });

  it("records each item's relevance with its judge and never overwrites an earlier judge's", () => {
    const evidence = [item("a", graded(0.6)), item("b")];
    const { context } = decided("adaptive", [0.1, 0.9], { evidence, iteration: 1 });
    expect(context.map(({ id, scores }) => [id, scores])).toEqual([
      ["a", [{ value: 0.6, scale: "relevance", by: "judge:batch" }]],
      ["b", [{ value: 0.9, scale: "relevance", by: "judge:batch" }]],
    ]);
  });

  it("gives an item that the judge left out 0.5", () => {
    const judgement = { judge: "batch", scores: { a: 0.9 } };
    expect(decided("adaptive", [], { evidence: [item("a"), item("b")], judgement }).scores).toEqual(
      { a: 0.9, b: 0.5 },
    );
  });

  it("keeps weak items in signals and holistic until a correction was made, then drops them", () => {
    const judgement = {
      judge: "set",
      scores: { a: 0.9, b: 0.1 },
      set: { score: 0.8 },
    };
    const evidence = [item("a"), item("b")];
    expect(decided("holistic", [], { evidence, judgement }).context).toHaveLength(2);
    expect(
      decided("holistic", [], { evidence, judgement, iteration: 1 }).context.map(({ id }) => id),
    ).toEqual(["a"]);
  });

  it("throws nothing away in adequacy", () => {
    expect(decided("adequacy", [0, 0], { iteration: 2 }).context).toHaveLength(2);
  });

  it("removes nothing for its score when filtering is switched off", () => {
    expect(decided("adaptive", [0.9, 0.1], { filtering: false }).context).toHaveLength(2);
  });
});

describe("the effect of a label on the evidence", () => {
  it("discards the local evidence when it is INCORRECT, and keeps what came from the web", () => {
    const evidence = [item("a"), webItem("w")];
    const { context, discarded } = decided("holistic", [0.4], { evidence });
    expect(context.map(({ id }) => id)).toEqual(["w"]);
    expect(discarded.map(({ id, reason }) => [id, reason])).toEqual([
      ["a", "the evidence as a whole is INCORRECT (0.40)"],
    ]);
  });

  it("hands on the best document in three_action, and others only if they are CORRECT too (N20)", () => {
    const kept = (...scores: number[]) =>
      decided("three_action", scores).context.map(({ id }) => id);
    expect(kept(0.5, 0.9, 0.7)).toEqual(["b"]);
    expect(kept(0.5, 0.6, 0.4)).toEqual(["b"]);
    // Two sides of a comparison.
    expect(kept(0.5, 0.9, 0.8)).toEqual(["b", "c"]);
  });

  it("keeps document and web together in three_action once a correction was made", () => {
    const evidence = [item("a", graded(0.5)), webItem("w")];
    expect(
      decided("three_action", [0.5, 0.9], { evidence, iteration: 1 }).context.map(({ id }) => id),
    ).toEqual(["a", "w"]);
  });

  it("does not take an item back that an earlier round discarded", () => {
    const evidence = [
      item("a", graded(0.9)),
      item("old", { ...graded(0.8), status: "discarded", reason: "as it was" }),
    ];
    const { context, discarded, removed } = decided("holistic", [0.9], { evidence });
    expect([context.map(({ id }) => id), discarded.map(({ reason }) => reason), removed]).toEqual([
      ["a"],
      ["as it was"],
      [],
    ]);
  });

  it("asks for the web if the profile says so", () => {
    expect(decided("signals", [0.5]).wantsWeb).toBe(true);
    expect(decided("holistic", [0.6]).wantsWeb).toBe(true);
    expect(decided("three_action", [0.5]).wantsWeb).toBe(true);
    expect(decided("adaptive", [0.5]).wantsWeb).toBe(false);
    expect(decided("adaptive", [0.1]).wantsWeb).toBe(true);
    expect(decided("adaptive", [0.9]).wantsWeb).toBe(false);
  });

  it("reports that the web is missed when it is called for but not available", () => {
    expect(decided("holistic", [0.6], { webAvailable: false })).toMatchObject({
      wantsWeb: false,
      webMissed: true,
    });
    expect(decided("adaptive", [0.5], { webAvailable: false }).webMissed).toBe(false);
  });

  it("holds an answer back in adequacy while a tool is needed", () => {
    const judgement = {
      judge: "adequacy",
      scores: {},
      set: { score: 0.9, toolNeeded: "web_search", hints: ["weather"] },
    };
    const { evaluation, wantsWeb } = decided("adequacy", [], { evidence: [item("a")], judgement });
    expect(evaluation).toMatchObject({
      label: "AMBIGUOUS",
      action: "REFINE",
      tool_needed: "web_search",
      hints: ["weather"],
    });
    expect(wantsWeb).toBe(true);
  });
});

describe("no evidence at all", () => {
  it.each(Object.values(PROFILES))("is never approved in $name", ({ name }) => {
    expect(decided(name, [], { evidence: [], judgement: undefined }).evaluation).toMatchObject({
      label: "INCORRECT",
      action: "RE_RETRIEVE",
      score: 0,
      confidence: 1,
    });
    expect(
      fastPath({ context: [], history: [], round: 0, thresholds: PROFILES[name].defaults }),
    ).toBeUndefined();
  });
});

describe("guards of the loop", () => {
  it("generates once the limit of corrections is reached, and says so", () => {
    expect(decided("adaptive", [0.5], { iteration: 2 }).evaluation.action).toBe("REFINE");
    expect(decided("adaptive", [0.5], { iteration: 3 })).toMatchObject({
      evaluation: { action: "GENERATE", label: "AMBIGUOUS", forced_by: "max_iterations" },
      causes: ["max_iterations"],
    });
  });

  it("corrects once with a limit of 1, and not at all with 0", () => {
    expect(decided("adaptive", [0.5], { iteration: 0, maxIterations: 1 }).evaluation.action).toBe(
      "REFINE",
    );
    expect(decided("adaptive", [0.5], { iteration: 1, maxIterations: 1 }).evaluation.action).toBe(
      "GENERATE",
    );
    expect(decided("adaptive", [0.5], { iteration: 0, maxIterations: 0 }).evaluation.action).toBe(
      "GENERATE",
    );
  });

  it("does not mention the limit when the evidence is good enough anyway", () => {
    expect(decided("adaptive", [0.9], { iteration: 3 })).toMatchObject({
      evaluation: { action: "GENERATE" },
      causes: [],
    });
    expect(decided("adaptive", [0.9], { iteration: 3 }).evaluation.forced_by).toBeUndefined();
  });

  it("hands on everything at the limit in adaptive, low-scored items included and marked", () => {
    const { context, removed } = decided("adaptive", [0.2, 0.5], { iteration: 3 });
    expect(context.map(({ id, reason }) => [id, reason !== undefined])).toEqual([
      ["a", true],
      ["b", false],
    ]);
    expect(removed).toEqual([]);
  });

  it("keeps items discarded at the limit in the other profiles", () => {
    const evidence = [
      webItem("w", graded(0.6)),
      webItem("weak", graded(0.2)),
      item("a", graded(0.6)),
    ];
    expect(
      decided("holistic", [0.4], { evidence, iteration: 1, maxIterations: 1 }).context.map(
        ({ id }) => id,
      ),
    ).toEqual(["w"]);
  });

  it("ends early only when a round brought nothing new and no strategy is left", () => {
    const ended = { roundWasNew: false, untriedStrategies: [] };
    expect(decided("adaptive", [0.5], ended)).toMatchObject({
      evaluation: { action: "GENERATE", forced_by: "nothing_new" },
      causes: ["nothing_new"],
    });
    expect(decided("adaptive", [0.5], { ...ended, roundWasNew: true }).evaluation.action).toBe(
      "REFINE",
    );
    expect(
      decided("adaptive", [0.5], { ...ended, untriedStrategies: ["web"] }).evaluation.action,
    ).toBe("REFINE");
  });

  it("ends when a correction added nothing like the item that is CORRECT by itself (N14)", () => {
    const evidence = [item("a", graded(1)), item("b", graded(0.4)), item("c", { round: 1 })];
    const over = { evidence, iteration: 1 };
    expect(decided("adaptive", [0, 0, 0.4], over).evaluation).toMatchObject({
      label: "AMBIGUOUS",
      forced_by: "nothing_new",
    });
    // Nothing states the answer yet, or the correction found more that does.
    const poor = { ...over, evidence: [item("a", graded(0.4)), item("c", { round: 1 })] };
    expect(decided("adaptive", [0, 0.4], poor).evaluation.action).toBe("REFINE");
    expect(decided("adaptive", [0, 0, 0.7], over).evaluation.action).not.toBe("RE_RETRIEVE");
    expect(decided("adaptive", [0, 0, 0.7], over).evaluation.forced_by).toBeUndefined();
  });

  it("reports that nothing new was found when all items had been discarded before", () => {
    const evidence = [
      item("a", {
        scores: graded(0.2).scores,
        status: "discarded",
        reason: "relevance 0.20 is below 0.3",
      }),
    ];
    const { evaluation } = decided("adaptive", [], {
      evidence,
      iteration: 1,
      roundWasNew: false,
      untriedStrategies: [],
    });
    expect(evaluation).toMatchObject({ label: "INCORRECT", score: 0, forced_by: "nothing_new" });
    expect(evaluation.reasoning).toBe(
      "Nothing new was found: everything had been discarded in an earlier round; the loop ends (nothing better was found).",
    );
  });

  it("finishes in time when the caller's recursion limit leaves too few steps", () => {
    expect(decided("adaptive", [0.5], { stepsLeft: 5 }).evaluation.action).toBe("REFINE");
    expect(decided("adaptive", [0.5], { stepsLeft: 4 }).evaluation).toMatchObject({
      action: "GENERATE",
      forced_by: "step_limit",
    });
    expect(decided("adaptive", [0.1], { stepsLeft: 6 }).evaluation.action).toBe("RE_RETRIEVE");
    expect(decided("adaptive", [0.1], { stepsLeft: 5 })).toMatchObject({
      evaluation: { action: "GENERATE" },
      causes: expect.arrayContaining(["step_limit"]),
    });
    expect(decided("adaptive", [0.1], { stepsLeft: 5 }).warnings[0]).toContain("leaves 5 steps");
  });

  it("answers from what there is when the budget is used up", () => {
    expect(decided("adaptive", [0.5], { exhausted: "model calls" })).toMatchObject({
      evaluation: { forced_by: "budget" },
      causes: ["budget_exhausted"],
    });
  });
});

describe("the evaluation", () => {
  it("is as sure of INCORRECT as its score is low, unless the judge stated a confidence", () => {
    expect(decided("holistic", [0.2]).evaluation.confidence).toBe(0.8);
    const judgement = {
      judge: "set",
      scores: {},
      set: { score: 0.2, confidence: 0.95, reasoning: "Off topic." },
    };
    const { evaluation, warnings } = decided("holistic", [], { evidence: [item("a")], judgement });
    expect([evaluation.confidence, warnings]).toEqual([0.95, []]);
    expect(evaluation.reasoning).toMatch(/^Off topic\. .*INCORRECT/);
  });

  it("speaks the words of the design that the profile stems from", () => {
    expect(decided("signals", [0.9]).evaluation.suggested_action).toBe("refine_and_use");
    expect(decided("signals", [0.5]).evaluation.suggested_action).toBe("combine_with_web_search");
    expect(decided("signals", [0.1]).evaluation.suggested_action).toBe("trigger_web_search");
  });
});

describe("approval by a rule", () => {
  it("sets GENERATE and scores of 1.0, marked as set by the rule", () => {
    const evidence = [item("a"), item("b")];
    const thresholds = PROFILES.adaptive.defaults;
    const rule = fastPath({ context: evidence, history: [], round: 0, thresholds });
    const decision = decide({
      profile: PROFILES.adaptive,
      thresholds,
      evidence,
      rule,
      iteration: 0,
      maxIterations: 3,
      roundWasNew: true,
      untriedStrategies: [],
      stepsLeft: 20,
      correctionSteps: { REFINE: 5, RE_RETRIEVE: 6 },
      webAvailable: false,
    });
    expect(decision.evaluation).toMatchObject({
      label: "CORRECT",
      action: "GENERATE",
      score: 1,
      judge: "rule",
      rule: "few_context",
    });
    expect(decision.context[0]).toMatchObject({
      status: "kept",
      reason: "approved by rule:few_context",
      scores: [{ value: 1, scale: "relevance", by: "rule:few_context" }],
    });
  });

  it("is no judgement: a judge grades the item when the run comes back", () => {
    const approved = item("a", {
      scores: [{ value: 1, scale: "relevance", by: "rule:few_context" }],
      status: "kept",
    });
    expect(decided("adaptive", [0.2], { evidence: [approved], iteration: 1 }).scores).toEqual({
      a: 0.2,
    });
  });
});
