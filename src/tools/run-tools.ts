/**
 * Runs the planned calls of one round in parallel. A slow or broken tool becomes data; only
 * cancellation of the run and an interrupt inside a tool reject.
 */
import { isGraphBubbleUp } from "@langchain/langgraph";
import { BudgetExhaustedError } from "../observability/budget.js";
import { redactText } from "../observability/redact.js";
import type { Scope } from "../observability/scope.js";
import { traceRetrieval } from "../observability/tracing.js";
import { mergeByRank } from "../retrieval/fusion.js";
import { KnowledgeBaseError } from "../retrieval/knowledge-base.js";
import type { Evidence } from "../state/evidence.js";
import type { PlannedCall, ToolHistoryEntry } from "../state/run-record.js";
import { TimeLimitError, withinTime } from "../support/waiting.js";
import { cutText } from "../text/words.js";
import type { AgentTool, ToolOutput } from "./tool.js";

interface RunCallsInput {
  calls: readonly PlannedCall[];
  tools: readonly AgentTool[];
  /** The standalone question. */
  question: string;
  round: number;
  scope: Scope;
}

/** Every checkpoint carries an entry's `output` and `error`. */
const MAX_OUTPUT_CHARACTERS = 200;

export async function runCalls({ calls, tools, ...input }: RunCallsInput) {
  const { scope } = input;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const results = await Promise.all(
    calls.map((call) => runCall(call, byName.get(call.tool), input)),
  );
  scope.signal.throwIfAborted();
  return {
    /** One per call, in order. */
    entries: results.map(({ entry }) => entry),
    /** From all calls, merged by id and ordered by rank; ungraded. */
    evidence: mergeByRank(
      results.map(({ evidence }) => evidence),
      ({ id }) => id,
    ).map(({ item }) => item),
  };
}

async function runCall(
  call: PlannedCall,
  tool: AgentTool | undefined,
  { question, round, scope }: Omit<RunCallsInput, "calls" | "tools">,
): Promise<{ entry: ToolHistoryEntry; evidence: Evidence[] }> {
  const startedAt = scope.budget.elapsedInMs();
  const result = await outcomeOf(async () => {
    if (!tool) throw new Error(`there is no tool ${call.tool}`);
    // The signal fires at the tool's time limit, when the run is out of time, and when it is
    // cancelled. The round goes on without a tool that ignores it.
    const run = (): Promise<ToolOutput> =>
      withinTime((signal) => tool.run({ args: call.args, question, round, scope, signal }), {
        timeoutInMs: Math.min(
          tool.timeoutInMs ?? scope.settings.toolTimeoutInMs,
          scope.budget.remainingInMs(),
        ),
        signal: scope.signal,
      });
    return tool.tracesItself
      ? run()
      : traceRetrieval({ name: tool.name, args: call.args, config: scope.config }, run);
  });
  const durationMs = scope.budget.elapsedInMs() - startedAt;
  const evidence = result.status === "ok" ? result.output.evidence : [];
  const summary = result.status === "ok" ? result.output.summary : "";
  const titles = [...new Set(evidence.map(({ title }) => title))].slice(0, 5);
  const entry: ToolHistoryEntry = {
    ...call,
    round,
    status: result.status === "ok" && evidence.length === 0 ? "empty" : result.status,
    scores: evidence.slice(0, 2 * scope.settings.topK).map(({ scores }) => scores),
    evidence_ids: evidence.map(({ id }) => id),
    output: cutText([summary, titles.join("; ")].filter(Boolean).join(": "), MAX_OUTPUT_CHARACTERS),
    error: result.status === "ok" ? undefined : cutText(result.error, MAX_OUTPUT_CHARACTERS),
    listed: result.status === "ok" ? result.output.listed : undefined,
    cached: (result.status === "ok" && result.output.cached) || undefined,
    duration_ms: durationMs,
  };
  scope.emit({
    type: "tool_call",
    iteration: round,
    tool: call.tool,
    args: call.args,
    status: entry.status,
    count: evidence.length,
    took_ms: durationMs,
    cached: entry.cached,
    error: entry.error,
  });
  const cause = result.status === "ok" ? undefined : result.cause;
  if (cause instanceof KnowledgeBaseError) scope.cause("knowledge_base_error");
  if (cause instanceof BudgetExhaustedError) {
    const skipped = `${call.tool} ${JSON.stringify(call.args)}`.slice(0, MAX_OUTPUT_CHARACTERS);
    scope.emit({ type: "budget_exhausted", resource: cause.resource, limit: cause.limit, skipped });
    scope.cause("budget_exhausted");
  }
  return { entry, evidence };
}

type CallResult =
  | { status: "ok"; output: ToolOutput }
  | { status: "error" | "timeout" | "skipped"; error: string; cause: unknown };

async function outcomeOf(run: () => Promise<ToolOutput>): Promise<CallResult> {
  try {
    return { status: "ok", output: await run() };
  } catch (cause) {
    // LangGraph's control flow, such as a pause for a person, is not a failure.
    if (isGraphBubbleUp(cause)) throw cause;
    const error = redactText(cause instanceof Error ? cause.message || cause.name : String(cause));
    if (cause instanceof TimeLimitError) return { status: "timeout", error, cause };
    return { status: cause instanceof BudgetExhaustedError ? "skipped" : "error", error, cause };
  }
}
