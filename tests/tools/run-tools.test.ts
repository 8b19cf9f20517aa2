import { describe, expect, it } from "@jest/globals";
import { BudgetExhaustedError } from "../../src/observability/budget.js";
import { KnowledgeBaseError } from "../../src/retrieval/knowledge-base.js";
import { runCalls } from "../../src/tools/run-tools.js";
import type { AgentTool, ToolOutput } from "../../src/tools/tool.js";
import type { Evidence, Score } from "../../src/state/evidence.js";
import { createTestScope } from "../support/test-scope.js";

function found(id: string, scores: Score[] = []): Evidence {
  return {
    id,
    text: id,
    title: id,
    source: { kind: "tool", path: "t" },
    tool: "t",
    round: 0,
    scores,
    status: "ungraded",
  };
}

function tool(name: string, run: AgentTool["run"], timeoutInMs = 1_000): AgentTool {
  return { name, description: "", origin: "documents", parameters: {}, timeoutInMs, run };
}

const gives =
  (...evidence: Evidence[]): (() => Promise<ToolOutput>) =>
  () =>
    Promise.resolve({ evidence, summary: "found" });
const run = (
  tools: AgentTool[],
  names = tools.map(({ name }) => name),
  scope = createTestScope(),
) =>
  runCalls({
    calls: names.map((name) => ({ tool: name, args: {} })),
    tools,
    question: "?",
    round: 2,
    scope,
  });

describe("runCalls", () => {
  it("runs the calls side by side", async () => {
    let running = 0;
    let most = 0;
    const slow = async (): Promise<ToolOutput> => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
      return { evidence: [], summary: "" };
    };
    await run([tool("a", slow), tool("b", slow), tool("c", slow)]);
    expect(most).toBe(3);
  });

  it("is not held beyond its limit by a tool that does not heed its signal, and aborts the signal", async () => {
    let signal: AbortSignal | undefined;
    const deaf = tool(
      "deaf",
      (input) => ((signal = input.signal), new Promise<ToolOutput>(() => undefined)),
      30,
    );
    const { entries, evidence } = await run([deaf, tool("quick", gives(found("x")))]);
    expect(entries.map(({ status }) => status)).toEqual(["timeout", "ok"]);
    expect(entries[0]?.error).toBe("no answer within 30 ms");
    expect(evidence.map(({ id }) => id)).toEqual(["x"]);
    expect(signal?.aborted).toBe(true);
  });

  it("turns errors of any kind into data, thrown early or late", async () => {
    const scope = createTestScope();
    const { entries } = await run(
      [
        tool("throws", () => {
          throw new Error("broken");
        }),
        tool("rejects", () => Promise.reject(new KnowledgeBaseError("the index is corrupt"))),
        tool("string", () => {
          // eslint-disable-next-line @typescript-eslint/only-throw-error -- tools of others do
          throw "just a string";
        }),
        tool("poor", () => Promise.reject(new BudgetExhaustedError("webSearches", 3))),
        tool("empty", gives()),
      ],
      ["throws", "rejects", "string", "poor", "empty", "unknown"],
      scope,
    );
    expect(entries.map(({ status, error }) => [status, error])).toEqual([
      ["error", "broken"],
      ["error", "the index is corrupt"],
      ["error", "just a string"],
      ["skipped", "the run's budget of 3 web searches is used up"],
      ["empty", undefined],
      ["error", "there is no tool unknown"],
    ]);
    expect([...scope.causes].sort()).toEqual(["budget_exhausted", "knowledge_base_error"]);
    expect(scope.of("budget_exhausted")).toMatchObject([
      { resource: "webSearches", limit: 3, skipped: "poor {}" },
    ]);
    expect(
      scope.of("tool_call").map(({ tool: name, status, iteration }) => [name, status, iteration]),
    ).toContainEqual(["throws", "error", 2]);
  });

  it("does not let a failure after the limit become an unhandled rejection", async () => {
    const late = tool(
      "late",
      () => new Promise((_resolve, reject) => setTimeout(() => reject(new Error("late")), 40)),
      10,
    );
    expect((await run([late])).entries[0]?.status).toBe("timeout");
    await new Promise((resolve) => setTimeout(resolve, 60));
  });

  it("rejects when the run is cancelled, and only then", async () => {
    const controller = new AbortController();
    const waiting = run(
      [tool("deaf", () => new Promise<ToolOutput>(() => undefined))],
      ["deaf"],
      createTestScope({ signal: controller.signal }),
    );
    controller.abort(new Error("cancelled by the caller"));
    await expect(waiting).rejects.toThrow("cancelled by the caller");
  });

  it("merges by id with all scores, ranked by the ranks of the calls", async () => {
    const bm25: Score = { value: 9, scale: "bm25", by: "fts5" };
    const cosine: Score = { value: 0.9, scale: "cosine", by: "vec" };
    const { evidence, entries } = await run([
      tool("k", gives(found("a", [bm25]), found("b", [bm25]))),
      tool("v", gives(found("b", [cosine]), found("c", [cosine]))),
    ]);
    expect(evidence.map(({ id }) => id)).toEqual(["b", "a", "c"]);
    expect(evidence[0]?.scores).toEqual([bm25, cosine]);
    expect(entries.map(({ evidence_ids: ids, scores }) => [ids, scores.length])).toEqual([
      [["a", "b"], 2],
      [["b", "c"], 2],
    ]);
  });
});
