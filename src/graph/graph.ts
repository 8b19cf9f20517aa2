/** The wiring of nodes and edges. */
import {
  type BaseChannel,
  type BaseCheckpointSaver,
  type BaseStore,
  Command,
  type CompiledStateGraph,
  END,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { analyzeAndRoute } from "../nodes/analyze-and-route.js";
import { gradeEvidence } from "../nodes/grade-evidence.js";
import { guardAnswer } from "../nodes/guard-answer.js";
import { describeFailure } from "../nodes/finish.js";
import type { AgentParts } from "../nodes/parts.js";
import { plan } from "../nodes/plan.js";
import { rewriteQuestion } from "../nodes/rewrite-question.js";
import { synthesize } from "../nodes/synthesize.js";
import { tools } from "../nodes/tools.js";
import { schemaMetaRegistry } from "@langchain/langgraph/zod";
import { AgentState, InputSchema, OutputSchema } from "../state/agent-state.js";
import type { ContextForm, ContextValues } from "../settings/context.js";
import { afterGrading, afterGuard, afterRewriting, afterRouting } from "./edges.js";

/** Enough for the longest run that the settings allow: 20 corrections of up to six steps. */
export const RECURSION_LIMIT = 128;

export interface GraphOptions {
  parts: AgentParts;
  /** The form of the run-time context, with this agent's defaults. */
  contextSchema: ContextForm;
  /** For threads; `false` for a graph inside another run. */
  checkpointer?: BaseCheckpointSaver | false;
  /** Passed on to nodes and tools. */
  store?: BaseStore;
}

function compileGraph({ parts, contextSchema, checkpointer, store }: GraphOptions) {
  const graph = new StateGraph({
    state: schemaMetaRegistry.getChannelsForSchema(AgentState),
    input: InputSchema,
    output: OutputSchema,
    context: contextSchema,
  })
    .addNode("rewrite_question", rewriteQuestion(parts))
    .addNode("analyze_and_route", analyzeAndRoute(parts))
    .addNode("plan", plan(parts))
    .addNode("tools", tools(parts))
    .addNode("grade_evidence", gradeEvidence(parts))
    .addNode("synthesize", synthesize(parts))
    .addNode("guard_answer", guardAnswer(parts))
    .addEdge(START, "rewrite_question")
    .addConditionalEdges("rewrite_question", afterRewriting, ["analyze_and_route", "guard_answer"])
    .addConditionalEdges("analyze_and_route", afterRouting, ["synthesize", "plan"])
    .addEdge("plan", "tools")
    .addEdge("tools", "grade_evidence")
    .addConditionalEdges("grade_evidence", afterGrading, [
      "synthesize",
      "plan",
      "analyze_and_route",
    ])
    .addEdge("synthesize", "guard_answer")
    .addConditionalEdges("guard_answer", afterGuard, ["plan", "analyze_and_route", END])
    .setNodeDefaults({
      // An error that a node did not handle ends the run through the guard, one in the guard at once.
      errorHandler: (state, { node, error }) => {
        const update = describeFailure(node, error, state);
        return node === "guard_answer" ? update : new Command({ update, goto: "guard_answer" });
      },
    })
    .compile({
      name: "corrective_rag",
      ...(checkpointer !== undefined && { checkpointer }),
      ...(store && { store }),
    });
  // The API server only reports a zod state, but LangGraph would parse every update with it, which
  // took a quarter of a keyless question. So nodes write to plain channels, and the zod schema is
  // only shown.
  return Object.defineProperty(graph.withConfig({ recursionLimit: RECURSION_LIMIT }), "builder", {
    value: Object.create(graph.builder, { _schemaRuntimeDefinition: { value: AgentState } }),
  });
}

type Compiled = ReturnType<typeof compileGraph>;
type ContextChannels = { [K in keyof ContextValues]: BaseChannel<ContextValues[K]> };

/** LangGraph's own type requires every key of the context; in this one all are optional. */
export type CorrectiveRagGraph =
  Compiled extends CompiledStateGraph<
    infer S,
    infer U,
    infer N,
    infer I,
    infer O,
    infer _C,
    infer R,
    infer T,
    infer W
  >
    ? CompiledStateGraph<S, U, N, I, O, ContextChannels, R, T, W>
    : never;

/** Builds and compiles the corrective RAG graph. */
export function buildGraph(options: GraphOptions): CorrectiveRagGraph {
  return compileGraph(options) as CorrectiveRagGraph;
}
