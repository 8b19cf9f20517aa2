/** Reads the planned calls; writes their results as evidence, and the history of calls. */
import { describe, expect, it } from "@jest/globals";
import { toolsNode } from "../../src/nodes/tools.js";
import { isFromWeb } from "../../src/state/evidence.js";
import { item } from "../grading/evidence.js";
import { passage, scriptedBase } from "../support/scripted-base.js";
import { nodeRunner } from "../support/run-node.js";

const { run } = nodeRunner(toolsNode);
const CALL = { tool: "keyword_search", args: { query: "keeper" } };
const STATE = { standalone_question: "What did the keeper count?", pending_tool_calls: [CALL] };

describe("tools", () => {
  it("writes evidence and history, and leaves no call pending", async () => {
    const { writes, state } = await run(STATE, {
      knowledgeBase: scriptedBase([[passage("alpha"), passage("beta")]]),
    });
    expect(writes).toEqual(["context", "pending_tool_calls", "tool_history"]);
    expect(state.pending_tool_calls).toEqual([]);
    expect(state.context.map(({ id, status }) => [id, status])).toEqual([
      ["alpha", "ungraded"],
      ["beta", "ungraded"],
    ]);
    expect(state.tool_history).toMatchObject([
      { ...CALL, round: 0, status: "ok", evidence_ids: ["alpha", "beta"] },
    ]);
  });

  it("searches again where the passages show how a word is spelled, beside all other calls", async () => {
    const question = "What did the keepre count?";
    const other = { tool: "keyword_search", args: { query: "lamps" } };
    const keeper = passage("keeper", "The keeper counted ships.");
    const { writes, state } = await run(
      {
        standalone_question: question,
        pending_tool_calls: [{ tool: "keyword_search", args: { query: question } }, other],
      },
      { knowledgeBase: scriptedBase([[keeper], [passage("lamps")], [passage("log"), keeper]]) },
    );
    expect(writes).toContain("standalone_question");
    expect(state.standalone_question).toBe("What did the keeper count?");
    expect(state.tool_history.map(({ args }) => args["query"])).toEqual([
      question,
      "lamps",
      "What did the keeper count?",
    ]);
    expect(state.context.map(({ id }) => id).sort()).toEqual(["keeper", "lamps", "log"]);
  });

  it("takes a tool that fails for an outcome, not for an error", async () => {
    const base = scriptedBase([[]]);
    const { state } = await run(STATE, {
      knowledgeBase: { ...base, search: () => Promise.reject(new Error("the disk is gone")) },
    });
    expect(state.tool_history).toMatchObject([{ status: "error", error: "the disk is gone" }]);
    expect(state.outcome.causes).toContain("tool_error");
  });

  it("drops near-duplicates of what is at hand, and keeps to top_k passages", async () => {
    const found = ["alpha", "beta", "gamma", "delta"].map((id) => passage(id));
    const copy = passage("copy", passage("alpha").text);
    const { state } = await run(
      { ...STATE, context: [item("old", { text: passage("beta").text })] },
      { knowledgeBase: scriptedBase([[copy, ...found]]), context: { top_k: 2 } },
    );
    expect(state.context.map(({ id }) => id)).toEqual(["old", "copy", "gamma"]);
  });

  it("keeps to top_k of the pages that the knowledge base holds as well", async () => {
    const found = ["alpha", "beta", "gamma"].map((id) => ({
      ...passage(id),
      path: `https://intranet.example/${id}`,
    }));
    const { state } = await run(STATE, {
      knowledgeBase: scriptedBase([found]),
      context: { top_k: 2 },
    });
    expect(state.context.map(({ id }) => id)).toEqual(["alpha", "beta"]);
    expect(state.context.some(isFromWeb)).toBe(false);
  });

  it("brings back what a judge refused with its scores, whatever id it has now", async () => {
    const { text, path } = passage("alpha");
    const refused = item("before", {
      text,
      source: { kind: "file", path },
      status: "discarded",
      scores: [{ value: 0.1, scale: "relevance", by: "judge:batch" }],
    });
    const { state } = await run(
      { ...STATE, discarded: [refused] },
      { knowledgeBase: scriptedBase([[passage("alpha")]]) },
    );
    expect(state.context).toMatchObject([{ id: "alpha", scores: refused.scores }]);
  });
});
