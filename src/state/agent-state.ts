/**
 * The state of a run. Its keys are the wire format that Studio and API clients see.
 *
 * Fields of one run are reset by the first node with `null`, which every reducer here takes as "empty", or with `{reset: value}` where the
 * first node has something to say itself; a thread carries only `messages` on.
 */
import { Annotation, messagesStateReducer } from "@langchain/langgraph";
import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import { addUsage, NO_USAGE, type Usage, type UsageDelta } from "../observability/usage.js";
import type { Citation, SourceReference } from "./answer.js";
import type { Details } from "./details.js";
import type { Evidence } from "./evidence.js";
import { NEW_RUN, type RoutingPlan, type RunRecord } from "./run-record.js";
import type { PlannedCall, ToolHistoryEntry } from "./tool-history.js";
import type { Evaluation, GraderAction, Outcome, OutcomeCause } from "./verdict.js";

/** Forget what was there and begin with this. */
export interface Reset<T> {
  reset: T;
}

function isReset<T>(update: unknown): update is Reset<T> {
  return typeof update === "object" && update !== null && "reset" in update;
}

/** A channel that holds one value; the last update wins. */
const latest = <T>(initial: () => T) =>
  Annotation<T>({ reducer: (_before, update) => update, default: initial });

const appended = <T>() =>
  Annotation<T[], T[] | null>({
    reducer: (before, update) => (update === null ? [] : [...before, ...update]),
    default: () => [],
  });

/** Merges by id; an item that arrives as discarded leaves the context. */
function mergeContext(before: Evidence[], update: Evidence[] | null): Evidence[] {
  if (update === null) return [];
  const merged = new Map(before.map((item) => [item.id, item]));
  for (const item of update) {
    if (item.status === "discarded") merged.delete(item.id);
    else merged.set(item.id, item);
  }
  return [...merged.values()];
}

/** Keeps the newest entry for each id, without its text: it is there to be named, not to be read again. */
function mergeDiscarded(before: Evidence[], update: Evidence[] | null): Evidence[] {
  if (update === null) return [];
  const merged = new Map(before.map((item) => [item.id, item]));
  for (const item of update) merged.set(item.id, { ...item, text: "" });
  return [...merged.values()];
}

const NO_OUTCOME: Outcome = { status: "success", causes: [] };

/** Causes add up; the status is the last one given. */
function mergeOutcome(
  before: Outcome,
  update: Partial<Outcome> | Reset<Partial<Outcome>> | null,
): Outcome {
  if (update === null) return NO_OUTCOME;
  if (isReset<Partial<Outcome>>(update)) return mergeOutcome(NO_OUTCOME, update.reset);
  const causes = new Set<OutcomeCause>([...before.causes, ...(update.causes ?? [])]);
  return { status: update.status ?? before.status, causes: [...causes] };
}

function mergeUsage(before: Usage, update: UsageDelta | Reset<UsageDelta> | null): Usage {
  if (update === null) return NO_USAGE;
  return isReset<UsageDelta>(update) ? addUsage(NO_USAGE, update.reset) : addUsage(before, update);
}

/** Each line once. */
function mergeWarnings(before: string[], update: string[] | Reset<string[]> | null): string[] {
  if (update === null) return [];
  return isReset<string[]>(update) ? update.reset : [...new Set([...before, ...update])];
}

export const AgentState = Annotation.Root({
  messages: Annotation<BaseMessage[], BaseMessageLike | BaseMessageLike[]>({
    reducer: messagesStateReducer,
    default: () => [],
  }),
  question: latest<string | null>(() => null),
  standalone_question: latest<string>(() => ""),
  mode: latest<"chat" | "search">(() => "search"),
  routing_plan: latest<RoutingPlan | null>(() => null),
  pending_tool_calls: latest<PlannedCall[]>(() => []),
  tool_history: appended<ToolHistoryEntry>(),
  context: Annotation<Evidence[], Evidence[] | null>({ reducer: mergeContext, default: () => [] }),
  discarded: Annotation<Evidence[], Evidence[] | null>({
    reducer: mergeDiscarded,
    default: () => [],
  }),
  /** Relevance by evidence id, 0–1. */
  evidence_scores: Annotation<Record<string, number>, Record<string, number> | null>({
    reducer: (before, update) => (update === null ? {} : { ...before, ...update }),
    default: () => ({}),
  }),
  evaluation: latest<Evaluation | null>(() => null),
  grader_action: latest<GraderAction | null>(() => null),
  /** Corrections made so far. */
  iteration: latest<number>(() => 0),
  answer: latest<string>(() => ""),
  citations: latest<Citation[]>(() => []),
  sources: latest<SourceReference[]>(() => []),
  details: latest<Details | null>(() => null),
  outcome: Annotation<Outcome, Partial<Outcome> | Reset<Partial<Outcome>> | null>({
    reducer: mergeOutcome,
    default: () => NO_OUTCOME,
  }),
  usage: Annotation<Usage, UsageDelta | Reset<UsageDelta> | null>({
    reducer: mergeUsage,
    default: () => NO_USAGE,
  }),
  warnings: Annotation<string[], string[] | Reset<string[]> | null>({
    reducer: mergeWarnings,
    default: () => [],
  }),
  /** Bookkeeping between the nodes of one run; not meant for callers. */
  run: Annotation<RunRecord, Partial<RunRecord> | null>({
    reducer: (before, update) => (update === null ? NEW_RUN : { ...before, ...update }),
    default: () => NEW_RUN,
  }),
});

export type AgentStateType = typeof AgentState.State;
export type AgentStateUpdate = typeof AgentState.Update;

/**
 * The update that empties every field of the last run; `messages` stays.
 * @param left the state as it stands; where no run was before there is only the question, which came with the input
 */
export function emptyRun(left?: AgentStateType): AgentStateUpdate {
  if (left?.run === NEW_RUN) return { question: null };
  return {
    question: null,
    standalone_question: "",
    mode: "search",
    routing_plan: null,
    pending_tool_calls: [],
    tool_history: null,
    context: null,
    discarded: null,
    evidence_scores: null,
    evaluation: null,
    grader_action: null,
    iteration: 0,
    answer: "",
    citations: [],
    sources: [],
    details: null,
    outcome: null,
    usage: null,
    warnings: null,
    run: null,
  };
}
