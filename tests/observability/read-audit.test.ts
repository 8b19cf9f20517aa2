import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent, RecordedEvent } from "../../src/observability/events.js";
import { findRun, storyOf, summarize } from "../../src/cli/audit.js";
import { readRuns, type AuditedRun } from "../../src/observability/audit-log.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "audit-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const recorded = (run: string, seconds: number, event: AgentEvent): RecordedEvent => ({
  ...event,
  at: new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString(),
  run_id: run,
  node: "node",
});
const graded = (
  score: number,
  label: "CORRECT" | "AMBIGUOUS" | "INCORRECT",
  action: "GENERATE" | "REFINE" | "RE_RETRIEVE",
  iteration = 0,
): AgentEvent => ({
  type: "rag_iteration",
  iteration,
  eval_score: score,
  took_ms: 12,
  label,
  action,
  reasoning: "because",
  retriever_stats: [],
});
const aRun = (id: string, inputs?: unknown): RecordedEvent[] => [
  recorded(id, 0, {
    type: "run_started",
    question: `What is ${id}?`,
    profile: "adaptive",
    quality: "balanced",
    reasoner: "embedded",
  }),
  recorded(id, 1, {
    type: "planned",
    iteration: 0,
    calls: [{ tool: "keyword_search", args: { query: id } }],
  }),
  recorded(id, 2, {
    type: "evidence_graded",
    iteration: 0,
    judge: "embedded",
    scores: [{ id: "e1", score: 0.5 }],
    inputs,
  }),
  recorded(id, 2, graded(0.5, "AMBIGUOUS", "REFINE")),
  recorded(id, 3, { type: "fast_path_hit", rule_name: "read_file", items: 1 }),
  recorded(id, 3, { type: "evidence_graded", iteration: 1, judge: "rule", scores: [], inputs }),
  recorded(id, 3, graded(1, "CORRECT", "GENERATE", 1)),
  recorded(id, 4, {
    type: "graph_outcome",
    outcome: "success",
    status: "success",
    causes: [],
    iterations: 1,
    took_ms: 4000,
    answer: "It is this [1].",
    passages: [],
  }),
];
const asRun = (id: string, inputs?: unknown): AuditedRun => ({
  runId: id,
  events: aRun(id, inputs),
});

describe("reading the audit log", () => {
  it("returns the runs in order, skips lines that are not events, and survives interleaving", async () => {
    const path = join(folder, "audit.jsonl");
    const [a, b] = [aRun("alpha"), aRun("beta")];
    const lines = a.flatMap((event, n) => [event, b[n]]).map((event) => JSON.stringify(event));
    await writeFile(
      path,
      ['{"torn', ...lines, "not json", "42", "null", '{"type":"warning"}', ""].join("\n"),
    );
    const { runs, unreadableLines } = await readRuns(path);
    expect(unreadableLines).toBe(5);
    expect(runs.map(({ runId, events }) => [runId, events.length])).toEqual([
      ["alpha", a.length],
      ["beta", b.length],
    ]);
    expect(runs.map(summarize)[1]).toEqual({
      runId: "beta",
      startedAt: "2026-01-01T00:00:00.000Z",
      question: "What is beta?",
      outcome: "success",
      iterations: 1,
      took_ms: 4000,
    });
  });

  it("returns nothing if there is no log", async () => {
    expect((await readRuns(join(folder, "none.jsonl"))).runs).toEqual([]);
  });

  it("finds the newest run by the beginning of its id, or as the last", () => {
    const runs = [asRun("abc1"), asRun("abc2"), asRun("x")];
    expect(findRun(runs, "last")).toMatchObject({ runId: "x" });
    expect(findRun(runs, "abc1")).toMatchObject({ runId: "abc1" });
    expect(findRun(runs, "abc")).toMatchObject({ runId: "abc2" });
    expect(() => findRun(runs, "q")).toThrow('the audit log has no run "q"');
    expect(() => findRun([], "last")).toThrow('the audit log has no run "last"');
  });

  it("names an incomplete event instead of failing", () => {
    const broken: RecordedEvent = JSON.parse(
      '{"type":"evidence_graded","at":"2026-01-01T00:00:00Z","run_id":"r","node":"n"}',
    );
    expect(storyOf({ runId: "r", events: [broken] })).toContain("evidence_graded (incomplete)");
  });
});

describe("the story of a run", () => {
  it("tells what was asked, searched, graded and answered, with the time of each", () => {
    expect(storyOf(asRun("alpha")).split("\n")).toEqual([
      "Run alpha, 2026-01-01T00:00:00.000Z",
      "     0 ms  asked: What is alpha? (adaptive, balanced, embedded)",
      '  1000 ms  searching: keyword_search "alpha"',
      "  2000 ms  graded by embedded: e1 0.50",
      "  2000 ms  evidence graded AMBIGUOUS 0.50: searching for what is missing",
      "  3000 ms  approved by the rule read_file, without a judge",
      "  3000 ms  graded by rule: nothing to grade",
      "  3000 ms  evidence graded CORRECT 1.00: the search ends",
      "  4000 ms  ended: success; corrections: 1",
      "",
      "It is this [1].",
    ]);
  });
});
