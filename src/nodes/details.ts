/** Gathers what is known about a run for the caller. Pure. */
import type { Profile } from "../grading/profiles.js";
import { type Details, type EvidenceSummary, addUsage } from "../state/details.js";
import type { Scope } from "../observability/scope.js";
import type { AgentStateType } from "../state/agent-state.js";
import { relevanceOf, type Evidence } from "../state/evidence.js";
import type { EvidenceLabel } from "../state/verdict.js";

const LABELS: Record<EvidenceLabel, Lowercase<EvidenceLabel>> = {
  CORRECT: "correct",
  AMBIGUOUS: "ambiguous",
  INCORRECT: "incorrect",
};

export function detailsOf({
  state,
  scope,
  profile,
  reasoner,
  withdrawn,
  marked,
}: {
  state: AgentStateType;
  scope: Scope;
  profile: Profile;
  reasoner: "model" | "embedded";
  withdrawn: string[];
  marked: string[];
}): Details {
  const { settings, budget } = scope;
  const { evaluation, routing_plan: routing } = state;
  const search = state.mode === "search";
  const [first] = state.run.rounds;
  const calls = state.tool_history.map((entry) => ({
    round: entry.round,
    tool: entry.tool,
    args: entry.args,
    status: entry.status,
    count: entry.evidence_ids.length,
    took_ms: entry.durationMs,
    cached: entry.cached ?? false,
    ...(entry.error !== undefined && { error: entry.error }),
  }));
  const relevance = Object.values(state.evidence_scores);
  // What was handed on at the end of the loop after all is kept, although a round had discarded it.
  const kept = new Set(state.context.map(({ id }) => id));
  return {
    run_id: state.run.id,
    reasoner,
    mode: state.mode,
    profile: profile.name,
    quality: settings.quality,
    standalone_question: state.standalone_question,
    label: search && evaluation !== null ? LABELS[evaluation.label] : null,
    action: search ? state.grader_action : null,
    first_label: first === undefined ? null : LABELS[first.label],
    first_action: first?.action ?? null,
    rounds: state.run.rounds.map((round) => ({
      ...round,
      calls: calls
        .filter((call) => call.round === round.round)
        .map(({ round: _round, ...call }) => call),
    })),
    evaluation: search ? evaluation : null,
    scores: state.evidence_scores,
    relevance_scores: relevance,
    max_score: relevance.length === 0 ? null : Math.max(...relevance),
    signals: evaluation?.signals ?? null,
    rule: evaluation?.rule ?? null,
    iterations: state.iteration,
    max_iterations: settings.maxIterations,
    strategies_tried: routing?.tried ?? [],
    web_used: state.tool_history.some(
      ({ tool, status }) => tool === "web_search" && (status === "ok" || status === "empty"),
    ),
    kept: state.context.map(summaryOf),
    discarded: state.discarded.filter(({ id }) => !kept.has(id)).map(summaryOf),
    tools: calls,
    cache_hits: state.tool_history.filter(({ cached }) => cached).length,
    context_form: state.run.window_form,
    context_used: state.run.window_text,
    withdrawn,
    marked,
    usage: addUsage(state.usage, {
      node: scope.node,
      runs: 1,
      model_calls: budget.spent.modelCalls,
      input_tokens: budget.spent.inputTokens,
      output_tokens: budget.spent.outputTokens,
      web_searches: budget.spent.webSearches,
      took_ms: 0,
    }),
    took_ms: budget.elapsedInMs(),
  };
}

function summaryOf(item: Evidence): EvidenceSummary {
  const { text: _text, content: _content, status: _status, ...rest } = item;
  return { ...rest, score: relevanceOf(item) ?? null };
}
