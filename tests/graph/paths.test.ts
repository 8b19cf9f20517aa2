/** Every path of the graph, enumerated from the edges as they are drawn, and walked. */
import { END, START } from "@langchain/langgraph";
import { describe, expect, it } from "@jest/globals";
import { afterGrading, afterGuard, afterRewriting, afterRouting } from "../../src/graph/edges.js";
import type { Reasoner } from "../../src/reasoning/reasoner.js";
import { NEW_RUN } from "../../src/state/run-record.js";
import { passage, scriptedBase } from "../support/scripted-base.js";
import { scriptedGraph, type ScriptedGraph } from "../support/scripted-parts.js";

/** Corrections at most in the paths that are walked. */
const LIMIT = 2;
const QUESTION = { question: "What did the keeper count?" };

type Edges = ReadonlyMap<string, readonly string[]>;

async function drawnEdges(): Promise<Edges> {
  const { graph } = scriptedGraph({ knowledgeBase: scriptedBase([[]]) });
  const edges = new Map<string, string[]>();
  for (const { source, target } of (await graph.getGraphAsync()).edges)
    edges.set(source, [...(edges.get(source) ?? []), target]);
  return edges;
}

/** The edges that go back; each is a correction. */
const isCorrection = (from: string, to: string): boolean =>
  (from === "grade_evidence" && to !== "synthesize") || (from === "guard_answer" && to !== END);

/**
 * All paths from START to END. What the nodes promise about the edges bounds them: at most `limit` corrections; the guard sends back no chat and
 * no failure, to `plan` once, and to `analyze_and_route` while one of two strategies is untried; and a run that comes back there is a search.
 */
function pathsOf(edges: Edges, limit: number): string[][] {
  const paths: string[][] = [];
  const walk = (path: readonly string[], corrections: number): void => {
    const here = path.at(-1) ?? START;
    for (const next of edges.get(here) ?? []) {
      const made = corrections + (isCorrection(here, next) ? 1 : 0);
      const isSearch = path.includes("grade_evidence");
      if (made > limit) continue;
      const wasSentBack = after(path, "guard_answer").includes("plan");
      const hasTriedAll = path.filter((node) => node === "analyze_and_route").length > 1;
      if (here === "guard_answer" && next !== END && !isSearch) continue;
      if (here === "guard_answer" && next === "plan" && wasSentBack) continue;
      if (here === "guard_answer" && next === "analyze_and_route" && hasTriedAll) continue;
      if (here === "analyze_and_route" && next === "synthesize" && isSearch) continue;
      if (next === END) paths.push(path.slice(1));
      else walk([...path, next], made);
    }
  };
  walk([START], 0);
  return paths;
}

/** What follows a node at each of its visits. */
function after(path: readonly string[], node: string): string[] {
  return path.flatMap((each, index) => (each === node ? [path[index + 1] ?? END] : []));
}

const SET_SCORES: Readonly<Record<string, number>> = {
  synthesize: 0.9,
  plan: 0.6,
  analyze_and_route: 0.1,
};

/** A reasoner that says what leads along the path. */
function reasonerAlong(path: readonly string[]): Partial<Reasoner> {
  const gradings = after(path, "grade_evidence");
  const guards = after(path, "guard_answer");
  let [graded, answered, planned] = [0, 0, 0];
  const isChat = after(path, "analyze_and_route")[0] === "synthesize";
  return {
    kind: "model",
    route: async ({ available }) =>
      isChat
        ? { mode: "chat", timeSensitive: false, reason: "small talk" }
        : { mode: "search", strategy: available[0], timeSensitive: false, reason: "a fact" },
    plan: async () => [{ tool: "keyword_search", args: { query: `keeper ${(planned += 1)}` } }],
    grade: async ({ ungraded, judge }) => ({
      judge,
      scores: Object.fromEntries(ungraded.map(({ id }) => [id, 0.9])),
      set: { score: SET_SCORES[gradings[graded++] ?? ""] ?? 0 },
    }),
    answer: async ({ window, evidence, mode }) => {
      const next = guards[answered++];
      if (next === "analyze_and_route") return { text: "", unanswerable: true, by: "model" };
      const sentBack = next === "plan";
      const [source] = window.sources;
      const told = evidence.find(({ id }) => id === source?.evidenceId)?.text.replace(/\.$/, "");
      const text =
        mode === "chat"
          ? "Hello."
          : sentBack
            ? "The moon base has 99 domes. Its captain is Zork Ulm."
            : `${told} [${source?.marker}].`;
      return { text, unanswerable: false, by: "model" };
    },
  };
}

/** Each search brings something new. */
function endless(): ReturnType<typeof scriptedBase> {
  return scriptedBase(
    Array.from({ length: 12 }, (_, round) =>
      [1, 2, 3].map((n) => passage(`${"abcdefgh"[round % 8]}${"z".repeat(round + 1)}-${n}`)),
    ),
    ["keyword", "vector"],
  );
}

async function walked(
  { graph }: ScriptedGraph,
  input: object,
): Promise<{ nodes: string[]; last: Record<string, unknown> }> {
  const nodes: string[] = [];
  let last: Record<string, unknown> = {};
  const stream = await graph.stream(input, {
    streamMode: ["updates", "values"],
    recursionLimit: 128,
    context: { profile: "holistic", max_iterations: LIMIT },
  });
  for await (const [mode, payload] of stream as AsyncIterable<[string, Record<string, unknown>]>) {
    if (mode === "updates") nodes.push(...Object.keys(payload));
    else last = payload;
  }
  return { nodes, last };
}

describe("the paths of the graph", () => {
  it("are each walked to END", async () => {
    const paths = pathsOf(await drawnEdges(), LIMIT);
    // No question; chat; 7 with corrections by the grader alone; 5 in which the guard sends back to
    // `plan`; 6 in which the model once finds no answer.
    expect(paths).toHaveLength(20);
    for (const path of paths) {
      const hasQuestion = after(path, "rewrite_question")[0] === "analyze_and_route";
      const { nodes, last } = await walked(
        scriptedGraph({ knowledgeBase: endless(), reasoner: reasonerAlong(path) }),
        hasQuestion ? QUESTION : {},
      );
      expect(nodes).toEqual(path);
      expect(last).toMatchObject({
        answer: expect.stringMatching(/./),
        outcome: { status: hasQuestion ? "success" : "failed" },
      });
    }
  });

  it("cover every edge and every node", async () => {
    const edges = await drawnEdges();
    const drawn = [...edges].flatMap(([from, targets]) => targets.map((to) => `${from} → ${to}`));
    const covered = new Set(
      pathsOf(edges, LIMIT).flatMap((path) =>
        [START, ...path, END].flatMap((node, index, all) =>
          index === 0 ? [] : [`${all[index - 1]} → ${node}`],
        ),
      ),
    );
    expect([...covered].sort()).toEqual(drawn.sort());
  });

  it("are as many as the corrections allow: none without, and always finitely many", async () => {
    const edges = await drawnEdges();
    // No question, chat, and one search.
    expect(pathsOf(edges, 0)).toHaveLength(3);
    const counts = [1, 2, 3, 4].map((limit) => pathsOf(edges, limit).length);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
  });

  const PORTS = ["rewrite", "route", "plan", "grade", "answer"] as const;
  it.each(PORTS)(
    "reach END from a failure in %s, through the guard, with one line that says what it was",
    async (port) => {
      const straight =
        pathsOf(await drawnEdges(), 0).find((path) => path.includes("grade_evidence")) ?? [];
      const reasoner = {
        ...reasonerAlong(straight),
        [port]: () => Promise.reject(new Error(`${port} is ill\nand more`)),
      };
      const { nodes, last } = await walked(
        scriptedGraph({ knowledgeBase: endless(), reasoner }),
        QUESTION,
      );
      expect(nodes.at(-1)).toBe("guard_answer");
      expect(last).toMatchObject({
        answer: `I could not answer: ${port} is ill`,
        outcome: { status: "failed", causes: ["internal_error"] },
        details: expect.anything(),
      });
    },
  );
});

describe("the edge functions", () => {
  it("are total: every state leads along an edge that is drawn, and every such edge is led along", async () => {
    const edges = await drawnEdges();
    const record = { ...NEW_RUN };
    const results = {
      rewrite_question: [null, "broken"].map((error) =>
        afterRewriting({ run: { ...record, error } }),
      ),
      analyze_and_route: (["chat", "search"] as const).map((mode) => afterRouting({ mode })),
      grade_evidence: (["GENERATE", "REFINE", "RE_RETRIEVE", null] as const).map((action) =>
        afterGrading({ grader_action: action }),
      ),
      guard_answer: (["plan", "analyze_and_route", null] as const).map((retry) =>
        afterGuard({ run: { ...record, retry } }),
      ),
    };
    for (const [node, targets] of Object.entries(results))
      expect([...new Set<string>(targets)].sort()).toEqual([...(edges.get(node) ?? [])].sort());
  });

  it("are pure: the same state leads the same way and stays as it was", () => {
    const state = Object.freeze({ run: Object.freeze({ ...NEW_RUN, retry: "plan" as const }) });
    expect([afterGuard(state), afterGuard(state)]).toEqual(["plan", "plan"]);
  });
});
