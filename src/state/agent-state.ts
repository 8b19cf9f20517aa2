/**
 * The state of a run, declared once: LangGraph gets its channels from here, the API server its
 * `state_schema`, the compiler its types. The keys are the wire format that Studio and API clients
 * see.
 *
 * Fields of one run are emptied by the first node: where updates add up, `null` means empty, and
 * `{reset: value}` begins anew with a value. A thread carries only `messages` on.
 */
import { MessagesZodMeta } from "@langchain/langgraph";
import { withLangGraph, type UpdateType } from "@langchain/langgraph/zod";
import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import { z } from "zod";
import { CitationSchema, SourceReferenceSchema } from "./answer.js";
import { DetailsSchema } from "./details.js";
import { EvidenceSchema, withoutText, type Evidence } from "./evidence.js";
import { NEW_RUN, RoutingPlanSchema, RunRecordSchema, type RunRecord } from "./run-record.js";
import {
  PlannedCallSchema,
  ToolHistoryEntrySchema,
  type ToolHistoryEntry,
} from "./tool-history.js";
import { addUsage, NO_USAGE, UsageSchema, type UsageDelta } from "./usage.js";
import { EvaluationSchema, GraderActionSchema, OutcomeSchema, type Outcome } from "./verdict.js";

/** Forget what was there and begin with this. */
export interface Reset<T> {
  reset: T;
}

function isReset<T>(update: T | Reset<T>): update is Reset<T> {
  return typeof update === "object" && update !== null && "reset" in update;
}

/**
 * A schema for the server to report. LangGraph would parse every update with it, which copies what
 * the compiler has checked already, so that the channel itself takes any value.
 */
function reported(schema: z.ZodType): { jsonSchemaExtra: Record<string, unknown> } {
  return {
    // Only the server asks, and it takes a few milliseconds.
    get jsonSchemaExtra() {
      const { $schema: _unused, ...json } = z.toJSONSchema(schema, { io: "input" });
      return json;
    },
  };
}

/** Lays a field's reported schema, its first value and its reducer together. */
function field<T extends z.ZodType, Update>(
  schema: T,
  initial: () => z.output<T>,
  fn: (before: z.output<T>, update: Update) => z.output<T>,
) {
  const meta = { default: initial, reducer: { fn, schema: z.custom<Update>() } };
  return withLangGraph<z.output<T>, Update, z.ZodType<z.output<T>, z.output<T>>>(
    z.custom<z.output<T>>(),
    Object.defineProperties(meta, Object.getOwnPropertyDescriptors(reported(schema))),
  );
}

/** A field that holds one value; the last update wins. */
const latest = <T extends z.ZodType>(schema: T, initial: () => z.output<T>) =>
  field(schema, initial, (_before, update: z.output<T>) => update);

/** A field to which updates add up. */
const gathered = <T extends z.ZodType, Update>(
  schema: T,
  initial: () => z.output<T>,
  add: (before: z.output<T>, update: Update) => z.output<T>,
) =>
  field(schema, initial, (before, update: Update | Reset<Update> | null) => {
    if (update === null) return initial();
    return isReset(update) ? add(initial(), update.reset) : add(before, update);
  });

/** Merges by id; an item that arrives as discarded leaves the context. */
function mergeContext(before: Evidence[], update: Evidence[]): Evidence[] {
  const merged = new Map(before.map((item) => [item.id, item]));
  for (const item of update) {
    if (item.status === "discarded") merged.delete(item.id);
    else merged.set(item.id, item);
  }
  return [...merged.values()];
}

/** Keeps the newest entry for each id, without its text. */
function mergeDiscarded(before: Evidence[], update: Evidence[]): Evidence[] {
  const merged = new Map(before.map((item) => [item.id, item]));
  for (const item of update) merged.set(item.id, withoutText(item));
  return [...merged.values()];
}

const NO_OUTCOME: Outcome = { status: "success", causes: [] };

/** Causes add up; the status is the last one given. */
function mergeOutcome(before: Outcome, { status, causes = [] }: Partial<Outcome>): Outcome {
  return {
    status: status ?? before.status,
    causes: [...new Set([...before.causes, ...causes])],
  };
}

export const AgentState = z.object({
  messages: withLangGraph<
    BaseMessage[],
    BaseMessageLike | BaseMessageLike[],
    z.ZodType<BaseMessage[], BaseMessage[]>
  >(z.custom<BaseMessage[]>(), MessagesZodMeta),
  question: latest(z.string().nullable(), () => null),
  standalone_question: latest(z.string(), () => ""),
  mode: latest(z.enum(["chat", "search"]), (): "chat" | "search" => "search"),
  routing_plan: latest(RoutingPlanSchema.nullable(), () => null),
  pending_tool_calls: latest(z.array(PlannedCallSchema), () => []),
  tool_history: gathered(
    z.array(ToolHistoryEntrySchema),
    () => [],
    (before, update: ToolHistoryEntry[]) => [...before, ...update],
  ),
  context: gathered(z.array(EvidenceSchema), () => [], mergeContext),
  discarded: gathered(z.array(EvidenceSchema), () => [], mergeDiscarded),
  evidence_scores: gathered(
    z.record(z.string(), z.number()).describe("Relevance by evidence id, 0–1."),
    () => ({}),
    (before, update: Record<string, number>) => ({ ...before, ...update }),
  ),
  evaluation: latest(EvaluationSchema.nullable(), () => null),
  grader_action: latest(GraderActionSchema.nullable(), () => null),
  iteration: latest(z.number().int().min(0).describe("Corrections made so far."), () => 0),
  answer: latest(z.string(), () => ""),
  citations: latest(z.array(CitationSchema), () => []),
  sources: latest(z.array(SourceReferenceSchema), () => []),
  details: latest(DetailsSchema.nullable(), () => null),
  outcome: gathered(OutcomeSchema, () => NO_OUTCOME, mergeOutcome),
  usage: gathered(
    UsageSchema,
    () => NO_USAGE,
    (before, update: UsageDelta) => addUsage(before, update),
  ),
  warnings: gathered(
    z.array(z.string()),
    () => [],
    (before, update: string[]) => [...new Set([...before, ...update])],
  ),
  run: gathered(
    RunRecordSchema.describe("Bookkeeping between the nodes of one run; not meant for callers."),
    () => NEW_RUN,
    (before, update: Partial<RunRecord>) => ({ ...before, ...update }),
  ),
});

export type AgentStateType = z.output<typeof AgentState>;
export type AgentStateUpdate = UpdateType<typeof AgentState>;

/**
 * The update that empties every field of the last run; `messages` stays.
 * @param left the state as it stands; where no run was before there is only the question, which
 *   came with the input
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
  } satisfies Required<Omit<AgentStateUpdate, "messages">>;
}
