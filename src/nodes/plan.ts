/** The concrete tool calls of this round: never one that was already made, and from what is still missing when the round refines. */
import { nextStrategies } from "../grading/next-strategy.js";
import { PROFILES, type Profile } from "../grading/profiles.js";
import type { RoutingPlan } from "../state/run-record.js";
import type { RetrievalStrategy } from "../state/strategy.js";
import type { Scope } from "../observability/scope.js";
import type { Reasoner } from "../reasoning/reasoner.js";
import type { AgentStateType } from "../state/agent-state.js";
import { callKey, type PlannedCall } from "../state/tool-history.js";
import { WEB_SEARCH_TOOL } from "../tools/web-search.js";
import { defineNode, type NodeFunction } from "./node.js";
import type { AgentParts, Toolbox } from "./parts.js";

export function plan(parts: AgentParts): NodeFunction {
  return defineNode("plan", parts, async ({ state, scope, run }) => {
    const reasoner = await parts.reasonerFor(scope.settings);
    const toolbox = await parts.toolboxFor(scope.settings);
    const wantsWeb = run.wants_web || run.tool_needed === WEB_SEARCH_TOOL;
    if (wantsWeb && !toolbox.web) scope.cause("web_unavailable");
    const proposeFor = async (
      widen: boolean,
    ): Promise<{ strategies: RetrievalStrategy[]; calls: PlannedCall[] }> => {
      const strategies = strategiesOf({
        routing: state.routing_plan,
        wantsWeb,
        toolbox,
        widen,
        profile: PROFILES[scope.settings.profile],
      });
      const planned = await reasoner.plan(
        {
          question: state.question ?? state.standalone_question,
          standaloneQuestion: state.standalone_question,
          strategies,
          purpose: run.purpose,
          tools: toolbox.tools,
          history: state.tool_history,
          kept: state.context,
          hints: run.tool_needed === null ? run.hints : [...run.hints, run.tool_needed],
          ...(run.tool_needed !== null && { toolNeeded: run.tool_needed }),
          judge: state.evaluation?.judge,
          round: state.iteration,
        },
        scope,
      );
      const proposed = await withWebQueries(planned.calls, { state, reasoner, scope });
      return { strategies, calls: newCalls(proposed, state, toolbox) };
    };
    const narrow = await proposeFor(run.widen);
    // Nothing left to ask in the way it was asked would bring nothing new: widening at once saves the round that would show it.
    const widens =
      narrow.calls.length === 0 &&
      run.purpose === "refine" &&
      !run.widen &&
      state.evaluation?.judge === "embedded";
    const { strategies, calls } = widens ? await proposeFor(true) : narrow;
    scope.emit({ type: "planned", iteration: state.iteration, calls });
    return {
      pending_tool_calls: calls,
      run: { round_started_at: scope.now(), wants_web: false, tool_needed: null },
      ...(state.routing_plan !== null && {
        routing_plan: {
          ...state.routing_plan,
          strategies,
          tried: [...new Set([...state.routing_plan.tried, ...strategies])],
        },
      }),
    };
  });
}

/** Of tools that are there, and not made before in this run. */
function newCalls(
  proposed: readonly PlannedCall[],
  state: AgentStateType,
  toolbox: Toolbox,
): PlannedCall[] {
  const made = new Set(state.tool_history.map(callKey));
  const known = new Set(toolbox.tools.map(({ name }) => name));
  return proposed.filter((call) => {
    const key = callKey(call);
    const isNew = known.has(call.tool) && !made.has(key);
    made.add(key);
    return isNew;
  });
}

/** The first web search of a run gets a query rewritten from the question; the reasoner sees nothing else when it writes one. */
async function withWebQueries(
  calls: readonly PlannedCall[],
  { state, reasoner, scope }: { state: AgentStateType; reasoner: Reasoner; scope: Scope },
): Promise<PlannedCall[]> {
  const first = calls.findIndex(({ tool }) => tool === WEB_SEARCH_TOOL);
  if (first < 0 || state.tool_history.some(({ tool }) => tool === WEB_SEARCH_TOOL))
    return [...calls];
  const query = await reasoner.webQuery(
    { question: state.standalone_question, purpose: state.run.purpose },
    scope,
  );
  return calls.map((call, index) =>
    index === first ? { ...call, args: { ...call.args, query } } : call,
  );
}

/** The web joins where it was asked for. A round that refines keeps what it searched with, and widens once that brings nothing new. */
function strategiesOf({
  routing,
  wantsWeb,
  toolbox,
  widen,
  profile,
}: {
  routing: RoutingPlan | null;
  wantsWeb: boolean;
  toolbox: Toolbox;
  widen: boolean;
  profile: Profile;
}): RetrievalStrategy[] {
  const current = routing?.strategies ?? [];
  const wider =
    widen && routing !== null
      ? nextStrategies({ profile, available: routing.available, tried: routing.tried })
      : [];
  const web = wantsWeb && toolbox.web ? (["web"] as const) : [];
  return [...new Set([...current, ...wider, ...web])];
}
