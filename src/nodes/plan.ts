/** Plans the tool calls of this round; none is ever made twice in a run. */
import { nextStrategies } from "../grading/loop.js";
import type { Reasoner } from "../reasoning/reasoner.js";
import { newCalls, type PlannedCall } from "../state/run-record.js";
import type { RetrievalStrategy } from "../state/verdict.js";
import { noticeOf } from "../state/permission.js";
import { WEB_SEARCH_TOOL } from "../tools/web-tools.js";
import { historyBefore, outgoingQuestion } from "./conversation.js";
import { defineNode, type NodeFunction, type NodeInput } from "./node.js";
import type { AgentParts, Toolbox } from "./parts.js";
import { asksPerson } from "./tools.js";

export function planNode(parts: AgentParts): NodeFunction {
  return defineNode("plan", parts, async (input) => {
    const { state, scope, services } = input;
    const { run } = state;
    const question = state.question ?? state.standalone_question;
    const history = historyBefore(question, state.messages);
    const outgoing = outgoingQuestion(state.standalone_question, question, history);
    const reasoner = await services.reasoner();
    const toolbox = await services.toolbox();
    const known = new Set(toolbox.tools.map(({ name }) => name));
    const propose = async (widen: boolean) => {
      const strategies = strategiesOf(input, toolbox, widen);
      const planned = await reasoner.plan(
        {
          question,
          standaloneQuestion: state.standalone_question,
          outgoingQuestion: outgoing,
          strategies,
          purpose: run.purpose,
          tools: toolbox.tools,
          history: state.tool_history,
          kept: state.context,
          hints: run.hints,
          toolNeeded: run.tool_needed ?? undefined,
          judge: state.evaluation?.judge,
        },
        scope,
      );
      const calls = await withWebQueries(planned, input, reasoner, outgoing);
      return {
        strategies,
        calls: newCalls(
          calls.filter(({ tool }) => known.has(tool)),
          state.tool_history,
        ),
      };
    };
    const narrow = await propose(run.widen);
    // With nothing left to ask, this round would find nothing new, and only the next would widen.
    const widens =
      narrow.calls.length === 0 &&
      run.purpose === "refine" &&
      !run.widen &&
      state.evaluation?.judge === "embedded";
    const { strategies, calls } = widens ? await propose(true) : narrow;
    scope.emit({ type: "planned", iteration: state.iteration, calls });
    const routing = state.routing_plan;
    return {
      pending_tool_calls: calls,
      ...(asksPerson(input, calls, toolbox) && { messages: [noticeOf(run)] }),
      run: { round_started_at: scope.budget.elapsedInMs(), wants_web: false, tool_needed: null },
      ...(routing !== null && {
        routing_plan: {
          ...routing,
          strategies,
          tried: [...new Set([...routing.tried, ...strategies])],
        },
      }),
    };
  });
}

/** The first web search of a run gets a query that is written from the user's words alone. */
async function withWebQueries(
  calls: readonly PlannedCall[],
  { state, scope }: NodeInput,
  reasoner: Reasoner,
  question: string,
): Promise<readonly PlannedCall[]> {
  const first = calls.findIndex(({ tool }) => tool === WEB_SEARCH_TOOL);
  if (first < 0 || state.tool_history.some(({ tool }) => tool === WEB_SEARCH_TOOL)) return calls;
  const query = await reasoner.webQuery({ question, purpose: state.run.purpose }, scope);
  return calls.map((call, index) =>
    index === first ? { ...call, args: { ...call.args, query } } : call,
  );
}

/**
 * Adds the web if it was asked for. A profile that refines with "documents and web" keeps the
 * documents at hand and searches the web alone. Any other refinement keeps its strategies and
 * widens once they find nothing new.
 */
function strategiesOf(
  { state, services: { profile } }: NodeInput,
  toolbox: Toolbox,
  widen: boolean,
): RetrievalStrategy[] {
  const { run, routing_plan: routing } = state;
  const needsWeb = run.wants_web || run.tool_needed === WEB_SEARCH_TOOL;
  const web = needsWeb && toolbox.web && !run.web_denied;
  if (web && run.purpose === "refine" && profile.refine.web) return ["web"];
  const wider = widen && routing !== null ? nextStrategies({ ...routing, profile }) : [];
  return [...new Set([...(routing?.strategies ?? []), ...wider, ...(web ? ["web" as const] : [])])];
}
