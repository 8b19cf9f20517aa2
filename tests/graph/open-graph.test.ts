/** The open graph: nodes, decisions, a judge and a reasoner of the caller's, in their places. */
import { describe, expect, it } from "@jest/globals";
import { createCorrectiveRag } from "../../src/corrective-rag.js";
import { correctionSteps } from "../../src/graph/edges.js";
import { profiles } from "../../src/index.js";
import type { NodeWork } from "../../src/nodes/node.js";
import { asEvidence } from "../../src/entries/graph.js";
import { AgentState } from "../../src/state/agent-state.js";
import { passage, scriptedBase } from "../support/scripted-base.js";
import { judgeSaying, scriptedGraph } from "../support/scripted-parts.js";

const QUESTION = { question: "What did the keeper count?" };
const knowledgeBase = () => scriptedBase([[passage("alpha"), passage("beta")]]);

/** Nodes that note their names in the order in which they run. */
function noting(...names: string[]): { nodes: Record<string, NodeWork>; ran: string[] } {
  const ran: string[] = [];
  const note =
    (name: string): NodeWork =>
    () => {
      ran.push(name);
      return {};
    };
  return { ran, nodes: Object.fromEntries(names.map((name) => [name, note(name)])) };
}

describe("nodes of the caller's", () => {
  it("run in their places, in their order", async () => {
    const { nodes, ran } = noting("one", "two", "three", "four");
    const { one, two, three, four } = nodes as Record<"one" | "two" | "three" | "four", NodeWork>;
    const { graph } = scriptedGraph({
      knowledgeBase: knowledgeBase(),
      reasoner: judgeSaying(0.9),
      nodes: { afterGrading: { one, two }, beforeAnswer: { three }, afterGuard: { four } },
    });
    const order: string[] = [];
    for await (const update of await graph.stream(QUESTION, { streamMode: "updates" }))
      order.push(...Object.keys(update));
    expect(ran).toEqual(["one", "two", "three", "four"]);
    expect(order).toEqual([
      "rewrite_question",
      "analyze_and_route",
      "plan",
      "tools",
      "grade_evidence",
      "one",
      "two",
      "three",
      "synthesize",
      "guard_answer",
      "four",
    ]);
  });

  it("change the evidence and the decision, reach the services, and note something", async () => {
    const { graph } = scriptedGraph({
      knowledgeBase: knowledgeBase(),
      reasoner: judgeSaying(0.5),
      nodes: {
        afterGrading: {
          drop_beta: ({ state }) => ({
            context: state.context
              .filter(({ id }) => id === "beta")
              .map((item) => ({ ...item, status: "discarded" as const })),
            grader_action: "GENERATE",
          }),
        },
        afterGuard: {
          note: async ({ state, services }) => ({
            extra: {
              strategies: (await services.toolbox()).strategies,
              answered: state.answer !== "",
            },
          }),
        },
      },
    });
    const result = await graph.invoke(QUESTION);
    expect(result.details?.kept.map(({ id }) => id)).toEqual(["alpha"]);
    expect(result.details?.tools).toHaveLength(1);
    expect(result.extra).toEqual({ strategies: ["keyword"], answered: true });
  });

  it("add evidence, which the answer cites", async () => {
    const text = "The contract of Quellin ends on 3 May 2027.";
    const { graph } = scriptedGraph({
      knowledgeBase: knowledgeBase(),
      nodes: {
        afterGrading: {
          add_contract: () => ({
            context: [asEvidence({ id: "crm-7", title: "Contract", text })],
            grader_action: "GENERATE",
          }),
        },
      },
    });
    const result = await graph.invoke({ question: "When does the contract of Quellin end?" });
    expect(result.citations[0]).toMatchObject({ evidence_id: "crm-7", quote: text });
  });

  it("that fail end the run with one line, before the guard and after it", async () => {
    const breaks: NodeWork = () => {
      throw new Error("the register is closed");
    };
    for (const place of ["afterGrading", "beforeAnswer", "afterGuard"] as const) {
      const { graph } = scriptedGraph({
        knowledgeBase: knowledgeBase(),
        reasoner: judgeSaying(0.9),
        nodes: { [place]: { breaks } },
      });
      const { answer, outcome } = await graph.invoke(QUESTION);
      expect(answer).toBe("I could not answer: the register is closed");
      expect(outcome.status).toBe("failed");
    }
  });

  it.each(["plan", "context", "no spaces", "__start__"])("cannot be called %s", (name) => {
    expect(() =>
      scriptedGraph({
        knowledgeBase: knowledgeBase(),
        nodes: { afterGuard: noting(name).nodes },
      }),
    ).toThrow(`a node cannot be called "${name}"`);
  });

  it("see whole passages after the guard, and leave short ones in the state", async () => {
    const seen: number[] = [];
    const { graph } = scriptedGraph({
      knowledgeBase: scriptedBase([
        [passage("long", `The keeper counted. ${"More words. ".repeat(40)}`)],
      ]),
      reasoner: judgeSaying(0.9),
      nodes: {
        afterGuard: {
          look: ({ state }) => {
            seen.push(...state.context.map(({ text }) => text.length));
            return {};
          },
        },
      },
    });
    let last: object = {};
    for await (const state of await graph.stream(QUESTION, { streamMode: "values" })) last = state;
    const [left] = AgentState.shape.context.parse(Reflect.get(last, "context"));
    expect(seen[0]).toBeGreaterThan(400);
    expect(left?.text.length).toBeLessThanOrEqual(121);
  });
});

describe("the steps of a correction", () => {
  const edges = (...pairs: string[]): Set<[string, string]> =>
    new Set(pairs.map((pair) => pair.split(" ") as [string, string]));

  it("are counted on the graph", () => {
    const built = {
      edges: edges("analyze_and_route plan", "plan grade", "grade guard"),
      branches: {
        grade: { decide: { ends: { plan: "plan", analyze: "analyze_and_route" } } },
        guard: { decide: { ends: { end: "__end__" } } },
      },
    };
    expect(correctionSteps(built)("grade")).toEqual({ REFINE: 3, RE_RETRIEVE: 4 });
  });

  it("grow with each node of the caller's, so that no run meets the limit of the caller", async () => {
    for (let recursionLimit = 10; recursionLimit < 30; recursionLimit++) {
      const { graph } = scriptedGraph({
        knowledgeBase: scriptedBase([[passage("alpha")], [passage("beta")], [passage("gamma")]]),
        reasoner: judgeSaying(0.5),
        nodes: {
          afterGrading: noting("one", "two").nodes,
          beforeAnswer: noting("three").nodes,
          afterGuard: noting("four").nodes,
        },
      });
      const result = graph.invoke(QUESTION, { recursionLimit, context: { max_iterations: 5 } });
      if (recursionLimit < 12) await result.catch(() => undefined);
      else expect((await result).answer).not.toBe("");
    }
  });
});

describe("decisions of the caller's", () => {
  it("replace those of the graph, and stop where the steps run out", async () => {
    const once = scriptedGraph({
      knowledgeBase: knowledgeBase(),
      reasoner: judgeSaying(0.5),
      edges: { afterGrading: () => "synthesize" },
    });
    expect((await once.graph.invoke(QUESTION)).details?.rounds).toHaveLength(1);
    const forever = scriptedGraph({
      knowledgeBase: knowledgeBase(),
      reasoner: judgeSaying(0.9),
      edges: { afterGrading: () => "plan" },
    });
    expect((await forever.graph.invoke(QUESTION, { recursionLimit: 25 })).answer).not.toBe("");
  });
});

describe("a host project", () => {
  it("adds a node, a judge and a method of the reasoner by the options of the agent", async () => {
    const agent = createCorrectiveRag({
      model: "embedded",
      knowledgeBase: knowledgeBase(),
      settings: { auditLog: "off", reader: "lexical" },
      profile: {
        ...profiles.adaptive,
        name: "only_beta",
        judge: ({ evidence }) => ({
          judge: "only_beta",
          scores: Object.fromEntries(evidence.map(({ id }) => [id, id === "beta" ? 0.9 : 0])),
        }),
      },
      reasoner: {
        rewrite: async () => ({ standaloneQuestion: "What did beta count?", by: "rule" }),
      },
      nodes: { afterGuard: { sign: () => ({ extra: { signed: true } }) } },
    });
    const chain = agent.pipe(({ details, extra }) => ({
      kept: details?.kept.map(({ id }) => id),
      asked: details?.standalone_question,
      judge: details?.evaluation?.judge,
      extra,
    }));
    expect(await chain.invoke(QUESTION.question)).toEqual({
      kept: ["beta"],
      asked: "What did beta count?",
      judge: "only_beta",
      extra: { signed: true },
    });
    await agent.close();
  });
});
