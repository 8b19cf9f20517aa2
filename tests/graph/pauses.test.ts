/** A person's part in a run: interrupts within tools, and time that nobody worked. */
import { expect, it } from "@jest/globals";
import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { z } from "zod";
import { passage, scriptedBase } from "../support/scripted-base.js";
import { judgeSaying, scriptedGraph } from "../support/scripted-parts.js";

const config = { configurable: { thread_id: "t" } };
const QUESTION = { question: "What did the keeper count?" };

it("pauses the run when a user's tool interrupts, and resumes with the person's answer", async () => {
  const allowed: unknown[] = [];
  const lookup = tool(
    ({ query }) => {
      allowed.push(interrupt({ approve: query }));
      return "The keeper counted 12 ships in the harbour log.";
    },
    { name: "lookup", description: "The log.", schema: z.object({ query: z.string() }) },
  );
  const { graph } = scriptedGraph({
    knowledgeBase: scriptedBase([[]]),
    tools: [lookup],
    reasoner: {
      ...judgeSaying(0.9),
      plan: async () => [{ tool: "lookup", args: { query: "the log" } }],
    },
    checkpointer: new MemorySaver(),
  });
  const paused: Record<string, unknown> = await graph.invoke(QUESTION, config);
  expect(paused["__interrupt__"]).toMatchObject([{ value: { approve: "the log" } }]);
  expect((await graph.getState(config)).next).toEqual(["tools"]);
  const { details } = await graph.invoke(new Command({ resume: "yes" }), config);
  expect(allowed).toEqual(["yes"]);
  expect(details?.tools).toMatchObject([{ tool: "lookup", status: "ok", count: 1 }]);
});

it("names a user's tool that failed as a cause, even if its name begins like the web tools'", async () => {
  const lookup = tool(
    () => {
      throw new Error("the log is closed");
    },
    { name: "web_log", description: "The log.", schema: z.object({ query: z.string() }) },
  );
  const { graph } = scriptedGraph({
    knowledgeBase: scriptedBase([[]]),
    tools: [lookup],
    reasoner: {
      ...judgeSaying(0.9),
      plan: async () => [{ tool: "web_log", args: { query: "the log" } }],
    },
  });
  const { outcome, answer } = await graph.invoke(QUESTION);
  expect(outcome.causes).toContain("tool_error");
  expect(answer).toContain("web_log failed: the log is closed");
});

it("does not count a person's pause against the run's seconds", async () => {
  let time = Date.UTC(2026, 0, 1);
  const { graph } = scriptedGraph({
    knowledgeBase: scriptedBase([[passage("alpha"), passage("beta-two"), passage("gamma-three")]]),
    reasoner: judgeSaying(0.9),
    checkpointer: new MemorySaver(),
    now: () => time,
  });
  await graph.invoke(QUESTION, {
    ...config,
    context: { budget: { seconds: 10 } },
    interruptBefore: ["synthesize"],
  });
  time += 600_000;
  const { outcome, warnings, details } = await graph.invoke(null, config);
  expect(outcome.causes).not.toContain("budget_exhausted");
  expect(warnings).toEqual([]);
  expect(details?.took_ms).toBeLessThan(600_000);
});

it.each([-86_400_000, 86_400_000])(
  "ends no run when the clock is set by %d ms, at any moment of it",
  async (jump) => {
    for (let at = 1; at <= 12; at += 1) {
      let reads = 0;
      const { graph, events } = scriptedGraph({
        knowledgeBase: scriptedBase([
          [passage("alpha"), passage("beta-two"), passage("gamma-three")],
        ]),
        reasoner: judgeSaying(0.9),
        now: () => Date.now() + ((reads += 1) > at ? jump : 0),
        ticks: () => performance.now(),
      });
      const { outcome, details } = await graph.invoke(QUESTION);
      expect(outcome).toMatchObject({ status: "success", causes: [] });
      const times = [...events, { took_ms: details?.took_ms }].flatMap((each) =>
        "took_ms" in each && each.took_ms !== undefined ? [each.took_ms] : [],
      );
      expect(Math.min(...times)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...times)).toBeLessThan(60_000);
    }
  },
);

it("yields between nodes, so that others need not wait for a whole run", async () => {
  const { graph } = scriptedGraph({
    knowledgeBase: scriptedBase([[passage("alpha"), passage("beta-two")]]),
  });
  let turns = 0;
  let running = true;
  const count = (): void => {
    turns += 1;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  await graph.invoke(QUESTION);
  running = false;
  expect(turns).toBeGreaterThanOrEqual(7);
});
