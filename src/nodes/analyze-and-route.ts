/** Decides between chat and search, and picks a strategy; after RE_RETRIEVE, an untried one. */
import { nextStrategies } from "../grading/loop.js";
import { historyBefore } from "./conversation.js";
import { defineNode, type NodeFunction } from "./node.js";
import type { AgentParts } from "./parts.js";

export function analyzeAndRouteNode(parts: AgentParts): NodeFunction {
  return defineNode("analyze_and_route", parts, async ({ state, scope, services }) => {
    const previous = state.routing_plan;
    if (state.run.purpose === "re_retrieve" && previous !== null) {
      const strategies = nextStrategies({ ...previous, profile: services.profile });
      const tried = [...new Set([...previous.tried, ...strategies])];
      const reason =
        strategies.length > 0
          ? "the evidence was poor: a strategy not tried yet"
          : "every strategy was tried";
      scope.emit({ type: "routed", mode: "search", strategy: strategies.join("+"), reason });
      return { routing_plan: { ...previous, strategies, tried, reason } };
    }

    const reasoner = await services.reasoner();
    const toolbox = await services.toolbox();
    const { hyde, quality, webSearch } = scope.settings;
    if (webSearch === "on" && !toolbox.web)
      scope.warn("web search is on but has no provider: set a key, or name a keyless provider");
    const searchesVectors = toolbox.strategies.some(
      (each) => each === "vector" || each === "hybrid",
    );
    // `thorough` switches HyDE on by itself; otherwise the user asked for it.
    if (hyde && !searchesVectors && quality !== "thorough")
      scope.warn("HyDE is on, but the knowledge base has no vectors to search");
    const question = state.question ?? state.standalone_question;
    const route = await reasoner.route(
      {
        question,
        standaloneQuestion: state.standalone_question,
        history: historyBefore(question, state.messages),
        available: toolbox.strategies,
      },
      scope,
    );
    const { mode, reason, timeSensitive } = route;
    scope.emit({ type: "routed", mode, strategy: route.strategy, reason });
    if (mode === "chat") return { mode };
    const first = route.strategy ?? toolbox.strategies[0];
    const strategies = first === undefined ? [] : [first];
    return {
      mode,
      routing_plan: {
        strategies,
        tried: strategies,
        available: [...toolbox.strategies],
        time_sensitive: timeSensitive,
        reason,
      },
    };
  });
}
