/** The wiring of nodes and edges, ours and the caller's. */
import {
  type BaseChannel,
  type BaseCheckpointSaver,
  type BaseStore,
  Command,
  type CompiledStateGraph,
  END,
  isCommand,
  type LangGraphRunnableConfig,
  START,
  StateGraph,
} from "@langchain/langgraph";
import type { RunnableConfig } from "@langchain/core/runnables";
import { schemaMetaRegistry } from "@langchain/langgraph/zod";
import { analyzeAndRouteNode } from "../nodes/analyze-and-route.js";
import { describeFailure } from "../nodes/finish.js";
import { gradeEvidenceNode } from "../nodes/grade-evidence.js";
import { guardAnswerNode } from "../nodes/guard-answer.js";
import { defineNode, stepsLeft, type NodeFunction, type NodeWork } from "../nodes/node.js";
import type { AgentParts } from "../nodes/parts.js";
import { planNode } from "../nodes/plan.js";
import { rewriteQuestionNode } from "../nodes/rewrite-question.js";
import { synthesizeNode } from "../nodes/synthesize.js";
import { toolsNode } from "../nodes/tools.js";
import type { ContextValues } from "../settings/context.js";
import { MAX_CORRECTIONS } from "../settings/run-settings.js";
import {
  AgentState,
  InputSchema,
  OutputSchema,
  type AgentStateType,
  type AgentStateUpdate,
} from "../state/agent-state.js";
import { once } from "../support/cache.js";
import { UserError } from "../support/errors.js";
import { correctionSteps, EDGES, type Edges } from "./edges.js";

type StepsOf = ReturnType<typeof correctionSteps>;

/** A place's nodes by name; they run in this order. */
export type CustomNodes = Readonly<Record<string, NodeWork>>;

/** Nodes of the caller's, by their place in the graph. */
export interface NodePlaces {
  /** Between grading and its decision: they may change the evidence and `grader_action`. */
  afterGrading?: CustomNodes;
  /** Before an answer is written, in chat too. Not every answer is one: the run may abstain. */
  beforeAnswer?: CustomNodes;
  /** Once the guard has ended the run, also without an answer: see `outcome`. */
  afterGuard?: CustomNodes;
}

export interface GraphOptions {
  /** What the nodes work with: the `parts` of an agent. */
  parts: AgentParts;
  /** Nodes of yours. */
  nodes?: NodePlaces | undefined;
  /** Decisions of yours, in place of those of the graph. */
  edges?: Partial<Edges> | undefined;
  /** For threads; `false` for a graph inside another run. */
  checkpointer?: BaseCheckpointSaver | false | undefined;
  /** Passed on to nodes and tools. */
  store?: BaseStore | undefined;
  /**
   * With `true` LangGraph's server can report the state's schema. LangGraph then also parses every
   * update with it, which takes up to a quarter of a question without a model.
   */
  reportsState?: boolean;
}

/** LangGraph's type requires every key of the context; in this one all are optional. */
type ContextChannels = { [K in keyof ContextValues]: BaseChannel<ContextValues[K]> };

/**
 * The compiled graph, as LangGraph types it. Its parts are named here, since the compiler would
 * write the whole state out in each of them: 1.6 MB of declarations.
 */
export type CorrectiveRagGraph = CompiledStateGraph<
  AgentStateType,
  AgentStateUpdate,
  string,
  typeof InputSchema,
  typeof OutputSchema,
  ContextChannels,
  Record<string, AgentStateUpdate>
>;

/**
 * Builds and compiles the corrective RAG graph, with nodes and decisions of yours if you like.
 * @throws UserError for a name that a node cannot have
 * @example
 * const { parts } = createCorrectiveRag({ knowledgeBase: "notes-kb" });
 * const graph = buildGraph({
 *   parts,
 *   nodes: { afterGuard: { note_it: ({ state }) => ({ extra: { asked: state.question } }) } },
 * });
 */
export function buildGraph(options: GraphOptions): CorrectiveRagGraph {
  const { parts, nodes = {}, checkpointer, store, reportsState = false } = options;
  const places = placesOf(nodes);
  const steps = once(() => correctionSteps(builder));
  // With the steps of this very graph, which its nodes count before they go back.
  const wired = { ...parts, correctionSteps: (node: string) => steps()(node) };
  const { afterGrading, beforeAnswer, afterGuard } = places;
  const lastNode = afterGuard.at(-1) ?? "guard_answer";
  const custom = Object.entries({
    ...nodes.afterGrading,
    ...nodes.beforeAnswer,
    ...nodes.afterGuard,
  });
  const all: Record<NodeName, NodeFunction> & Record<string, NodeFunction> = {
    rewrite_question: rewriteQuestionNode(wired),
    analyze_and_route: analyzeAndRouteNode(wired),
    plan: planNode(wired),
    tools: toolsNode(wired),
    grade_evidence: gradeEvidenceNode(wired),
    synthesize: synthesizeNode(wired),
    guard_answer: guardAnswerNode(wired, { endsRun: lastNode === "guard_answer" }),
    ...Object.fromEntries(
      custom.map(([name, work]) => [
        name,
        defineNode(name, wired, work, { endsRun: name === lastNode }),
      ]),
    ),
  };
  const gradingNode = afterGrading.at(-1) ?? "grade_evidence";
  const decide = decisionsOf(options.edges, { stepsOf: wired.correctionSteps, gradingNode });
  const answer = beforeAnswer[0] ?? "synthesize";
  const end = afterGuard[0] ?? END;
  const builder = new StateGraph({
    state: (reportsState
      ? AgentState
      : schemaMetaRegistry.getChannelsForSchema(AgentState)) as typeof AgentState,
    input: InputSchema,
    output: OutputSchema,
    context: parts.contextSchema,
  })
    .addNode(all)
    .addEdge(START, "rewrite_question")
    .addConditionalEdges("rewrite_question", decide.afterRewriting, {
      analyze_and_route: "analyze_and_route",
      guard_answer: "guard_answer",
    })
    .addConditionalEdges("analyze_and_route", decide.afterRouting, {
      synthesize: answer,
      plan: "plan",
    })
    .addEdge("plan", "tools")
    .addEdge("tools", "grade_evidence")
    .addConditionalEdges(gradingNode, decide.afterGrading, {
      synthesize: answer,
      plan: "plan",
      analyze_and_route: "analyze_and_route",
    })
    .addEdge("synthesize", "guard_answer")
    .addConditionalEdges("guard_answer", decide.afterGuard, {
      plan: "plan",
      analyze_and_route: "analyze_and_route",
      [END]: end,
    });
  const chains = [
    ["grade_evidence", ...afterGrading],
    beforeAnswer.length > 0 ? [...beforeAnswer, "synthesize"] : [],
    afterGuard.length > 0 ? [...afterGuard, END] : [],
  ];
  for (const chain of chains)
    chain.slice(1).forEach((to, at) => builder.addEdge(chain[at] ?? to, to));
  const graph = builder
    .setNodeDefaults({
      // An error that a node did not handle ends the run through the guard, one in the guard or
      // after it at once.
      errorHandler: (state, { node, error }) => {
        const isEnding = node === "guard_answer" || afterGuard.includes(node);
        const update = describeFailure(node, error, state, { isEnding });
        return isEnding ? update : new Command({ update, goto: "guard_answer" });
      },
    })
    .compile({
      name: "corrective_rag",
      ...(checkpointer !== undefined && { checkpointer }),
      ...(store && { store }),
    });
  const { RE_RETRIEVE } = steps()("guard_answer");
  // Enough for the longest run that the settings allow.
  const limited = graph.withConfig({
    recursionLimit: (MAX_CORRECTIONS + 1) * RE_RETRIEVE + MARGIN,
  });
  return limited as CorrectiveRagGraph;
}

/** The first node, and what LangGraph itself counts. */
const MARGIN = 2;

/** The graph's nodes, in the order of a run; the caller's come between them. */
export const NODE_NAMES = [
  "rewrite_question",
  "analyze_and_route",
  "plan",
  "tools",
  "grade_evidence",
  "synthesize",
  "guard_answer",
] as const;

type NodeName = (typeof NODE_NAMES)[number];

function placesOf({ afterGrading = {}, beforeAnswer = {}, afterGuard = {} }: NodePlaces) {
  const places = {
    afterGrading: Object.keys(afterGrading),
    beforeAnswer: Object.keys(beforeAnswer),
    afterGuard: Object.keys(afterGuard),
  };
  const names = Object.values(places).flat();
  for (const [at, name] of names.entries()) {
    const isTaken = NODE_NAMES.some((taken) => taken === name) || names.indexOf(name) !== at;
    if (isTaken || name in AgentState.shape || !/^[a-z][a-z0-9_]*$/i.test(name))
      throw new UserError(
        `a node cannot be called "${name}"`,
        "use letters, digits and _, and no name of another node or of a key of the state",
      );
  }
  return places;
}

/**
 * Puts the caller's decisions in the place of the graph's. One that goes back is followed only
 * while the steps suffice, so that neither decisions nor nodes can drive a run into LangGraph's
 * limit.
 */
function decisionsOf(
  given: Partial<Edges> | undefined,
  { stepsOf, gradingNode }: { stepsOf: StepsOf; gradingNode: string },
) {
  const edges = { ...EDGES, ...given };
  const whileStepsSuffice =
    <To extends string>(decide: (state: AgentStateType) => To, node: string, forward: To) =>
    (state: AgentStateType, config: LangGraphRunnableConfig): To => {
      const to = decide(state);
      const { REFINE, RE_RETRIEVE } = stepsOf(node);
      const needed = to === "plan" ? REFINE : to === "analyze_and_route" ? RE_RETRIEVE : 0;
      // LangGraph lowers the limit by one for what it calls within a step, such as this.
      return stepsLeft(state.run, config) + 1 >= needed ? to : forward;
    };
  return {
    afterRewriting: edges.afterRewriting,
    afterRouting: edges.afterRouting,
    afterGrading: whileStepsSuffice(edges.afterGrading, gradingNode, "synthesize" as const),
    afterGuard: whileStepsSuffice(edges.afterGuard, "guard_answer", END),
  };
}

type TurnConfig = RunnableConfig & { durability?: string };

/**
 * Makes runs on a thread leave what clients need to edit a question, to ask it again and to fork:
 * two checkpoints, the conversation before and after each run. LangGraph's default keeps every
 * step, which takes four times the space; without one before the run nothing could be asked again.
 * A `durability` of the caller's wins.
 * @returns the same graph
 */
export function keepTurns(graph: CorrectiveRagGraph): CorrectiveRagGraph {
  const stream: unknown = Reflect.get(graph, "stream");
  if (typeof stream !== "function") throw new Error("the graph has no stream");
  const begin = async (input: unknown, config: TurnConfig = {}): Promise<[unknown, TurnConfig]> => {
    const { configurable = {}, durability } = config;
    const isRoot = typeof graph.checkpointer === "object" && !configurable["checkpoint_ns"];
    if (!isRoot || durability !== undefined || configurable["thread_id"] === undefined)
      return [input, config];
    const turn = { ...config, durability: "exit" };
    const asked = isCommand(input) ? undefined : InputSchema.safeParse(input).data;
    if (asked === undefined) return [input, turn];
    const { checkpoint_id: from, ...rest } = configurable;
    const fork = typeof from === "string" && { checkpoint_id: from };
    const thread = { configurable: { ...rest, ...fork, checkpoint_ns: "" } };
    const { createdAt } = await graph.getState(thread);
    // The first question can only be edited if something comes before it.
    if (createdAt === undefined) await graph.updateState(thread, { messages: [] }, START);
    await graph.updateState(thread, asked, START);
    // The run goes on from there, the newest checkpoint of the thread.
    return [null, { ...turn, configurable: rest }];
  };
  return Object.defineProperty(graph, "stream", {
    value: async (input: unknown, config?: TurnConfig): Promise<unknown> =>
      Reflect.apply(stream, graph, await begin(input, config)),
  });
}
