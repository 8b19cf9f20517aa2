/**
 * The shell around every node: opens a scope, runs the node, and adds what the scope collected to
 * its update. The node itself reads state, calls a pure function or a port, and returns an update.
 */
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { LRUCache } from "lru-cache";
import { Overwrite, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { createBudget } from "../observability/budget.js";
import type { AgentEvent, RecordedEvent } from "../observability/events.js";
import { redactText } from "../observability/redact.js";
import type { Scope } from "../observability/scope.js";
import { untriedStrategies, type CorrectionSteps } from "../grading/loop.js";
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
import type { Evidence } from "../state/evidence.js";
import type { OutcomeCause, OutcomeStatus, RetrievalStrategy } from "../state/verdict.js";
import { UserError } from "../support/errors.js";
import { waitForTurn, withinTime } from "../support/waiting.js";
import { cutText } from "../text/words.js";
import type { AgentParts, RunScope } from "./parts.js";

type NodeConfig = LangGraphRunnableConfig<ContextValues>;

export interface NodeInput {
  state: AgentStateType;
  scope: Scope;
  services: RunScope;
  parts: AgentParts;
  /** Steps that the caller's recursion limit leaves after this node. */
  stepsLeft: number;
  /** Steps that a correction takes from here. */
  correctionSteps: CorrectionSteps;
}

/** A node's update without the fields that the shell adds; the last nodes also set the status. */
export type NodeUpdate = Omit<AgentStateUpdate, "usage" | "warnings" | "outcome" | "run"> & {
  run?: Partial<RunRecord>;
  status?: OutcomeStatus;
};

/** What a node does: it reads the state, calls a pure function or a port, and returns an update. */
export type NodeWork = (input: NodeInput) => NodeUpdate | Promise<NodeUpdate>;

export type NodeFunction = (state: AgentStateType, config: NodeConfig) => Promise<AgentStateUpdate>;

/** LangGraph's default. */
const DEFAULT_RECURSION_LIMIT = 25;
/** Beyond the run's seconds, for nodes to end by themselves; a caller's reader or store may not. */
const GRACE_IN_MS = 30_000;

/**
 * Makes a node of a graph from what it does.
 * @param endsRun true for the last node, which drops the texts that only the run needed
 * @example
 * const note = defineNode("note", parts, ({ state }) => ({ extra: { asked: state.question } }));
 */
export function defineNode(
  name: string,
  parts: AgentParts,
  work: NodeWork,
  { endsRun = false }: { endsRun?: boolean } = {},
): NodeFunction {
  const opensRun = name === FIRST_NODE;
  return async (state, config) => {
    // Without a model or a network, a run would otherwise block the event loop.
    await waitForTurn();
    const startedAt = parts.ticks();
    const step = stepOf(config);
    const { context: given, warnings: misread } = readContext(config);
    const run = opensRun ? beginRun(step, config, given) : state.run;
    // A resumed run keeps its settings, in another process too.
    const context = { ...run.context, ...given };
    // A thread holds what its caller may see.
    const caller = given.principal?.id ?? "";
    if (state.run.caller !== "" && state.run.caller !== caller)
      throw new UserError("this conversation belongs to another caller", "begin a new thread");
    const services = servicesOf(parts, run.key, context);
    const { settings } = services;
    const before = opensRun ? { usage: NO_USAGE, warnings: [] } : state;
    const scope = openScope({ name, parts, config, run, settings, startedAt, before });
    for (const warning of misread) scope.warn(warning);
    const input: NodeInput = {
      state: { ...state, run },
      scope,
      services,
      parts,
      stepsLeft: stepsLeft(run, config),
      correctionSteps: parts.correctionSteps?.(name) ?? NO_STEPS,
    };
    const { status, ...update } = await withinTime(async () => work(input), {
      timeoutInMs: scope.budget.remainingInMs() + GRACE_IN_MS,
      signal: scope.signal,
    });
    if (endsRun && (update.run?.retry ?? null) === null) {
      Object.assign(update, withShortTexts(state, update));
      running.get(parts)?.delete(keyOf(run.key, context));
    }
    parts.troubles?.().forEach((trouble) => scope.warn(trouble));
    const usage = {
      node: name,
      runs: 1,
      ...scope.budget.spent,
      took_ms: parts.ticks() - startedAt,
    };
    const { warnings } = scope;
    const outcome = { ...(status && { status }), causes: [...scope.causes] };
    // The first node overwrites what the last run on this thread left.
    if (opensRun)
      return {
        ...emptyRun(state),
        ...update,
        usage: new Overwrite(addUsage(NO_USAGE, usage)),
        warnings: new Overwrite(warnings),
        outcome: new Overwrite({ ...NO_OUTCOME, ...outcome }),
      };
    return {
      ...update,
      usage,
      // Every field that is written is merged and streamed, so empty ones are left out.
      ...(warnings.length > 0 && { warnings }),
      ...((status !== undefined || scope.causes.size > 0) && { outcome }),
    };
  };
}

const FIRST_NODE = "rewrite_question";
const NO_STEPS: CorrectionSteps = { REFINE: 0, RE_RETRIEVE: 0 };

/** Bounded, since an interrupted run may never resume; one that does later gets new services. */
const MAX_RUNS = 500;
const running = new WeakMap<AgentParts, LRUCache<string, RunScope>>();

/** A resumed run may bring more settings than the run had before. */
function keyOf(runKey: string, context: ContextValues): string {
  return `${runKey} ${JSON.stringify(context)}`;
}

/** Returns the services of a run, the same ones for each of its nodes. */
function servicesOf(parts: AgentParts, runKey: string, context: ContextValues): RunScope {
  const known = running.get(parts) ?? new LRUCache<string, RunScope>({ max: MAX_RUNS });
  running.set(parts, known);
  const key = keyOf(runKey, context);
  const services = known.get(key) ?? parts.openRun(context);
  known.set(key, services);
  return services;
}

/** Characters of a passage in the state of a run that has ended, for people who look at it. */
const MAX_LEFT = 120;

/** Cuts the texts of the evidence, so that a thread stays small: no later run reads them. */
function withShortTexts(
  { context, discarded }: AgentStateType,
  { context: changed, run }: NodeUpdate,
): NodeUpdate {
  const cut = (item: Evidence): Evidence => ({ ...item, text: cutText(item.text, MAX_LEFT) });
  return {
    context: [...context, ...(Array.isArray(changed) ? changed : [])].map(cut),
    discarded: discarded.map(cut),
    run: { ...run, window_text: "" },
  };
}

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
  const { signal = new AbortController().signal } = config;
  // Of calls side by side each listens to it: there may be as many as the settings say.
  attempt(() => setMaxListeners(0, signal));
  return {
    runId: run.id,
    node: name,
    settings,
    signal,
    budget: createBudget({
      limits: settings.budget,
      before: before.usage,
      // Time spent waiting for a person does not count.
      startedAt: startedAt - before.usage.took_ms,
      now: () => parts.ticks(),
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

function beginRun(step: number, config: NodeConfig, context: ContextValues): RunRecord {
  const key = randomUUID();
  const { principal, ...settings } = context;
  return {
    ...NEW_RUN,
    // Each step and each resumption names who asks.
    context: settings,
    caller: principal?.id ?? "",
    id: runIdOf(config) ?? key,
    key,
    first_step: step,
    message_id: `answer-${key}`,
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

/** Returns what decides if the run may go back once more. */
export function loopOf(
  { state, scope, stepsLeft, correctionSteps }: NodeInput,
  { available, reasoner }: { available: readonly RetrievalStrategy[]; reasoner: Reasoner["kind"] },
) {
  return {
    iteration: state.iteration,
    maxIterations: scope.settings.maxIterations,
    untriedStrategies: untriedStrategies({ available, tried: state.routing_plan?.tried ?? [] }),
    stepsLeft,
    correctionSteps,
    exhausted: exhausted(scope, reasoner),
  };
}

/** Returns the steps that the caller's recursion limit leaves after this one. */
export function stepsLeft(
  { first_step: first }: Pick<RunRecord, "first_step">,
  config: LangGraphRunnableConfig,
): number {
  return first + (config.recursionLimit ?? DEFAULT_RECURSION_LIMIT) - 2 - stepOf(config);
}

function stepOf(config: Pick<LangGraphRunnableConfig, "metadata">): number {
  const step: unknown = config.metadata?.["langgraph_step"];
  return typeof step === "number" ? step : 1;
}
