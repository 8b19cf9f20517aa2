/** Reads the routing plan, the calls so far and why this round happens; writes the next calls. */
import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "@jest/globals";
import { planNode } from "../../src/nodes/plan.js";
import type { ToolHistoryEntry } from "../../src/state/run-record.js";
import { WEB_SEARCH_TOOL } from "../../src/tools/web-tools.js";
import { scriptedBase } from "../support/scripted-base.js";
import { scriptedWeb, nodeRunner } from "../support/run-node.js";

const { run } = nodeRunner(planNode);
const keyword = (query: string) => ({ tool: "keyword_search", args: { query } });
const made = (call: { tool: string; args: Record<string, unknown> }): ToolHistoryEntry => ({
  ...call,
  round: 0,
  status: "ok",
  scores: [],
  evidence_ids: [],
  output: "",
  duration_ms: 1,
});
const STATE = {
  question: "How high is it?",
  standalone_question: "How high is the tower?",
  routing_plan: {
    strategies: ["keyword" as const],
    tried: ["keyword" as const],
    available: ["keyword" as const],
    time_sensitive: false,
    reason: "",
  },
};
const knowledgeBase = scriptedBase([[]]);

describe("plan", () => {
  it("writes the calls and what was tried, and stamps the round", async () => {
    const { writes, state, of } = await run(STATE, {
      knowledgeBase,
      reasoner: { plan: async () => [keyword("tower height")] },
    });
    expect(writes).toEqual(["pending_tool_calls", "routing_plan", "run"]);
    expect(state.pending_tool_calls).toEqual([keyword("tower height")]);
    expect(state.run.round_started_at).toBeGreaterThanOrEqual(0);
    expect(of("planned")).toMatchObject([{ iteration: 0, calls: [keyword("tower height")] }]);
  });

  it("makes no call twice in a run, and none of a tool that does not exist", async () => {
    const { state } = await run(
      { ...STATE, tool_history: [made(keyword("tower height"))] },
      {
        knowledgeBase,
        reasoner: {
          plan: async () => [
            keyword("tower height"),
            { tool: "launch", args: {} },
            keyword("metres"),
          ],
        },
      },
    );
    expect(state.pending_tool_calls).toEqual([keyword("metres")]);
  });

  it("adds the web that the grader asked for, with a query from the user's words", async () => {
    const asked: string[] = [];
    const { state } = await run(
      {
        ...STATE,
        messages: [new HumanMessage("Where is the tower?")],
        run: { purpose: "re_retrieve", wants_web: true },
      },
      {
        knowledgeBase,
        web: scriptedWeb([]),
        reasoner: {
          plan: async ({ strategies }) =>
            strategies.includes("web")
              ? [{ tool: WEB_SEARCH_TOOL, args: { query: "from evidence" } }]
              : [],
          webQuery: async ({ question }) => {
            asked.push(question);
            return "tower height";
          },
        },
      },
    );
    expect(asked).toEqual(["How high is the tower?"]);
    expect(state.pending_tool_calls).toEqual([
      { tool: WEB_SEARCH_TOOL, args: { query: "tower height" } },
    ]);
    expect(state.run.wants_web).toBe(false);
  });

  it("plans no web search that a person denied", async () => {
    const seen: string[] = [];
    await run(
      { ...STATE, run: { purpose: "re_retrieve", wants_web: true, web_denied: true } },
      {
        knowledgeBase,
        web: scriptedWeb([]),
        reasoner: {
          plan: async ({ strategies }) => {
            seen.push(...strategies);
            return [];
          },
        },
      },
    );
    expect(seen).toEqual(["keyword"]);
  });
});
