/** Runs the planned calls of one round side by side. Whatever a tool does, slow or broken, becomes data; only cancellation of the run rejects. */
import { BudgetExhaustedError } from "../observability/budget.js";
import type { Scope } from "../observability/scope.js";
import { traceTool } from "../observability/trace-tool.js";
import { RRF_K } from "../retrieval/fusion.js";
import { KnowledgeBaseError } from "../retrieval/knowledge-base.js";
import type { Evidence, Score } from "../state/evidence.js";
import type { PlannedCall, ToolHistoryEntry } from "../state/tool-history.js";
import type { AgentTool, ToolOutput } from "./tool.js";

interface RunCallsInput {
  calls: readonly PlannedCall[];
  tools: readonly AgentTool[];
  /** The standalone question. */
  question: string;
  round: number;
  scope: Scope;
}

interface RunCallsResult {
  /** One for each call, in the order of the calls. */
  entries: ToolHistoryEntry[];
  /** What all of them found, merged by id, best first by the ranks that the calls gave; ungraded. */
  evidence: Evidence[];
}

/** Characters of an entry's `output` and `error`. */
const MAX_OUTPUT_CHARACTERS = 400;

export async function runCalls({
  calls,
  tools,
  question,
  round,
  scope,
}: RunCallsInput): Promise<RunCallsResult> {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const results = await Promise.all(
    calls.map((call) => runCall({ call, tool: byName.get(call.tool), question, round, scope })),
  );
  scope.signal.throwIfAborted();
  return {
    entries: results.map(({ entry }) => entry),
    evidence: mergeByRank(results.map(({ evidence }) => evidence)),
  };
}

async function runCall({
  call,
  tool,
  question,
  round,
  scope,
}: Omit<RunCallsInput, "calls" | "tools"> & {
  call: PlannedCall;
  tool: AgentTool | undefined;
}): Promise<{
  entry: ToolHistoryEntry;
  evidence: Evidence[];
}> {
  const startedAt = scope.now();
  const result = await outcomeOf(async () => {
    if (!tool) throw new Error(`there is no tool ${call.tool}`);
    const run = (): Promise<ToolOutput> => withinTime(tool, { call, question, round, scope });
    return tool.tracesItself
      ? run()
      : traceTool(
          { name: tool.name, args: call.args, config: scope.config },
          run,
          ({ summary }) => summary,
        );
  });
  const durationMs = Math.max(0, scope.now() - startedAt);
  const evidence = result.status === "ok" ? result.output.evidence : [];
  const entry: ToolHistoryEntry = {
    ...call,
    round,
    status: result.status === "ok" && evidence.length === 0 ? "empty" : result.status,
    scores: evidence.map(({ scores }) => scores),
    evidence_ids: evidence.map(({ id }) => id),
    output: result.status === "ok" ? describe(result.output) : "",
    ...(result.status === "ok" ? {} : { error: cut(result.error) }),
    ...(result.status === "ok" && result.output.cached ? { cached: true } : {}),
    durationMs,
  };
  scope.emit({
    type: "tool_call",
    iteration: round,
    tool: call.tool,
    args: call.args,
    status: entry.status,
    count: evidence.length,
    tookMs: durationMs,
    ...(entry.cached ? { cached: true } : {}),
    ...(entry.error === undefined ? {} : { error: entry.error }),
  });
  if (result.status !== "ok" && result.cause instanceof KnowledgeBaseError)
    scope.cause("knowledge_base_error");
  return { entry, evidence };
}

type CallResult =
  | { status: "ok"; output: ToolOutput }
  | { status: "error" | "timeout" | "skipped"; error: string; cause: unknown };

async function outcomeOf(run: () => Promise<ToolOutput>): Promise<CallResult> {
  try {
    return { status: "ok", output: await run() };
  } catch (cause) {
    const error = cause instanceof Error ? cause.message || cause.name : String(cause);
    if (cause instanceof ToolTimeoutError) return { status: "timeout", error, cause };
    return { status: cause instanceof BudgetExhaustedError ? "skipped" : "error", error, cause };
  }
}

class ToolTimeoutError extends Error {
  override readonly name = "ToolTimeoutError";
}

/**
 * The tool's signal fires at its time limit, when the run's time is used up, and when the run is cancelled. A tool that does not heed its
 * signal is left behind: the round goes on without it.
 */
async function withinTime(
  tool: AgentTool,
  {
    call,
    question,
    round,
    scope,
  }: { call: PlannedCall; question: string; round: number; scope: Scope },
): Promise<ToolOutput> {
  const limitInMs = Math.min(tool.timeoutInMs, scope.budget.remainingInMs());
  const timeout = new AbortController();
  const timer = setTimeout(
    () => timeout.abort(new ToolTimeoutError(`no answer within ${limitInMs} ms`)),
    limitInMs,
  );
  const signal = AbortSignal.any([scope.signal, timeout.signal]);
  try {
    signal.throwIfAborted();
    return await new Promise<ToolOutput>((resolve, reject) => {
      signal.addEventListener(
        "abort",
        () =>
          reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason))),
        {
          once: true,
        },
      );
      // A tool that throws before its first await, or fails after it was left behind, is no different from one that rejects.
      Promise.resolve()
        .then(() => tool.run({ args: call.args, question, round, scope, signal }))
        .then(resolve, reject);
    });
  } catch (error) {
    // Whatever a tool says of its own ending, a limit that has passed is a time-out.
    if (timeout.signal.aborted && !scope.signal.aborted) throw timeout.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Reciprocal ranks over all calls: the scores of unlike tools cannot be compared, their ranks can. */
function mergeByRank(lists: readonly (readonly Evidence[])[]): Evidence[] {
  const merged = new Map<string, { item: Evidence; weight: number }>();
  for (const list of lists) {
    list.forEach((item, rank) => {
      const share = 1 / (RRF_K + rank + 1);
      const known = merged.get(item.id);
      if (known)
        merged.set(item.id, {
          item: { ...known.item, scores: union(known.item.scores, item.scores) },
          weight: known.weight + share,
        });
      else merged.set(item.id, { item, weight: share });
    });
  }
  return [...merged.values()].sort((a, b) => b.weight - a.weight).map(({ item }) => item);
}

function union(left: readonly Score[], right: readonly Score[]): Score[] {
  const isKnown = (score: Score): boolean =>
    left.some(
      ({ value, scale, by }) => value === score.value && scale === score.scale && by === score.by,
    );
  return [...left, ...right.filter((score) => !isKnown(score))];
}

function describe({ summary, evidence }: ToolOutput): string {
  const titles = [...new Set(evidence.map(({ title }) => title))].slice(0, 5);
  return cut(titles.length > 0 ? `${summary}: ${titles.join("; ")}` : summary);
}

function cut(text: string): string {
  return text.length <= MAX_OUTPUT_CHARACTERS
    ? text
    : `${text.slice(0, MAX_OUTPUT_CHARACTERS - 1)}…`;
}
