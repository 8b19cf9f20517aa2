/**
 * The shell around every node: it opens a scope, lets the node work, and adds to its update what
 * the scope collected. Nodes themselves only read state, call a pure function or a port, and return
 * an update.
 */
import { randomUUID } from "node:crypto";
import { Overwrite, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { createBudget } from "../observability/budget.js";
import type { AgentEvent, RecordedEvent } from "../observability/events.js";
import { redactText } from "../observability/redact.js";
import type { Scope } from "../observability/scope.js";
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
import { takeTurn } from "../support/waiting.js";
import type { AgentParts, RunScope } from "./parts.js";
import { forget, memoryOf } from "./run-memory.js";

type NodeConfig = LangGraphRunnableConfig<ContextValues>;

export interface NodeInput {
  state: AgentStateType;
  scope: Scope;
  /** What this run works with. */
  services: RunScope;
  /**
   * Steps that the caller's recursion limit leaves after this node, the guard's and the answer's
   * included.
   */
  stepsLeft: number;
}

/**
 * What a node says: an update without what the shell adds, and the status where the node decides
 * it.
 */
export type NodeUpdate = Omit<AgentStateUpdate, "usage" | "warnings" | "outcome" | "run"> & {
  run?: Partial<RunRecord>;
  status?: OutcomeStatus;
};

export type NodeFunction = (state: AgentStateType, config: NodeConfig) => Promise<AgentStateUpdate>;

/** LangGraph's own limit where a caller sets none. */
const DEFAULT_RECURSION_LIMIT = 25;

/** @param work what the node does */
export function defineNode(
  name: string,
  parts: AgentParts,
  work: (input: NodeInput) => Promise<NodeUpdate>,
): NodeFunction {
  const opensRun = name === FIRST_NODE;
  return async (state, config) => {
    // A run without a model or a network would otherwise never give way to anybody else.
    await takeTurn();
    const startedAt = parts.now();
    const step = stepOf(config);
    const run = opensRun ? beginRun(startedAt, step, config) : state.run;
    const { context, warnings: misread } = readContext(config);
    const memory = memoryOf(parts, run.key, context);
    const { services } = memory;
    const { settings } = services;
    const before = opensRun ? { usage: NO_USAGE, warnings: [] } : state;
    const scope = openScope({ name, parts, config, run, settings, startedAt, before });
    for (const warning of misread) scope.warn(warning);
    const { status, ...update } = await work({
      state: await memory.recall({ ...state, run }),
      scope,
      services,
      stepsLeft: run.first_step + (config.recursionLimit ?? DEFAULT_RECURSION_LIMIT) - 2 - step,
    });
    const kept = await memory.keep(update);
    if (name === LAST_NODE && update.run?.retry !== true) forget(parts, run.key);
    const usage = { node: name, runs: 1, ...scope.budget.spent, took_ms: parts.now() - startedAt };
    const { warnings } = scope;
    const outcome = { ...(status && { status }), causes: [...scope.causes] };
    // The first node begins anew: what the last run on this thread left must not be added to.
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
      // A field that is written is merged, streamed and read by the next edge: where there is
      // nothing to say it is left alone.
      ...(warnings.length > 0 && { warnings }),
      ...((status !== undefined || scope.causes.size > 0) && { outcome }),
    };
  };
}

/** It makes the record of the run. */
const FIRST_NODE = "rewrite_question";
/** Every path ends through it. */
const LAST_NODE = "guard_answer";

interface ScopeOptions {
  name: string;
  parts: AgentParts;
  config: NodeConfig;
  run: RunRecord;
  settings: RunSettings;
  startedAt: number;
  /** What the run has spent and said so far. */
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
    // Whoever listens may have gone away, or fail; the run goes on.
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
      // Only time spent in nodes counts: a run may have waited for a person in between.
      startedAt: startedAt - before.usage.took_ms,
      now: () => parts.now(),
    }),
    config,
    now: () => parts.now(),
    emit,
    warn(text) {
      // What a server or a library says of a failure may name the key that it was given.
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

function attempt(tell: () => void): void {
  try {
    tell();
  } catch {
    // Told in vain.
  }
}

function beginRun(startedAt: number, step: number, config: NodeConfig): RunRecord {
  const key = randomUUID();
  return {
    ...NEW_RUN,
    id: runIdOf(config) ?? key,
    key,
    first_step: step,
    message_id: `answer-${key}`,
    round_started_at: startedAt,
  };
}

/** The id under which the API server and tracers know the run. */
function runIdOf({ runId, configurable, metadata }: NodeConfig): string | undefined {
  const host: Record<string, unknown> = configurable ?? {};
  const ids: unknown[] = [runId, host["run_id"], metadata?.["run_id"]];
  return ids.find((id): id is string => typeof id === "string" && id !== "");
}

function stepOf(config: NodeConfig): number {
  const step: unknown = config.metadata?.["langgraph_step"];
  return typeof step === "number" ? step : 1;
}
