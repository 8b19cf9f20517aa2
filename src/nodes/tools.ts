/**
 * Runs the planned calls side by side, merges what they found, removes near-duplicates, and
 * reranks.
 */
import { refusals } from "../grading/refused.js";
import { rerankEvidence } from "../retrieval/rerankers/rerank.js";
import { removeNearDuplicates } from "../retrieval/deduplicate.js";
import { runCalls } from "../tools/run-tools.js";
import type { Evidence } from "../state/evidence.js";
import type { PlannedCall, ToolHistoryEntry } from "../state/run-record.js";
import { defineNode, type NodeFunction } from "./node.js";
import type { AgentParts } from "./parts.js";
import { webPermission } from "./web-permission.js";

export function tools(parts: AgentParts): NodeFunction {
  return defineNode("tools", parts, async ({ state, scope, services }) => {
    const toolbox = await services.toolbox();
    const question = state.standalone_question;
    // First of all: what is asked twice because a person was waited for has cost nothing yet.
    const { calls, denied, always } =
      scope.settings.webSearch === "ask" && !state.web_allowed
        ? webPermission(state.pending_tool_calls, {
            providers: toolbox.providers,
            denied: state.run.web_denied,
            scope,
          })
        : { calls: state.pending_tool_calls, denied: [], always: false };
    const { entries, evidence } = await runCalls({
      calls,
      tools: toolbox.tools,
      question,
      round: state.iteration,
      scope,
    });
    // The web's tools name their own causes: a page that cannot be had leaves the search result as
    // it was.
    const failed = entries.filter(({ status }) => status === "error" || status === "timeout");
    if (failed.some(({ tool }) => !tool.startsWith("web_"))) scope.cause("tool_error");

    const known = new Set(state.context.map(({ id }) => id));
    const refusedAs = refusals(state.discarded);
    const unseen = evidence.filter(({ id }) => !known.has(id));
    const fresh = withoutCopiesOf(
      state.context,
      unseen.filter((item) => refusedAs(item) === undefined),
    );
    // Found again, it is there to be handed on at the end of the loop, where a profile does that.
    const again = unseen.flatMap((item) => {
      const earlier = refusedAs(item);
      return earlier === undefined ? [] : [{ ...item, scores: earlier.scores }];
    });
    const reranker = await services.reranker();
    const ordered =
      reranker === undefined
        ? fresh
        : await rerankEvidence({ question, evidence: fresh, reranker, scope });
    // `topK` of the knowledge base's passages; results of the web and of tools have limits of their
    // own.
    const others = ordered.filter(({ source }) => source.kind !== "file").length;
    return {
      pending_tool_calls: [],
      tool_history: [...entries, ...denied.map((call) => notAllowed(call, state.iteration))],
      ...(always && { web_allowed: true }),
      ...(denied.length > 0 && { run: { web_denied: true } }),
      context: [...ordered.slice(0, scope.settings.topK + others), ...again],
    };
  });
}

function notAllowed(call: PlannedCall, round: number): ToolHistoryEntry {
  const nothing = { status: "skipped" as const, scores: [], evidence_ids: [], output: "" };
  return { ...call, ...nothing, round, error: "a person did not allow it", durationMs: 0 };
}

/** What is nearly the same as something at hand adds nothing; what is at hand stays as it is. */
function withoutCopiesOf(present: readonly Evidence[], found: readonly Evidence[]): Evidence[] {
  const here = new Set(present.map(({ id }) => id));
  return removeNearDuplicates([...present, ...found], ({ text }) => text).filter(
    ({ id }) => !here.has(id),
  );
}
