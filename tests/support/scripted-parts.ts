/** Parts of an agent whose reasoner and searches the test scripts, and a graph over them. */
import { once } from "../../src/support/cache.js";
import { reasonerFrom } from "../../src/assembly/adapters.js";
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
import type { PolicyFilter } from "../../src/answering/guard.js";
import type { WebSearch } from "../../src/web/search-provider.js";
import { scriptedBase } from "./scripted-base.js";
import { sureReader } from "./sure-reader.js";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { BaseCheckpointSaver } from "@langchain/langgraph";

export interface ScriptedGraph {
  graph: CorrectiveRagGraph;
  events: RecordedEvent[];
  /** Nodes as they ran, by their events. */
  nodes: () => string[];
}

export interface ScriptedPartsOptions {
  knowledgeBase?: KnowledgeBase;
  /** What the test scripts; the embedded reasoner does the rest. */
  reasoner?: Partial<Reasoner>;
  environment?: Record<string, string>;
  /** Those of a user. */
  tools?: readonly StructuredToolInterface[];
  web?: WebSearch;
  policy?: PolicyFilter;
  profile?: Profile;
  now?: () => number;
  ticks?: () => number;
}

/** The parts of an agent without settings of its own, a web or a model, but for what is scripted. */
export function scriptedParts({
  knowledgeBase = scriptedBase([[]]),
  reasoner = {},
  environment = {},
  tools = [],
  web,
  policy,
  profile,
  now = Date.now,
  ticks = now,
}: ScriptedPartsOptions): { parts: AgentParts; events: RecordedEvent[] } {
  const settings = completeSettings(readEnvironment(environment).settings);
  const reader = sureReader();
  const embedded = reasonerFrom({ settings, model: "embedded", reader: async () => reader });
  const scripted = async (): Promise<Reasoner> => ({
    ...(await embedded.reasoner()),
    ...reasoner,
  });
  const events: RecordedEvent[] = [];
  const toolboxes = createToolboxes({
    knowledgeBase: async () => knowledgeBase,
    webSearch: async () => web,
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
    ticks,
    contextSchema: contextForm(settings),
    ...(policy && { policy }),
  };
  return { parts, events };
}

/** A graph over scripted parts: the test says what is found and judged, the graph what follows. */
export function scriptedGraph({
  checkpointer = false,
  nodes,
  edges,
  reportsState,
  ...options
}: ScriptedPartsOptions &
  Pick<GraphOptions, "nodes" | "edges" | "reportsState"> & {
    knowledgeBase: KnowledgeBase;
    checkpointer?: BaseCheckpointSaver | false;
  }): ScriptedGraph {
  const { parts, events } = scriptedParts(options);
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
