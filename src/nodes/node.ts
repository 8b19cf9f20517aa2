/**
 * The shell around every node: opens a scope, runs the node, and adds what the scope collected to
 * its update. The node itself reads state, calls a pure function or a port, and returns an update.
 */
import { randomUUID } from "node:crypto";
import { Overwrite, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { createBudget } from "../observability/budget.js";
import type { AgentEvent, RecordedEvent } from "../observability/events.js";
import { redactText } from "../observability/redact.js";
import type { Scope } from "../observability/scope.js";
import type { Reasoner } from "../reasoning/reasoner.js";
import {
  emptyRun,
  NO_OUTCOME,
  type AgentStateType,
  type AgentStateUpdate,
} from "../state/agent-state.js";
import { NEW_RUN, type RunRecord } from "../state/run-record.js";
import { readContext, type ContextValues } from "../settings/context.js";
import type { RunSettings } from "../settings/run-settings.js";
import { addUsage, NO_USAGE } from "../state/details.js";
import type { OutcomeCause, OutcomeStatus } from "../state/verdict.js";
import { UserError } from "../support/errors.js";
import { takeTurn, withinTime } from "../support/waiting.js";
import type { AgentParts, RunScope } from "./parts.js";
import { forget, memoryOf } from "./run-memory.js";

type NodeConfig = LangGraphRunnableConfig<ContextValues>;

export interface NodeInput {
  state: AgentStateType;
  scope: Scope;
  services: RunScope;
  parts: AgentParts;
  /** Steps that the caller's recursion limit leaves after this node. */
  stepsLeft: number;
}

/** A node's update without the fields that the shell adds; the last nodes also set the status. */
export type NodeUpdate = Omit<AgentStateUpdate, "usage" | "warnings" | "outcome" | "run"> & {
  run?: Partial<RunRecord>;
  status?: OutcomeStatus;
};

export type NodeFunction = (state: AgentStateType, config: NodeConfig) => Promise<AgentStateUpdate>;

/** LangGraph's own default. */
const DEFAULT_RECURSION_LIMIT = 25;
/** Beyond the run's seconds, for nodes to end by themselves; a caller's reader or store may not. */
const GRACE_IN_MS = 30_000;

export function defineNode(
  name: string,
  parts: AgentParts,
  work: (input: NodeInput) => Promise<NodeUpdate>,
): NodeFunction {
  const opensRun = name === FIRST_NODE;
  return async (state, config) => {
    // Without a model or a network, a run would otherwise block the event loop.
    await takeTurn();
    const startedAt = parts.now();
    const step = stepOf(config);
    const { context: given, warnings: misread } = readContext(config);
    const run = opensRun ? beginRun(startedAt, step, config, given) : state.run;
    // A resumed run keeps its settings, in another process too.
    const context = { ...run.context, ...given };
    // A thread holds what its caller may see.
    const caller = given.principal?.id ?? "";
    if (state.run.caller !== "" && state.run.caller !== caller)
      throw new UserError("this conversation belongs to another caller", "begin a new thread");
    const memory = memoryOf(parts, run.key, context);
    const { services } = memory;
    const { settings } = services;
    const before = opensRun ? { usage: NO_USAGE, warnings: [] } : state;
    const scope = openScope({ name, parts, config, run, settings, startedAt, before });
    for (const warning of misread) scope.warn(warning);
    const stepsLeft =
      run.first_step + (config.recursionLimit ?? DEFAULT_RECURSION_LIMIT) - 2 - step;
    const { status, ...update } = await withinTime(
      async () =>
        work({ state: await memory.recall({ ...state, run }), scope, services, parts, stepsLeft }),
      { timeoutInMs: scope.budget.remainingInMs() + GRACE_IN_MS, signal: scope.signal },
    );
    const kept = await memory.keep(update);
    if (name === LAST_NODE && (update.run?.retry ?? null) === null) forget(parts, run.key);
    const usage = { node: name, runs: 1, ...scope.budget.spent, took_ms: parts.now() - startedAt };
    const { warnings } = scope;
    const outcome = { ...(status && { status }), causes: [...scope.causes] };
    // The first node overwrites what the last run on this thread left.
    if (opensRun)
      return {
        ...emptyRun(state),
        ...kept,
        usage: new Overwrite(addUsage(NO_USAGE, usage)),
        warnings: new Overwrite(warnings),
        outcome: new Overwrite({ ...NO_OUTCOME, ...outcome }),
      };
    return {
      ...kept,
      usage,
      // Every field that is written is merged and streamed, so empty ones are left out.
      ...(warnings.length > 0 && { warnings }),
      ...((status !== undefined || scope.causes.size > 0) && { outcome }),
    };
  };
}

const FIRST_NODE = "rewrite_question";
/** Every path ends here. */
const LAST_NODE = "guard_answer";

interface ScopeOptions {
  name: string;
  parts: AgentParts;
  config: NodeConfig;
  run: RunRecord;
  settings: RunSettings;
  startedAt: number;
  before: Pick<AgentStateType, "usage" | "warnings">;
}

function openScope({ name, parts, config, run, settings, startedAt, before }: ScopeOptions): Scope {
  const warnings: string[] = [];
  const causes = new Set<OutcomeCause>();
  const emit = (event: AgentEvent): void => {
    const recorded: RecordedEvent = {
      ...event,
      ...("error" in event && event.error !== undefined && { error: redactText(event.error) }),
      at: new Date(parts.now()).toISOString(),
      run_id: run.id,
      node: name,
    };
    attempt(() => parts.record(recorded));
    attempt(() => config.writer?.(recorded));
  };
  return {
    runId: run.id,
    node: name,
    settings,
    signal: config.signal ?? new AbortController().signal,
    budget: createBudget({
      limits: settings.budget,
      before: before.usage,
      // Time spent waiting for a person does not count.
      startedAt: startedAt - before.usage.took_ms,
      now: () => parts.now(),
    }),
    config,
    now: () => parts.now(),
    emit,
    warn(text) {
      // An error message from a server may repeat the key it was given.
      const message = redactText(text);
      if (before.warnings.includes(message) || warnings.includes(message)) return;
      warnings.push(message);
      emit({ type: "warning", message });
    },
    cause: (cause) => void causes.add(cause),
    warnings,
    causes,
  };
}

/** A listener that fails or has gone away must not end the run. */
function attempt(tell: () => void): void {
  try {
    tell();
  } catch {
    // There is nobody else to report to.
  }
}

function beginRun(
  startedAt: number,
  step: number,
  config: NodeConfig,
  context: ContextValues,
): RunRecord {
  const key = randomUUID();
  const { principal, ...settings } = context;
  return {
    ...NEW_RUN,
    // Who asks is told anew with each step and each resumption.
    context: settings,
    caller: principal?.id ?? "",
    id: runIdOf(config) ?? key,
    key,
    first_step: step,
    message_id: `answer-${key}`,
    round_started_at: startedAt,
  };
}

/** Returns the id under which the API server and tracers know the run. */
function runIdOf({ runId, configurable, metadata }: NodeConfig): string | undefined {
  const host: Record<string, unknown> = configurable ?? {};
  const ids: unknown[] = [runId, host["run_id"], metadata?.["run_id"]];
  return ids.find((id): id is string => typeof id === "string" && id !== "");
}

/** Returns a spent resource without which another round makes no sense. */
export function exhausted({ budget }: Scope, reasoner: Reasoner["kind"]): string | undefined {
  if (!budget.has("seconds")) return "seconds";
  if (reasoner === "embedded") return undefined;
  if (!budget.has("modelCalls")) return "model calls";
  return budget.has("tokens") ? undefined : "tokens";
}

function stepOf(config: NodeConfig): number {
  const step: unknown = config.metadata?.["langgraph_step"];
  return typeof step === "number" ? step : 1;
}
