/**
 * The concrete tool calls of this round: never one that was already made, and from what is still
 * missing when the round refines.
 */
import { nextStrategies } from "../grading/next-strategy.js";
import type { Profile } from "../grading/profiles.js";
import type { Scope } from "../observability/scope.js";
import type { Reasoner } from "../reasoning/reasoner.js";
import type { AgentStateType } from "../state/agent-state.js";
import {
  type PlannedCall,
  type RetrievalStrategy,
  type RoutingPlan,
  callKey,
} from "../state/run-record.js";
import { WEB_SEARCH_TOOL } from "../tools/web-search.js";
import { defineNode, type NodeFunction } from "./node.js";
import type { AgentParts, Toolbox } from "./parts.js";

interface Proposal {
  strategies: RetrievalStrategy[];
  calls: PlannedCall[];
}

export function plan(parts: AgentParts): NodeFunction {
  return defineNode("plan", parts, async ({ state, scope, services, run }) => {
    const reasoner = await services.reasoner();
    const toolbox = await services.toolbox();
    const proposeFor = async (widen: boolean): Promise<Proposal> => {
      const strategies = strategiesOf({
        routing: state.routing_plan,
        web:
          toolbox.web && !run.web_denied && (run.wants_web || run.tool_needed === WEB_SEARCH_TOOL),
        widen,
        refines: run.purpose === "refine",
        profile: services.profile,
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
          hints: run.hints,
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
    // Nothing left to ask in the way it was asked would bring nothing new: widening at once saves
    // the round that would show it.
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

/**
 * The first web search of a run gets a query rewritten from the question; the reasoner sees nothing
 * else when it writes one.
 */
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

/**
 * The web joins where it was asked for. Where a profile refines with "documents and web" these are
 * the documents at hand: searching them again would only bring more to grade. Any other round that
 * refines keeps what it searched with, and widens once that brings nothing new.
 */
function strategiesOf({
  routing,
  web,
  widen,
  refines,
  profile,
}: {
  routing: RoutingPlan | null;
  web: boolean;
  widen: boolean;
  refines: boolean;
  profile: Profile;
}): RetrievalStrategy[] {
  if (web && refines && profile.refine.web) return ["web"];
  const wider =
    widen && routing !== null
      ? nextStrategies({ profile, available: routing.available, tried: routing.tried })
      : [];
  return [...new Set([...(routing?.strategies ?? []), ...wider, ...(web ? ["web" as const] : [])])];
}
