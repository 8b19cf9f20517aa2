/**
 * The concrete tool calls of this round: never one that was already made, and from what is still
 * missing when the round refines.
 */
import { nextStrategies } from "../grading/loop.js";
import type { Reasoner } from "../reasoning/reasoner.js";
import { newCalls, type PlannedCall, type RetrievalStrategy } from "../state/run-record.js";
import { WEB_SEARCH_TOOL } from "../tools/web-search.js";
import { defineNode, type NodeFunction, type NodeInput } from "./node.js";
import type { AgentParts, Toolbox } from "./parts.js";

export function plan(parts: AgentParts): NodeFunction {
  return defineNode("plan", parts, async (input) => {
    const { state, scope, services } = input;
    const { run } = state;
    const reasoner = await services.reasoner();
    const toolbox = await services.toolbox();
    const known = new Set(toolbox.tools.map(({ name }) => name));
    const propose = async (widen: boolean) => {
      const strategies = strategiesOf(input, toolbox, widen);
      const planned = await reasoner.plan(
        {
          question: state.question ?? state.standalone_question,
          standaloneQuestion: state.standalone_question,
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
      const calls = await withWebQueries(planned, input, reasoner);
      return {
        strategies,
        calls: newCalls(
          calls.filter(({ tool }) => known.has(tool)),
          state.tool_history,
        ),
      };
    };
    const narrow = await propose(run.widen);
    // Nothing left to ask in the way it was asked would bring nothing new: widening at once saves
    // the round that would show it.
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
      run: { round_started_at: scope.now(), wants_web: false, tool_needed: null },
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

/**
 * The first web search of a run gets a query rewritten from the question; the reasoner sees nothing
 * else when it writes one.
 */
async function withWebQueries(
  calls: readonly PlannedCall[],
  { state, scope }: NodeInput,
  reasoner: Reasoner,
): Promise<readonly PlannedCall[]> {
  const first = calls.findIndex(({ tool }) => tool === WEB_SEARCH_TOOL);
  if (first < 0 || state.tool_history.some(({ tool }) => tool === WEB_SEARCH_TOOL)) return calls;
  const query = await reasoner.webQuery(
    { question: state.standalone_question, purpose: state.run.purpose },
    scope,
  );
  return calls.map((call, index) =>
    index === first ? { ...call, args: { ...call.args, query } } : call,
  );
}

/**
 * The web joins where it was asked for. Where a profile refines with "documents and web" these are
 * the documents at hand: searching them again would only bring more to grade. Any other round that
 * refines keeps what it searched with, and widens once that brings nothing new.
 */
function strategiesOf(
  { state, services: { profile } }: NodeInput,
  toolbox: Toolbox,
  widen: boolean,
): RetrievalStrategy[] {
  const { run, routing_plan: routing } = state;
  const wanted = run.wants_web || run.tool_needed === WEB_SEARCH_TOOL;
  const web = wanted && toolbox.web && !run.web_denied;
  if (web && run.purpose === "refine" && profile.refine.web) return ["web"];
  const wider = widen && routing !== null ? nextStrategies({ ...routing, profile }) : [];
  return [...new Set([...(routing?.strategies ?? []), ...wider, ...(web ? ["web" as const] : [])])];
}
