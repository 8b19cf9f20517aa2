/** The fourteen scenarios of the adaptive loop, by their names, through the compiled graph and a model endpoint on real HTTP. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { ContextValues } from "../../src/settings/context.js";
import { createCorrectiveRag, type CorrectiveRagResult } from "../../src/corrective-rag.js";
import { ingest } from "../../src/ingest/ingest.js";
import type { EventType, RecordedEvent } from "../../src/observability/events.js";
import type { KnowledgeBase } from "../../src/retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { startModelServer, type ModelServer } from "../support/model-server.js";
import { passage, scriptedBase } from "../support/scripted-base.js";

const QUESTION = "What did the keeper count?";
const [a, b, c, d] = [
  passage("alpha"),
  passage("beta-two"),
  passage("gamma-three"),
  passage("delta-fourth"),
];

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());
beforeEach(() => server.reset());

interface Run {
  result: CorrectiveRagResult;
  events: RecordedEvent[];
  of<T extends EventType>(type: T): Extract<RecordedEvent, { type: T }>[];
  /** Nodes in the order in which they ran. */
  route: string[];
  modelCalls: string[];
}

async function run(
  knowledgeBase: KnowledgeBase,
  {
    question = QUESTION,
    environment = {},
    ...context
  }: ContextValues & { question?: string; environment?: Record<string, string> } = {},
): Promise<Run> {
  const logged: RecordedEvent[] = [];
  const agent = createCorrectiveRag({
    environment: {
      OPENAI_BASE_URL: server.baseUrl,
      LLM_MODEL: "test-model",
      KB_AGENT_AUDIT_LOG_PATH: "off",
      CRAG_READER: "lexical",
      ...environment,
    },
    knowledgeBase,
    checkpointer: false,
    onEvent: (event) => logged.push(event),
  });
  const route: string[] = [];
  const result = await agent.ask(question, {
    context: { self_consistency: false, ...context },
  });
  for (const { node, type } of logged) {
    if (type === "model_call" || type === "warning") continue;
    if (route.at(-1) !== node) route.push(node);
  }
  await agent.close();
  return {
    result,
    events: logged,
    of: <T extends EventType>(type: T) =>
      logged.filter((event): event is Extract<RecordedEvent, { type: T }> => event.type === type),
    route,
    modelCalls: server.requests.map(({ task }) => task),
  };
}

describe("Requirement: Grade each evidence item for relevance", () => {
  it("Scenario: Rule — read_file results auto-approve", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "scenario-"));
    await writeFile(
      path.join(folder, "harbour.md"),
      "# Harbour\n\nThe keeper counted 12 ships in the harbour.\n",
    );
    const knowledgeBase = await openSqliteKnowledgeBase({ directory: path.join(folder, "kb") });
    await ingest({ targets: [path.join(folder, "harbour.md")], knowledgeBase, cwd: folder });
    server.script("tool_calls", {
      calls: [{ tool: "read_file", arguments: JSON.stringify({ path: "harbour.md" }) }],
      reason: "named",
    });
    // Only read_file is on offer, so that every call of the round is one.
    const onlyFiles: KnowledgeBase = {
      name: knowledgeBase.name,
      modes: [],
      search: async () => [],
      documents: () => knowledgeBase.documents(),
      passagesOf: (at) => knowledgeBase.passagesOf(at),
      version: () => knowledgeBase.version(),
      stats: () => knowledgeBase.stats(),
      close: async () => undefined,
    };
    const { result, of, modelCalls } = await run(onlyFiles, {
      question: "How many ships are named in harbour.md?",
      thresholds: { auto_approve_max_items: 0 },
    });
    await knowledgeBase.close();
    await rm(folder, { recursive: true });
    expect(result.details?.tools.map(({ tool }) => tool)).toEqual(["read_file"]);
    expect(result.details?.action).toBe("GENERATE");
    expect(Object.values(result.details?.scores ?? {})).toEqual([1]);
    expect(of("fast_path_hit")).toEqual([expect.objectContaining({ rule_name: "read_file" })]);
    expect(modelCalls).toEqual(["answer"]);
  });

  it("Scenario: Rule — few context items auto-approve", async () => {
    const { result, of, modelCalls } = await run(scriptedBase([[a, b]]));
    expect(result.details).toMatchObject({
      action: "GENERATE",
      evaluation: { rule: "few_context" },
      relevance_scores: [1, 1],
    });
    expect(of("fast_path_hit")).toEqual([
      expect.objectContaining({ rule_name: "few_context", items: 2 }),
    ]);
    expect(modelCalls).toEqual(["answer"]);
  });

  it("Scenario: Rule — high vector score auto-approve", async () => {
    const near = [a, b, c].map((found) => ({ passage: found, score: 0.8 }));
    const { result, of, modelCalls } = await run(scriptedBase([near], ["vector"]));
    expect(result.details).toMatchObject({
      action: "GENERATE",
      evaluation: { rule: "high_vector_score" },
      relevance_scores: [1, 1, 1],
    });
    expect(of("fast_path_hit")).toEqual([
      expect.objectContaining({ rule_name: "high_vector_score" }),
    ]);
    expect(modelCalls).toEqual(["answer"]);
  });

  it("Scenario: No rule matched — fall through to LLM grading", async () => {
    server.script("relevance_scores", { scores: [0.9, 0.8, 0.7] });
    const { result, of, modelCalls } = await run(scriptedBase([[a, b, c]]));
    expect(of("fast_path_hit")).toEqual([]);
    expect(modelCalls).toEqual(["relevance_scores", "answer"]);
    expect(result.details?.scores).toEqual({ alpha: 0.9, "beta-two": 0.8, "gamma-three": 0.7 });
  });

  it("Scenario: Batch relevance grading", async () => {
    server.script("relevance_scores", { scores: [0.9, 0.9, 0.8, 0.8] });
    const { result } = await run(scriptedBase([[a, b, c, d]]));
    const grading = server.requests.filter(({ task }) => task === "relevance_scores");
    expect(grading).toHaveLength(1);
    expect(grading[0]?.user.match(/<source /g)).toHaveLength(4);
    expect(Object.keys(result.details?.scores ?? {})).toHaveLength(4);
  });

  it("Scenario: Grading with parse failure fallback", async () => {
    server.script("relevance_scores", "I would rather not put numbers on it.");
    const { result, of } = await run(scriptedBase([[a, b, c]]), { max_iterations: 0 });
    expect(result.details?.relevance_scores).toEqual([0.5, 0.5, 0.5]);
    expect(of("grade_parse_failure")).toEqual([
      expect.objectContaining({ judge: "batch", expected: 3 }),
    ]);
  });
});

describe("Requirement: Filter low-relevance evidence", () => {
  it("Scenario: Low-score evidence removed", async () => {
    server.script("relevance_scores", { scores: [0.9, 0.29, 0.8] });
    const { result, of } = await run(scriptedBase([[a, b, c]]));
    expect(result.details?.kept.map(({ id }) => id)).toEqual(["alpha", "gamma-three"]);
    expect(result.details?.discarded).toEqual([
      expect.objectContaining({ id: "beta-two", score: 0.29 }),
    ]);
    expect(of("evidence_removed")).toEqual([
      expect.objectContaining({ id: "beta-two", score: 0.29 }),
    ]);
  });

  it("Scenario: All evidence below threshold", async () => {
    server.script("relevance_scores", { scores: [0.1, 0.2, 0.29] });
    const { route, of } = await run(scriptedBase([[a, b, c]], ["keyword", "vector"]), {
      max_iterations: 1,
    });
    expect(of("rag_iteration")[0]).toMatchObject({ action: "RE_RETRIEVE", label: "INCORRECT" });
    expect(route.slice(0, 6)).toEqual([
      "rewrite_question",
      "analyze_and_route",
      "plan",
      "tools",
      "grade_evidence",
      "analyze_and_route",
    ]);
  });
});

describe("Requirement: Adaptive decision based on aggregate score", () => {
  it("Scenario: High-quality evidence triggers GENERATE", async () => {
    server.script("relevance_scores", { scores: [0.7, 0.7, 0.7] });
    const { result, route, modelCalls } = await run(scriptedBase([[a, b, c]]));
    expect(result.details).toMatchObject({ action: "GENERATE", label: "correct", iterations: 0 });
    expect(route.filter((node) => node === "grade_evidence")).toHaveLength(1);
    expect(modelCalls).toEqual(["relevance_scores", "answer"]);
  });

  it("Scenario: Mixed-quality evidence triggers REFINE", async () => {
    server.script("relevance_scores", ({ user }) => ({
      scores: (user.match(/<source /g) ?? []).map(() => 0.5),
    }));
    const { of, route, result } = await run(scriptedBase([[a, b, c], [d]]), { max_iterations: 1 });
    expect(of("rag_iteration")[0]).toMatchObject({
      action: "REFINE",
      label: "AMBIGUOUS",
      eval_score: 0.5,
    });
    expect(route.slice(4, 8)).toEqual(["grade_evidence", "plan", "tools", "grade_evidence"]);
    // What was kept stays, and is not graded again.
    expect(result.details?.kept.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["alpha", "beta-two", "gamma-three", "delta-fourth"]),
    );
    expect(
      server.requests
        .filter(({ task }) => task === "relevance_scores")
        .map(({ user }) => user.match(/<source /g)?.length),
    ).toEqual([3, 1]);
  });

  it("Scenario: Poor evidence triggers RE-RETRIEVE", async () => {
    server.script("relevance_scores", ({ user }) => ({
      scores: (user.match(/<source /g) ?? []).map(() => 0),
    }));
    const base = scriptedBase(
      [
        [a, b, c],
        [d, passage("epsilon-fifth"), passage("zeta-sixth-one")],
      ],
      ["keyword", "vector"],
    );
    const { of } = await run(base, { max_iterations: 1 });
    expect(of("rag_iteration")[0]).toMatchObject({
      action: "RE_RETRIEVE",
      label: "INCORRECT",
      eval_score: 0,
    });
    expect(base.searches.map(({ mode }) => mode)).toEqual(["keyword", "vector"]);
  });

  it("Scenario: Max iterations reached regardless of score", async () => {
    server.script("relevance_scores", ({ user }) => ({
      scores: (user.match(/<source /g) ?? []).map(() => 0.1),
    }));
    const lists = [0, 1, 2, 3].map((round) =>
      ["one", "second", "thirdly"].map((name) => ({
        passage: passage(`${name}-${"x".repeat(round * 2 + 1)}`),
        score: 0.5,
      })),
    );
    const { result, of, route } = await run(scriptedBase(lists, ["keyword", "vector"]), {
      environment: { KB_AGENT_MAX_ITERATIONS: "2" },
    });
    expect(of("rag_iteration").map(({ action }) => action)).toEqual([
      "RE_RETRIEVE",
      "RE_RETRIEVE",
      "GENERATE",
    ]);
    expect(route).toContain("synthesize");
    expect(result.outcome.causes).toContain("max_iterations");
    // Whatever there is is handed on, marked as such.
    expect(result.details?.kept.length).toBeGreaterThan(0);
    expect(result.details?.kept[0]?.reason).toMatch(/although its relevance/);
  });
});

describe("Requirement: Pre-filter thresholds are configurable", () => {
  const near = [a, b, c].map((found) => ({ passage: found, score: 0.75 }));

  it("Scenario: Vector score threshold from environment", async () => {
    const byDefault = await run(scriptedBase([near], ["vector"]));
    expect(byDefault.result.details?.evaluation?.rule).toBeUndefined();
    const lowered = await run(scriptedBase([near], ["vector"]), {
      environment: { KB_AGENT_VECTOR_SCORE_THRESHOLD: "0.75" },
    });
    expect(lowered.result.details?.evaluation?.rule).toBe("high_vector_score");
  });

  it("Scenario: Auto-approve max items from environment", async () => {
    const byDefault = await run(scriptedBase([[a, b, c]]));
    expect(byDefault.result.details?.evaluation?.rule).toBeUndefined();
    const raised = await run(scriptedBase([[a, b, c]]), {
      environment: { KB_AGENT_AUTO_APPROVE_MAX_ITEMS: "3" },
    });
    expect(raised.result.details?.evaluation?.rule).toBe("few_context");
  });
});
