/**
 * How a field of the state is declared: the schema that the server reports, its first value, and
 * what an update does.
 */
import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import { MessagesZodMeta } from "@langchain/langgraph";
import { withLangGraph } from "@langchain/langgraph/zod";
import { z } from "zod";

/** A schema that lets everything pass, typed. */
export function anything<T>(): z.ZodType<T, T> {
  return z.any();
}

/**
 * A field to which updates add up. LangGraph would parse every update with the field's schema,
 * which copies what the compiler has checked already. So the channel takes anything, and the schema
 * is only reported.
 */
export function gathered<T extends z.ZodType, Update>(
  schema: T,
  initial: () => z.output<T>,
  add: (before: z.output<T>, update: Update) => z.output<T>,
) {
  const open = anything<z.output<T>>().describe(schema.description ?? "");
  return withLangGraph<z.output<T>, Update, typeof open>(open, {
    default: initial,
    reducer: { fn: add, schema: anything<Update>() },
    // A getter: only the server asks, and it takes a few milliseconds.
    get jsonSchemaExtra() {
      const { $schema: _unused, ...json } = z.toJSONSchema(schema, { io: "input" });
      return json;
    },
  });
}

/** A field that holds one value; the last update wins. */
export function latest<T extends z.ZodType>(schema: T, initial: () => z.output<T>) {
  return gathered(schema, initial, (_before, update: z.output<T>) => update);
}

/** The conversation, with LangGraph's own reducer. */
export function messageList() {
  const open = anything<BaseMessage[]>();
  return withLangGraph<BaseMessage[], MessagesUpdate, typeof open>(open, {
    ...MessagesZodMeta,
    jsonSchemaExtra: MESSAGES,
  });
}

/**
 * What LangGraph takes for messages: one or several, each a message, a tuple, `{role, content}` or
 * a string.
 */
export type MessagesUpdate = BaseMessageLike | BaseMessageLike[];

/** By this mark Studio knows a conversation, and offers its chat. */
const MESSAGES = { langgraph_type: "messages", type: "array", items: {} } as const;

/** Messages of an input or an output, which have no reducer. */
export function reportedMessages<T extends z.ZodType>(schema: T): T {
  return withLangGraph<unknown, unknown, T>(schema, { jsonSchemaExtra: MESSAGES });
}
