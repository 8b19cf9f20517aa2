/** Declares fields of the state: reported schema, initial value, and reducer. */
import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import { MessagesZodMeta } from "@langchain/langgraph";
import { withLangGraph } from "@langchain/langgraph/zod";
import { z } from "zod";

/** A typed schema that accepts everything. */
export function anything<T>(): z.ZodType<T, T> {
  return z.any();
}

/**
 * A field with a reducer. LangGraph would parse, and so copy, every update with the field's schema,
 * although the compiler has checked it. So the channel accepts anything and just reports the
 * schema.
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
    // A getter, because it takes a few milliseconds and only the server asks.
    get jsonSchemaExtra() {
      const { $schema: _unused, ...json } = z.toJSONSchema(schema, { io: "input" });
      return json;
    },
  });
}

/** A field whose last update wins. */
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

/** Each a message, a tuple, `{role, content}` or a string. */
export type MessagesUpdate = BaseMessageLike | BaseMessageLike[];

/** With `langgraph_type` Studio offers its chat. */
const MESSAGES = { langgraph_type: "messages", type: "array", items: {} } as const;

/** Messages of an input, which have no reducer. */
export function reportedMessages<T extends z.ZodType>(schema: T): T {
  return withLangGraph<unknown, unknown, T>(schema, { jsonSchemaExtra: MESSAGES });
}
