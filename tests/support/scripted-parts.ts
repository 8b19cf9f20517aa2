/** The graph over a scripted reasoner: what it judges is told by the test, what follows is the graph's own. */
import { once } from "../../src/support/cache.js";
import { reasonerFrom } from "../../src/assembly/adapters.js";
import { createReader } from "../../src/reader/create-reader.js";
import { SHIPPED_WEIGHTS } from "../../src/reader/weights.js";
import { createToolboxes } from "../../src/assembly/toolbox.js";
import { contextForm } from "../../src/settings/context.js";
import { readEnvironment } from "../../src/settings/environment.js";
import { completeSettings, resolveSettings } from "../../src/settings/run-settings.js";
import { PROFILES, type Profile } from "../../src/grading/profiles.js";
import { buildGraph, type CorrectiveRagGraph, type GraphOptions } from "../../src/graph/graph.js";
import type { AgentParts } from "../../src/nodes/parts.js";
import type { RecordedEvent } from "../../src/observability/events.js";
import type { Reasoner } from "../../src/reasoning/reasoner.js";
import type { KnowledgeBase } from "../../src/retrieval/knowledge-base.js";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { BaseCheckpointSaver } from "@langchain/langgraph";

export interface ScriptedGraph {
  graph: CorrectiveRagGraph;
  events: RecordedEvent[];
  /** Nodes as they ran, by their events. */
  nodes: () => string[];
}

/** @param reasoner what the test scripts; the embedded reasoner does the rest, but passes for a model so that profiles judge as they are */
export function scriptedGraph({
  knowledgeBase,
  reasoner = {},
  environment = {},
  checkpointer = false,
  tools = [],
  profile,
  now = Date.now,
  nodes,
  edges,
  reportsState,
}: Pick<GraphOptions, "nodes" | "edges" | "reportsState"> & {
  knowledgeBase: KnowledgeBase;
  reasoner?: Partial<Reasoner>;
  environment?: Record<string, string>;
  checkpointer?: BaseCheckpointSaver | false;
  /** The user's own. */
  tools?: readonly StructuredToolInterface[];
  profile?: Profile;
  now?: () => number;
}): ScriptedGraph {
  const settings = completeSettings(readEnvironment(environment).settings);
  const reader = createReader({ model: "lexical" });
  const embedded = reasonerFrom({ settings, model: "embedded", reader: async () => reader });
  const scripted = async (): Promise<Reasoner> => ({
    ...(await embedded.reasoner()),
    ...reasoner,
  });
  const events: RecordedEvent[] = [];
  const toolboxes = createToolboxes({
    knowledgeBase: async () => knowledgeBase,
    webSearch: async () => undefined,
    fetchPage: () => Promise.reject(new Error("no pages here")),
    tools: async () => tools,
    reasoner: scripted,
    reader: async () => reader,
  });
  const parts: AgentParts = {
    openRun(context) {
      const run = resolveSettings({
        settings,
        context,
        profiles: PROFILES,
        fitted: SHIPPED_WEIGHTS.lexical.thresholds,
      });
      return {
        settings: run,
        profile: profile ?? PROFILES[run.profile],
        reasoner: scripted,
        toolbox: once(() => toolboxes(run)),
        reader: async () => reader,
        reranker: async () => undefined,
      };
    },
    record: (event) => events.push(event),
    recordInputs: false,
    maxQuestionBytes: 16_384,
    now,
    contextSchema: contextForm(settings),
  };
  return {
    graph: buildGraph({ parts, nodes, edges, checkpointer, reportsState }),
    events,
    nodes: () =>
      events.map(({ node }) => node).filter((node, index, all) => node !== all[index - 1]),
  };
}

/** A judge that gives every item the same score. */
export function judgeSaying(score: number): Pick<Reasoner, "grade" | "kind"> {
  return {
    kind: "model",
    grade: async ({ ungraded, judge }) => ({
      judge,
      scores: Object.fromEntries(ungraded.map(({ id }) => [id, score])),
      ...(judge === "set" || judge === "adequacy" ? { set: { score } } : {}),
    }),
  };
}
