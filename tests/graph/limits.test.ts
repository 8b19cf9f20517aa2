import { END, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "@jest/globals";
import { AgentState } from "../../src/state/agent-state.js";
import { PROFILE_NAMES } from "../../src/settings/run-settings.js";
import { judgeSaying, scriptedGraph } from "../support/scripted-parts.js";
import { passage, scriptedBase } from "../support/scripted-base.js";

const QUESTION = { question: "What did the keeper count?" };

/** Each search brings something new, so that only limits can end the loop. */
function endless(): ReturnType<typeof scriptedBase> {
  const lists = Array.from({ length: 40 }, (_, round) =>
    [1, 2, 3].map((n) => passage(`${"abcdefgh"[round % 8]}${"z".repeat(round + 1)}-${n}`)),
  );
  return scriptedBase(lists, ["keyword", "vector"]);
}

it("lets as many calls as the settings allow wait on the run's signal", async () => {
  /** `getMaxListeners` knows no signal that comes from outside of Jest's sandbox. */
  const limitOf = (signal: AbortSignal): unknown => {
    const symbols = Object.getOwnPropertySymbols(signal);
    const limit = symbols.find(({ description }) => description?.includes("maxEventTarget"));
    return limit && Reflect.get(signal, limit);
  };
  const limits: unknown[] = [];
  const judge = judgeSaying(0.9);
  const { graph } = scriptedGraph({
    knowledgeBase: endless(),
    reasoner: {
      ...judge,
      grade: (input, scope) => {
        limits.push(limitOf(scope.signal));
        return judge.grade(input, scope);
      },
    },
  });
  await graph.invoke(QUESTION);
  expect(limits).toEqual([0]);
});

describe("a caller's recursion limit", () => {
  const limits = [8, 9, 10, 11, 12, 13, 14, 15, 17, 20, 25, 30, 48];

  it.each(limits)(
    "of %i ends in an answer or abstention and never in a recursion error",
    async (recursionLimit) => {
      for (const score of [0.5, 0.1]) {
        const { graph } = scriptedGraph({ knowledgeBase: endless(), reasoner: judgeSaying(score) });
        const result = await graph.invoke(QUESTION, {
          recursionLimit,
          context: { max_iterations: 20 },
        });
        expect(result.answer).not.toBe("");
        expect(["success", "closest_passages", "abstained"]).toContain(result.outcome.status);
      }
    },
  );

  it("leaves room for as many corrections as fit, and warns that it cut the loop short", async () => {
    const { graph } = scriptedGraph({ knowledgeBase: endless(), reasoner: judgeSaying(0.5) });
    const result = await graph.invoke(QUESTION, {
      recursionLimit: 14,
      context: { max_iterations: 20 },
    });
    expect(result.outcome.causes).toContain("step_limit");
    expect(result.details?.iterations).toBeGreaterThan(0);
  });

  it("holds on a thread whose steps have been counted before", async () => {
    const { graph } = scriptedGraph({
      knowledgeBase: endless(),
      reasoner: judgeSaying(0.1),
      checkpointer: new MemorySaver(),
    });
    for (let turn = 0; turn < 4; turn++) {
      const result = await graph.invoke(QUESTION, {
        recursionLimit: 9,
        configurable: { thread_id: "one" },
        context: { max_iterations: 9 },
      });
      expect(result.answer).not.toBe("");
    }
  });

  it("holds in a batch", async () => {
    const { graph } = scriptedGraph({ knowledgeBase: endless(), reasoner: judgeSaying(0.5) });
    const results = await graph.batch([QUESTION, QUESTION, QUESTION], {
      context: { max_iterations: 20 },
    });
    for (const result of results)
      expect(result).toMatchObject({ answer: expect.stringMatching(/./) });
  });

  it("holds as a subgraph of a parent with a limit of its own", async () => {
    const { graph } = scriptedGraph({
      knowledgeBase: endless(),
      reasoner: judgeSaying(0.1),
      environment: { KB_AGENT_MAX_ITERATIONS: "20" },
    });
    const parent = new StateGraph(AgentState)
      .addNode("before", async () => ({}))
      .addNode("research", graph)
      .addNode("after", async () => ({}))
      .addEdge(START, "before")
      .addEdge("before", "research")
      .addEdge("research", "after")
      .addEdge("after", END)
      .compile();
    for (const recursionLimit of [8, 12, 25]) {
      const result = await parent.invoke(QUESTION, { recursionLimit });
      expect(result.answer).not.toBe("");
    }
  });
});

describe("the limit of corrections", () => {
  it.each(PROFILE_NAMES)(
    "bounds the rounds of %s with a judge that always says 0.5",
    async (profile) => {
      for (const limit of [0, 1, 2, 5]) {
        const { graph, events } = scriptedGraph({
          knowledgeBase: endless(),
          reasoner: judgeSaying(0.5),
        });
        const result = await graph.invoke(QUESTION, {
          recursionLimit: 128,
          context: { profile, max_iterations: limit },
        });
        expect(events.filter(({ type }) => type === "rag_iteration").length).toBeLessThanOrEqual(
          limit + 1,
        );
        expect(result.details?.iterations).toBeLessThanOrEqual(limit);
        expect(result.answer).not.toBe("");
      }
    },
  );

  it.each(PROFILE_NAMES)(
    "bounds the rounds of %s with a judge that always fails",
    async (profile) => {
      const failing = {
        ...judgeSaying(0),
        grade: () => Promise.reject(new Error("the judge is ill")),
      };
      const { graph } = scriptedGraph({ knowledgeBase: endless(), reasoner: failing });
      const result = await graph.invoke(QUESTION, {
        context: { profile, max_iterations: 3 },
      });
      expect(result.answer).not.toBe("");
      // The signals profile asks no reasoner to judge.
      if (profile !== "signals")
        expect(result.outcome).toEqual({ status: "failed", causes: ["internal_error"] });
    },
  );

  it("of 1 still corrects once", async () => {
    const { graph } = scriptedGraph({ knowledgeBase: endless(), reasoner: judgeSaying(0.5) });
    const result = await graph.invoke(QUESTION, { context: { max_iterations: 1 } });
    expect(result.details).toMatchObject({ iterations: 1, max_iterations: 1 });
  });

  it.each([
    [{ max_iterations: 4, quality: "quick" as const }, { KB_AGENT_MAX_ITERATIONS: "2" }, 4],
    [{ quality: "quick" as const }, { KB_AGENT_MAX_ITERATIONS: "5" }, 1],
    [{ quality: "thorough" as const }, {}, 4],
    [{ quality: "balanced" as const }, {}, 2],
    [{}, { KB_AGENT_MAX_ITERATIONS: "5", MAX_RAG_LOOPS: "2" }, 5],
    [{}, { MAX_RAG_LOOPS: "2" }, 2],
    [{}, {}, 3],
    [{ profile: "signals" as const }, {}, 1],
    [{ profile: "three_action" as const }, { MAX_RAG_LOOPS: "4" }, 4],
  ])(
    "is found from the run %j and the environment %j: %i",
    async (context, environment, expected) => {
      const { graph } = scriptedGraph({ knowledgeBase: scriptedBase([[]]), environment });
      const result = await graph.invoke(QUESTION, { context: context });
      expect(result.details?.max_iterations).toBe(expected);
    },
  );
});
