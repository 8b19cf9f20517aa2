/** Reads the question, `run.purpose` and `routing_plan`; writes `mode` and `routing_plan`. */
import { describe, expect, it } from "@jest/globals";
import { analyzeAndRouteNode } from "../../src/nodes/analyze-and-route.js";
import type { Route } from "../../src/reasoning/reasoner.js";
import { scriptedBase } from "../support/scripted-base.js";
import { nodeRunner } from "../support/run-node.js";

const { run } = nodeRunner(analyzeAndRouteNode);
const QUESTION = { question: "How high is it?", standalone_question: "How high is the tower?" };
const routing = (route: Partial<Route>) => ({
  route: async (): Promise<Route> => ({
    mode: "search",
    timeSensitive: false,
    reason: "scripted",
    ...route,
  }),
});

describe("analyze_and_route", () => {
  it("plans the strategy that the reasoner names, and counts it as tried", async () => {
    const { writes, state } = await run(QUESTION, {
      knowledgeBase: scriptedBase([[]], ["keyword", "vector"]),
      reasoner: routing({ strategy: "vector", timeSensitive: true }),
    });
    expect(writes).toEqual(["mode", "routing_plan"]);
    expect(state.routing_plan).toEqual({
      strategies: ["vector"],
      tried: ["vector"],
      available: expect.arrayContaining(["keyword", "vector"]),
      time_sensitive: true,
      reason: "scripted",
    });
  });

  it("writes the mode alone for small talk", async () => {
    const { writes, state } = await run(QUESTION, { reasoner: routing({ mode: "chat" }) });
    expect(writes).toEqual(["mode"]);
    expect(state.mode).toBe("chat");
  });

  it("picks an untried strategy after RE_RETRIEVE, without asking the reasoner", async () => {
    const plan = {
      strategies: ["keyword" as const],
      tried: ["keyword" as const],
      available: ["keyword" as const, "vector" as const],
      time_sensitive: false,
      reason: "",
    };
    const { state, writes } = await run(
      { ...QUESTION, routing_plan: plan, run: { purpose: "re_retrieve" } },
      { reasoner: { route: () => Promise.reject(new Error("was asked")) } },
    );
    expect(writes).toEqual(["routing_plan"]);
    expect(state.routing_plan).toMatchObject({
      strategies: ["vector"],
      tried: ["keyword", "vector"],
    });
  });

  it.each([
    [{ web_search: "on" }, "web search is on but has no provider"],
    [{ hyde: true }, "HyDE is on, but the knowledge base has no vectors"],
  ] as const)("warns that %j cannot take effect", async (context, warning) => {
    const { state } = await run(QUESTION, { context, reasoner: routing({}) });
    expect(state.warnings.join("\n")).toContain(warning);
  });
});
