/**
 * The permission for a web search and its answer, in the form of LangChain's human-in-the-loop
 * middleware, which chat clients render.
 */
import { z } from "zod";

/** If true in an approval or an edited action, all further queries of the thread are allowed. */
export const ALWAYS = "always_in_this_thread";

/**
 * Stands in the conversation while a run waits for a person: agent-chat-ui shows a request only
 * below a message of the agent.
 */
export const noticeOf = ({ message_id: id }: { message_id: string }) => ({
  id: `permission-${id}`,
  role: "assistant",
  content: "This needs a web search, which waits for your permission.",
});

/** True for such a notice, which is no part of what was said. */
export function isNotice({ id }: { readonly id?: string | undefined }): boolean {
  return id?.startsWith("permission-") === true;
}

const args = z.record(z.string(), z.unknown());

export const PermissionRequest = z.object({
  actionRequests: z.array(z.object({ name: z.string(), args, description: z.string() })),
});
export type PermissionRequest = z.infer<typeof PermissionRequest>;

/** An edit that cannot be read has no query, and so allows nothing. */
const Edited = z.object({ args }).nullish().catch(undefined);
const DecisionSchema = z
  .object({
    type: z.enum(["approve", "edit", "reject"]),
    [ALWAYS]: z.boolean().optional(),
    // From clients for LangChain in JavaScript, and from those for Python.
    editedAction: Edited,
    edited_action: Edited,
  })
  .transform(({ type, [ALWAYS]: always, ...edited }) => {
    const args = (edited.editedAction ?? edited.edited_action)?.args;
    const allowsAll = type !== "reject" && (always ?? args?.[ALWAYS]) === true;
    return { type, query: args?.["query"], allowsAll };
  });
/** A person's decision on one call; an edit has the new query. */
export type PermissionDecision = z.output<typeof DecisionSchema>;

export const PermissionAnswer = z.object({ decisions: z.array(DecisionSchema) });
