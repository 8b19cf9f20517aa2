/** Findings of a review of the path with a model, each by its number, through the compiled graph. */
import { describe, expect, it } from "@jest/globals";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import type { Reasoner } from "../../src/reasoning/reasoner.js";
import { KnowledgeBaseError, type Passage } from "../../src/retrieval/knowledge-base.js";
import { passage, scriptedBase } from "../support/scripted-base.js";
import { judgeSaying, scriptedGraph } from "../support/scripted-parts.js";

const QUESTION = { question: "What did the keeper count?" };
const five = ["alpha", "beta-two", "gamma-three", "delta-fourth", "epsilon-5th"].map((id) =>
  passage(id),
);
const again = (found: Passage, id: string): Passage => ({ ...found, id });

/** A judge that gives the scores of each round in turn, the last for ever. */
function judging(...rounds: number[]): Pick<Reasoner, "grade" | "kind"> {
  let round = 0;
  return {
    kind: "model",
    grade: async ({ ungraded, judge }) => {
      const score = rounds[Math.min(round++, rounds.length - 1)] ?? 0;
      const isSet = judge === "set" || judge === "adequacy";
      return {
        judge,
        scores: Object.fromEntries(ungraded.map(({ id }) => [id, score])),
        ...(isSet && { set: { score } }),
      };
    },
  };
}

const answering: Pick<Reasoner, "answer"> = {
  answer: async ({ evidence, window }) => {
    const told = evidence.find(({ id }) => id === window.sources[0]?.evidenceId)?.text;
    const text = `${told?.replace(/\.$/, "")} [${window.sources[0]?.marker}].`;
    return { text, unanswerable: false, by: "model" };
  },
};

describe("F1: a rejected passage stays rejected", () => {
  it("does not approve, under another id and by a rule, text that the judge has refused", async () => {
    const renamed = five.slice(0, 2).map((found, index) => again(found, `other-${index}`));
    const { graph } = scriptedGraph({
      knowledgeBase: scriptedBase([five, renamed], ["keyword", "vector"]),
      reasoner: { ...judging(0.1), ...answering },
    });
    const { details } = await graph.invoke(QUESTION);
    expect(details?.rounds.map(({ label, rule }) => [label, rule])).not.toContainEqual([
      "CORRECT",
      "few_context",
    ]);
    expect(details?.label).toBe("incorrect");
    expect(Math.max(...(details?.relevance_scores ?? []))).toBe(0.1);
  });

  it("grades what a corrective round brings, however little it is", async () => {
    const { graph } = scriptedGraph({
      knowledgeBase: scriptedBase([five, [passage("zeta-sixth-one")]], ["keyword", "vector"]),
      reasoner: { ...judging(0.1, 0.8), ...answering },
    });
    const { details } = await graph.invoke(QUESTION);
    expect(details?.rounds.map(({ rule, score }) => [rule, score])).toEqual([
      [undefined, 0],
      [undefined, 0.8],
    ]);
  });
});

describe("F5: in holistic a verdict belongs to the set that it was given to", () => {
  it("takes the newest verdict for every item of the set", async () => {
    const { graph } = scriptedGraph({
      knowledgeBase: scriptedBase([five.slice(0, 2), five.slice(2, 4)], ["keyword", "vector"]),
      reasoner: { ...judging(0.6, 0.9), ...answering },
    });
    const { details } = await graph.invoke(QUESTION, {
      context: { profile: "holistic", max_iterations: 2 },
    });
    expect(details?.kept.length).toBeGreaterThan(2);
    expect(new Set(details?.kept.map(({ score }) => score))).toEqual(new Set([0.9]));
  });
});

describe("F7: a tool that the judge asks for", () => {
  const wanting = (toolNeeded: string, hints: string[] = []): Pick<Reasoner, "grade" | "kind"> => ({
    kind: "model",
    grade: async ({ ungraded }) => ({
      judge: "adequacy",
      scores: Object.fromEntries(ungraded.map(({ id }) => [id, 0.9])),
      set: { score: 0.9, toolNeeded, hints },
    }),
  });
  const adequacy = { context: { profile: "adequacy" } } as const;

  it("is named once and costs no round if there is none", async () => {
    const { graph } = scriptedGraph({
      knowledgeBase: scriptedBase([five]),
      reasoner: { ...wanting("calculator"), ...answering },
    });
    const { details, warnings } = await graph.invoke(QUESTION, adequacy);
    expect(details?.iterations).toBe(0);
    expect(warnings.filter((line) => line.includes('"calculator"'))).toHaveLength(1);
  });

  it("is called first if there is one, and its name is not searched for", async () => {
    const asked: string[] = [];
    const weather = tool(
      ({ query }) => {
        asked.push(query);
        return "It is 23 degrees.";
      },
      { name: "weather", description: "The weather.", schema: z.object({ query: z.string() }) },
    );
    const knowledgeBase = scriptedBase([five]);
    const { graph } = scriptedGraph({
      knowledgeBase,
      tools: [weather],
      reasoner: { ...wanting("weather", ["weather", "harbour log"]), ...answering },
    });
    const { details } = await graph.invoke(QUESTION, adequacy);
    expect(asked).toHaveLength(1);
    expect(details?.rounds[1]?.calls[0]?.tool).toBe("weather");
    expect(knowledgeBase.searches.map(({ query }) => query)).not.toContain("weather");
  });
});

describe("F8: budgets", () => {
  it("gives thorough 24 model calls and the others 12", async () => {
    const limits: number[] = [];
    const { graph } = scriptedGraph({
      knowledgeBase: scriptedBase([five]),
      reasoner: {
        ...judgeSaying(0.9),
        grade: async (input, scope) => {
          limits.push(scope.budget.left("modelCalls"));
          return judgeSaying(0.9).grade(input, scope);
        },
        ...answering,
      },
    });
    for (const quality of ["thorough", "balanced", "quick"] as const)
      await graph.invoke(QUESTION, { context: { quality } });
    expect(limits).toEqual([24, 12, 12]);
  });

  it("warns of what was skipped when it is used up", async () => {
    const { graph } = scriptedGraph({
      knowledgeBase: scriptedBase([five, five]),
      reasoner: { ...judging(0.5), ...answering },
    });
    const { warnings, outcome } = await graph.invoke(QUESTION, {
      context: { budget: { model_calls: 0 } },
    });
    expect(outcome.causes).toContain("budget_exhausted");
    expect(warnings.join()).toMatch(/no further round: the run's budget of model calls/);
  });

  it("grades only what is new in three_action", async () => {
    const graded: number[] = [];
    const { graph } = scriptedGraph({
      knowledgeBase: scriptedBase([five.slice(0, 3), five], ["keyword", "vector"]),
      reasoner: {
        kind: "model",
        grade: async ({ ungraded, judge }) => {
          graded.push(ungraded.length);
          return { judge, scores: Object.fromEntries(ungraded.map(({ id }) => [id, 0.5])) };
        },
        ...answering,
      },
    });
    await graph.invoke(QUESTION, { context: { profile: "three_action", max_iterations: 1 } });
    expect(graded[0]).toBe(3);
    expect(graded[1] ?? 0).toBeLessThanOrEqual(2);
  });
});

describe("F11: settings that cannot take effect cause a warning", () => {
  it("warns of a web search without a provider, and of HyDE without vectors", async () => {
    const { graph } = scriptedGraph({
      knowledgeBase: scriptedBase([five]),
      reasoner: { ...judging(0.9), ...answering },
    });
    const { warnings } = await graph.invoke(QUESTION, {
      context: { web_search: "on", hyde: true },
    });
    expect(warnings.join("\n")).toMatch(/no provider/);
    expect(warnings.join("\n")).toMatch(/no vectors/);
    expect((await graph.invoke(QUESTION)).warnings).toEqual([]);
  });
});

describe("F12: the details tell the whole course", () => {
  it("with each round's verdict, thresholds, calls and what was kept", async () => {
    const { graph } = scriptedGraph({
      knowledgeBase: scriptedBase([five.slice(0, 3), five.slice(3)], ["keyword", "vector"]),
      reasoner: { ...judging(0.5, 1), ...answering },
    });
    const { details } = await graph.invoke(QUESTION);
    expect(details).toMatchObject({
      label: "correct",
      action: "GENERATE",
    });
    expect(details?.rounds).toMatchObject([
      {
        round: 0,
        label: "AMBIGUOUS",
        action: "REFINE",
        score: 0.5,
        thresholds: { correct: 0.7, incorrect: 0.3, keep: 0.3 },
        calls: [{ tool: "keyword_search", status: "ok", count: 3 }],
        kept: ["alpha", "beta-two", "gamma-three"],
        discarded: [],
      },
      { round: 1, judge: "batch" },
    ]);
  });
});

describe("F15: web_unavailable is a cause only if the web was needed", () => {
  it("is none of a success that another strategy brought", async () => {
    const { graph } = scriptedGraph({
      knowledgeBase: scriptedBase(
        [five.slice(0, 3), [passage("eta-seventh-1"), passage("theta-eighth-12")]],
        ["keyword", "vector"],
      ),
      reasoner: { ...judging(0.1, 0.9), ...answering },
    });
    const { outcome } = await graph.invoke(QUESTION);
    expect(outcome).toEqual({ status: "success", causes: [] });
  });

  it("is one if nothing else helped", async () => {
    const { graph } = scriptedGraph({
      knowledgeBase: scriptedBase([five.slice(0, 3), []]),
      reasoner: { ...judging(0.1), ...answering },
    });
    const { outcome } = await graph.invoke(QUESTION, { context: { profile: "holistic" } });
    expect(outcome.causes).toContain("web_unavailable");
  });
});

describe("a knowledge base that fails", () => {
  it("is reported as such, and not as nothing found", async () => {
    const { graph } = scriptedGraph({
      knowledgeBase: {
        ...scriptedBase([[]]),
        search: () => Promise.reject(new KnowledgeBaseError("the disk is gone")),
      },
    });
    const { answer, outcome } = await graph.invoke(QUESTION);
    expect(answer).toContain("the knowledge base could not be read: the disk is gone");
    expect(answer).not.toContain("nothing was found");
    expect(outcome.causes).toContain("knowledge_base_error");
  });
});

describe("a profile of the user's", () => {
  it("judges with its own function", async () => {
    const { PROFILES } = await import("../../src/grading/profiles.js");
    const { graph } = scriptedGraph({
      knowledgeBase: scriptedBase([five]),
      reasoner: { kind: "model", ...answering },
      profile: {
        ...PROFILES.adaptive,
        name: "mine",
        judge: ({ ungraded }) => ({
          judge: "mine",
          scores: Object.fromEntries(ungraded.map(({ id }) => [id, id === "alpha" ? 0.9 : 0])),
        }),
      },
    });
    const { details } = await graph.invoke(QUESTION);
    expect(details).toMatchObject({ profile: "mine", label: "correct" });
    expect(details?.kept.map(({ id }) => id)).toEqual(["alpha"]);
  });

  it.each([
    ["fails", () => Promise.reject(new Error("the judge is ill")), /failed.*the judge is ill/],
    ["never answers", () => new Promise<never>(() => undefined), /failed.*no answer within/],
  ])("falls back on the reader if its function %s", async (_what, judge, warning) => {
    const { PROFILES } = await import("../../src/grading/profiles.js");
    const { graph } = scriptedGraph({
      knowledgeBase: scriptedBase([five]),
      reasoner: { kind: "model", ...answering },
      profile: { ...PROFILES.adaptive, name: "mine", fastPaths: false, judge },
    });
    const context = { budget: { seconds: 1 } };
    const { details, warnings } = await graph.invoke(QUESTION, { context });
    expect(details?.evaluation?.judge).toBe("embedded");
    expect(warnings.join("\n")).toMatch(warning);
  });
});

describe("a correction cannot make what was kept worse", () => {
  const scoresOf = async (judge: string): Promise<(number | undefined)[]> => {
    const earlier: (number | undefined)[] = [];
    const { graph } = scriptedGraph({
      knowledgeBase: scriptedBase([five, [passage("zeta-sixth-one")]], ["keyword", "vector"]),
      reasoner: {
        kind: "embedded",
        grade: async (input) => {
          earlier.push(input.earlier);
          const scores = Object.fromEntries(input.ungraded.map(({ id }) => [id, 0.4]));
          return { judge, scores, set: { score: 0.4 } };
        },
      },
    });
    await graph.invoke(QUESTION, { context: { max_iterations: 1 } });
    return earlier;
  };

  it("tells the reader what it gave in the round before", async () => {
    expect(await scoresOf("embedded")).toEqual([undefined, 0.4]);
  });

  it("forgets it when all of that was dropped", async () => {
    const earlier: (number | undefined)[] = [];
    const rounds = [five, [passage("zeta-sixth-one")], [passage("eta-seventh-one")]];
    const { graph } = scriptedGraph({
      knowledgeBase: scriptedBase(rounds, ["keyword", "vector"]),
      reasoner: {
        kind: "embedded",
        grade: async (input) => {
          earlier.push(input.earlier);
          const scores = Object.fromEntries(input.ungraded.map(({ id }) => [id, 0]));
          return { judge: "embedded", scores, set: { score: 0.4 } };
        },
      },
    });
    await graph.invoke(QUESTION, { context: { profile: "holistic", max_iterations: 2 } });
    expect(earlier).toEqual([undefined, 0.4, undefined]);
  });

  it("does not hand a model's score to the reader that takes over", async () => {
    expect(await scoresOf("batch")).toEqual([undefined, undefined]);
  });
});

it("N7: hypothetical answers are written once a question, however often it is searched for", async () => {
  let written = 0;
  const { graph } = scriptedGraph({
    knowledgeBase: scriptedBase(
      ["alpha", "beta-two", "gamma-three"].map((id) => [passage(id), passage(`${id}-more`)]),
      ["hybrid", "vector"],
    ),
    reasoner: {
      ...judging(0.1),
      ...answering,
      hypothesize: async () => {
        written += 1;
        return ["The keeper counted 12 ships."];
      },
    },
  });
  const { details } = await graph.invoke(QUESTION, {
    context: { hyde: true, thresholds: { auto_approve_max_items: 0 } },
  });
  expect(details?.tools.length).toBeGreaterThan(1);
  expect(written).toBe(1);
});
