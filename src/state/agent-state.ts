/**
 * The state of a run, its input and its output. The keys are the wire format that Studio and API
 * clients see. The first node empties all fields but `messages` and `web_allowed`, which belong to
 * the thread.
 */
import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import { MessagesZodMeta, Overwrite } from "@langchain/langgraph";
import { schemaMetaRegistry, withLangGraph, type UpdateType } from "@langchain/langgraph/zod";
import { z } from "zod";
import { CitationSchema, ClosestPassageSchema, SourceReferenceSchema } from "./answer.js";
import { addUsage, DetailsSchema, NO_USAGE, UsageSchema, type UsageDelta } from "./details.js";
import { EvidenceSchema, type Evidence } from "./evidence.js";
import {
  NEW_RUN,
  PlannedCallSchema,
  RoutingPlanSchema,
  RunRecordSchema,
  ToolHistoryEntrySchema,
  type RunRecord,
  type ToolHistoryEntry,
} from "./run-record.js";
import { EvaluationSchema, GraderActionSchema, OutcomeSchema, type Outcome } from "./verdict.js";

/** A typed schema that accepts everything. */
export function anything<T>(): z.ZodType<T, T> {
  return z.any();
}

/**
 * A field with a reducer. LangGraph would parse, and so copy, every update with the field's schema,
 * although the compiler has checked it. So the channel accepts anything and just reports the
 * schema.
 */
function gathered<T extends z.ZodType, Update>(
  schema: T,
  initial: () => z.output<T>,
  add: (before: z.output<T>, update: Update) => z.output<T>,
) {
  const open = anything<z.output<T>>().describe(schema.description ?? "");
  return withLangGraph<z.output<T>, Update, typeof open>(open, {
    default: initial,
    reducer: { fn: add, schema: anything<Update>() },
    // A getter, because it takes a few milliseconds and only the server asks.
    get jsonSchemaExtra() {
      const { $schema: _unused, ...json } = z.toJSONSchema(schema, { io: "input" });
      return json;
    },
  });
}

/** A field whose last update wins. */
function latest<T extends z.ZodType>(schema: T, initial: () => z.output<T>) {
  return gathered<T, z.output<T>>(schema, initial, replaced);
}

function replaced<T>(_before: unknown, update: T): T {
  return update;
}

/** The conversation, with LangGraph's reducer. */
function messageList() {
  const open = anything<BaseMessage[]>();
  return withLangGraph<BaseMessage[], MessagesUpdate, typeof open>(open, {
    ...MessagesZodMeta,
    jsonSchemaExtra: MESSAGES,
  });
}

/** Each a message, a tuple, `{role, content}` or a string. */
type MessagesUpdate = BaseMessageLike | BaseMessageLike[];

/** With `langgraph_type` Studio offers its chat. */
const MESSAGES = { langgraph_type: "messages", type: "array", items: {} } as const;

/** Keeps the newest item for each id. */
function mergeById(before: Evidence[], update: Evidence[]): Evidence[] {
  return [...new Map([...before, ...update].map((item) => [item.id, item])).values()];
}

/** An item that arrives as discarded leaves the context. */
function mergeContext(before: Evidence[], update: Evidence[]): Evidence[] {
  return mergeById(before, update).filter(({ status }) => status !== "discarded");
}

export const NO_OUTCOME: Outcome = { status: "success", causes: [] };

/** Causes accumulate; the last status counts. */
function mergeOutcome(before: Outcome, { status, causes = [] }: Partial<Outcome>): Outcome {
  return { status: status ?? before.status, causes: [...new Set([...before.causes, ...causes])] };
}

export const AgentState = z.object({
  messages: messageList(),
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
  discarded: gathered(z.array(EvidenceSchema), () => [], mergeById),
  evidence_scores: gathered(
    z.record(z.string(), z.number()).describe("Relevance by evidence id, 0–1."),
    () => ({}),
    (before, update: Record<string, number>) => ({ ...before, ...update }),
  ),
  evaluation: latest(EvaluationSchema.nullable(), () => null),
  grader_action: latest(GraderActionSchema.nullable(), () => null),
  iteration: latest(z.number().int().min(0).describe("Corrections made so far."), () => 0),
  answer: latest(
    z.string().describe("With [n] citations; or the closest passages; or why there is none."),
    () => "",
  ),
  citations: latest(
    z
      .array(CitationSchema)
      .describe("Each [n] tied to the exact span of evidence that supports its sentence."),
    () => [],
  ),
  sources: latest(
    z
      .array(SourceReferenceSchema)
      .describe("The sources behind the numbers, with path and line, page or URL."),
    () => [],
  ),
  passages: latest(
    z
      .array(ClosestPassageSchema)
      .describe("The passages that come closest, if the outcome is closest_passages; else empty."),
    () => [],
  ),
  details: latest(
    DetailsSchema.nullable().describe(
      "Action, label, scores, evaluation, rounds, iterations, web use and usage.",
    ),
    () => null,
  ),
  outcome: gathered(
    OutcomeSchema.describe(
      "status (success, closest_passages, abstained, failed) and the causes behind it.",
    ),
    () => NO_OUTCOME,
    mergeOutcome,
  ),
  usage: gathered(
    UsageSchema,
    () => NO_USAGE,
    (before, update: UsageDelta) => addUsage(before, update),
  ),
  warnings: gathered(
    z.array(z.string()).describe("Problems and omissions along the way, one line each."),
    () => [],
    (before, update: string[]) => [...new Set([...before, ...update])],
  ),
  extra: gathered(
    z.record(z.string(), z.unknown()).describe("What nodes of yours note, by name."),
    () => ({}),
    (before, update: Record<string, unknown>) => ({ ...before, ...update }),
  ),
  web_allowed: latest(
    z.boolean().describe("A person allowed every web search of this thread."),
    () => false,
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
 * Returns the update that empties every field of the last run.
 * @param left the current state; before the first run, only the question has to be emptied
 */
export function emptyRun(left?: AgentStateType): AgentStateUpdate {
  if (left?.run === NEW_RUN) return { question: null };
  const { messages: _messages, web_allowed: _allowed, ...ofRun } = AgentState.shape;
  const emptied = Object.entries(ofRun).map(([key, field]) => {
    const { default: initial, reducer } = schemaMetaRegistry.get<unknown>(field) ?? {};
    const value = initial?.();
    return [key, reducer?.fn === replaced ? value : new Overwrite(value)];
  });
  return z.custom<AgentStateUpdate>().parse(Object.fromEntries(emptied));
}

/**
 * Without refinements, unions, transforms or strict objects, which LangGraph rejects, some only at
 * run time. The first node checks that there is a question.
 */
export const InputSchema = z.object({
  question: z
    .string()
    .nullable()
    .default(null)
    .describe("The question. Or send `messages`, whose last one is then the question."),
  messages: withLangGraph(
    anything<MessagesUpdate>()
      .default([])
      .describe(
        "The conversation, in LangChain's or OpenAI's form; the last message is the question.",
      ),
    { jsonSchemaExtra: MESSAGES },
  ),
});

export const OutputSchema = AgentState.pick({
  answer: true,
  citations: true,
  sources: true,
  passages: true,
  outcome: true,
  details: true,
  warnings: true,
  extra: true,
  messages: true,
});

export type OutputValues = z.output<typeof OutputSchema>;
