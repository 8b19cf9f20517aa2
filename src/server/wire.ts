/**
 * What clients may send to the thread and run routes. A field that is not listed here is refused by
 * name: webhooks, tracing, feedback tokens and delayed runs are not offered.
 */
import { z } from "zod";
import { CONTEXT_FIELDS } from "../settings/context.js";
import { isRecord } from "../support/json.js";
import { RUN_STATUSES, THREAD_STATUSES } from "./store/sql.js";

const StreamModes = z.enum([
  "events",
  "values",
  "messages",
  "messages-tuple",
  "updates",
  "tasks",
  "checkpoints",
  "debug",
  "custom",
  "tools",
]);
export type StreamMode = z.output<typeof StreamModes>;

const MAX_MESSAGES = 200;
/** Of metadata and replies, as JSON. */
const MAX_FREE_BYTES = 16_384;
/** Any JSON, which the client gets back unchanged. */
const free = z
  .json()
  .refine(
    (value) => JSON.stringify(value).length <= MAX_FREE_BYTES,
    `at most ${MAX_FREE_BYTES} bytes`,
  )
  // LangChain would revive such an object when it reads it back.
  .refine((value) => !/"lc":|\\u0000/.test(JSON.stringify(value)), "must hold no `lc` and no NUL");
const name = z.string().min(1).max(256);
const metadata = z
  .record(name, free)
  .refine(
    (value) => Object.keys(value).length <= 50 && JSON.stringify(value).length <= MAX_FREE_BYTES,
    `at most 50 fields and ${MAX_FREE_BYTES} bytes`,
  );
export const Id = z.uuid();
/** LangGraph's checkpoints are UUIDs of version 6. */
const checkpointId = z.guid();
const checkpoint = z.strictObject({
  thread_id: Id.nullish(),
  checkpoint_id: checkpointId.nullish(),
  // Subgraphs have no threads here.
  checkpoint_ns: z.literal("").nullish(),
  checkpoint_map: z.record(z.string(), z.string()).nullish(),
});
const nodes = z.union([z.literal("*"), z.array(name).max(50)]);
const modes = z.array(StreamModes).max(StreamModes.options.length);
const count = (max: number) => z.number().int().min(0).max(max);
const paging = { limit: count(1_000).default(10), offset: count(1_000_000).default(0) };

/** Who asks is known to the server: a client cannot say so. */
const CLIENT_FIELDS = CONTEXT_FIELDS.filter((field) => field !== "principal");

/** Fields that may be left out, and are not read here. */
const anyOf = <Value>(keys: readonly string[], value: z.ZodType<Value>) =>
  Object.fromEntries(keys.map((key) => [key, value.optional()]));

/** A host's configuration, of which only this agent's settings are read. */
const configurable = z.record(name, z.unknown()).pipe(
  z
    .object({
      checkpoint_id: checkpointId.optional().catch(undefined),
      ...anyOf(CLIENT_FIELDS, z.unknown()),
    })
    .transform(({ checkpoint_id, ...settings }) => ({ checkpoint_id, settings })),
);

const Config = z.strictObject({
  tags: z.array(name).max(20).nullish(),
  recursion_limit: z.number().int().min(1).max(1_000).nullish(),
  configurable: configurable.nullish().transform((value) => value ?? undefined),
  metadata: metadata.nullish(),
});

/** What clients send back of earlier messages; nothing of it is stored. */
const SENT_BACK =
  "additional_kwargs response_metadata usage_metadata status artifact example tool_calls " +
  "tool_call_chunks invalid_tool_calls tool_call_id";

/** @param maxTextBytes of a question, and of the text of a message */
export function createSchemas({ maxTextBytes }: { maxTextBytes: number }) {
  const text = z
    .string()
    .refine((value) => Buffer.byteLength(value) <= maxTextBytes, `at most ${maxTextBytes} bytes`);
  const block = z.strictObject({
    type: z.literal("text"),
    text,
    index: z.unknown().optional(),
    annotations: z.unknown().optional(),
  });
  const Message = z
    .strictObject({
      type: z.enum(["human", "ai", "system", "tool", "remove"]).optional(),
      role: z.enum(["user", "human", "assistant", "ai", "system", "developer", "tool"]).optional(),
      content: z.union([text, z.array(block).max(100)]).optional(),
      id: name.nullish(),
      name: name.nullish(),
      ...anyOf(SENT_BACK.split(" "), z.unknown()),
    })
    .refine(
      ({ type, role }) => (type === undefined) !== (role === undefined),
      "needs `type` or `role`",
    )
    .refine(({ type, content }) => type === "remove" || content !== undefined, "needs `content`")
    .transform(({ type, role, content, id, name: author }) => ({
      ...(type !== undefined && { type }),
      ...(role !== undefined && { role }),
      content: content ?? "",
      ...(id && { id }),
      ...(author && { name: author }),
    }));
  const messages = z
    .array(z.union([text, z.preprocess(unwrapped, Message)]))
    .max(MAX_MESSAGES)
    .transform((all) =>
      // The client's tools are not the agent's.
      all.filter((each) => typeof each === "string" || (each.type ?? each.role) !== "tool"),
    );
  const values = z.strictObject({
    question: text.nullish(),
    messages: z.union([messages, z.preprocess((one) => [one], messages)]).optional(),
  });
  const update = z.strictObject({ messages: messages.optional() });
  const RunRequest = z.strictObject({
    assistant_id: name,
    input: values.nullish(),
    command: z
      .strictObject({
        resume: free.nullish(),
        update: update.nullish(),
        goto: z.union([z.null(), z.array(z.never()).max(0)]).optional(),
      })
      .nullish(),
    context: z.strictObject(anyOf(CLIENT_FIELDS, z.json())).nullish(),
    config: Config.nullish().transform((config) => config ?? undefined),
    metadata: metadata.nullish().transform((value) => value ?? undefined),
    checkpoint: checkpoint.nullish(),
    checkpoint_id: checkpointId.nullish(),
    stream_mode: z.preprocess((given) => given && [given].flat(), modes.nullish()),
    stream_subgraphs: z.boolean().nullish(),
    // Every run's stream can be resumed.
    stream_resumable: z.boolean().nullish(),
    interrupt_before: nodes.nullish(),
    interrupt_after: nodes.nullish(),
    multitask_strategy: z.enum(["reject", "rollback", "interrupt", "enqueue"]).nullish(),
    on_disconnect: z.enum(["cancel", "continue"]).nullish(),
    on_completion: z.enum(["delete", "keep"]).nullish(),
    if_not_exists: z.enum(["create", "reject"]).nullish(),
    durability: z.enum(["exit", "async", "sync"]).nullish(),
  });
  return {
    RunRequest,
    ThreadState: z.strictObject({
      values: update.extend({ question: text.nullish() }).nullish(),
      as_node: name.nullish(),
      checkpoint: checkpoint.nullish(),
      checkpoint_id: checkpointId.nullish(),
    }),
  };
}
export type RunRequest = z.output<ReturnType<typeof createSchemas>["RunRequest"]>;

/** Types of messages by the names of LangChain's classes. */
const CLASSES = new Map<unknown, string>([
  ["HumanMessage", "human"],
  ["AIMessage", "ai"],
  ["AIMessageChunk", "ai"],
  ["SystemMessage", "system"],
]);

/** Reads LangChain's serialized messages and `["user", "…"]` as plain objects. */
function unwrapped(message: unknown): unknown {
  if (Array.isArray(message) && message.length === 2) {
    const [role, content] = message as unknown[];
    return { role, content };
  }
  if (!isRecord(message)) return message;
  const { lc, id, kwargs } = message;
  const isSerialized = lc === 1 && Array.isArray(id) && isRecord(kwargs);
  const plain = isSerialized ? { ...kwargs, type: id.at(-1) as unknown } : message;
  return { ...plain, type: CLASSES.get(plain["type"]) ?? plain["type"] };
}

export const ThreadCreate = z.strictObject({
  thread_id: Id.nullish(),
  metadata: metadata.nullish(),
  if_exists: z.enum(["raise", "do_nothing"]).nullish(),
});
export const ThreadUpdate = z.strictObject({ metadata: metadata.nullish() });
const threadQuery = {
  metadata: metadata.nullish(),
  ids: z.array(Id).max(1_000).nullish(),
  status: z.enum(THREAD_STATUSES).nullish(),
};
export const ThreadCount = z.strictObject(threadQuery);
export const ThreadSearch = z.strictObject({
  ...threadQuery,
  ...paging,
  sort_by: z.enum(["thread_id", "status", "created_at", "updated_at"]).default("updated_at"),
  sort_order: z.enum(["asc", "desc"]).default("desc"),
  select: z.array(name).max(20).nullish(),
});
export const StateAt = z.strictObject({
  checkpoint: checkpoint.nullish(),
  subgraphs: z.boolean().nullish(),
});
/** A checkpoint is named by its id, by itself, or by the configuration that leads to it. */
function placeIn(given: unknown): unknown {
  if (!isRecord(given)) return given;
  return isRecord(given["configurable"])
    ? placeIn(given["configurable"])
    : (given["checkpoint_id"] ?? given);
}
export const History = z.strictObject({
  limit: count(1_000).default(10),
  before: z.preprocess(placeIn, checkpointId.nullish()),
  metadata: metadata.nullish(),
  checkpoint: checkpoint.nullish(),
});
const yes = z
  .enum(["0", "1", "true", "false"])
  .default("0")
  .transform((value) => value === "1" || value === "true");
/** Parameters that change nothing: a thread is sent whole, and the graph has no subgraphs. */
export const Idle = z.strictObject(
  anyOf(["include", "recurse", "select", "subgraphs", "xray"], z.unknown()),
);
export const Labels = z.strictObject({ format: z.enum(["all", "labels"]).default("all") });
export const RunList = z.strictObject({
  limit: z.coerce.number().pipe(count(1_000)).default(10),
  offset: z.coerce.number().pipe(count(1_000_000)).default(0),
  status: z.enum(RUN_STATUSES).optional(),
  select: z.unknown().optional(),
});
export const Cancel = z.strictObject({
  wait: yes,
  action: z.enum(["interrupt", "rollback"]).default("interrupt"),
});
export const Join = z.strictObject({
  cancel_on_disconnect: yes,
  stream_mode: modes.default([]),
});
export const LastEventId = z.coerce.number().int().min(-1).catch(0);
/** There is one, so that its order and what is selected of it change nothing. */
export const AssistantSearch = z.strictObject({
  graph_id: name.nullish(),
  ...paging,
  ...anyOf(["name", "metadata", "sort_by", "sort_order", "select"], z.unknown()),
});
/** What the page adds: passages that a person judged, for `calibrate`. */
export const FeedbackLabel = z.strictObject({
  question: z.string().max(4_000),
  passages: z
    .array(
      z.strictObject({
        title: z.string().max(1_000),
        headings: z.array(z.string().max(1_000)).max(20),
        text: z.string().max(20_000),
        relevant: z.boolean(),
      }),
    )
    .max(20),
});
/** Of a run whose client judged no passages: what was asked, unless it was sent as messages. */
export const Unlabeled = z
  .object({ input: z.object({ question: z.string() }).catch({ question: "" }) })
  .transform(({ input }): z.output<typeof FeedbackLabel> => ({ ...input, passages: [] }));
export const FeedbackBody = z.strictObject({
  score: z.union([z.literal(-1), z.literal(0), z.literal(1)]),
  comment: z.string().max(4_000).default(""),
  label: FeedbackLabel.optional(),
});
