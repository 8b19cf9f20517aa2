/**
 * The permission for a web search and its answer, in the form of LangChain's human-in-the-loop
 * middleware, which chat clients render.
 */
import { z } from "zod";

/** If true in an approval or an edited action, all further queries of the thread are allowed. */
export const ALWAYS = "always_in_this_thread";

const args = z.record(z.string(), z.unknown());

export const PermissionRequest = z.object({
  actionRequests: z.array(z.object({ name: z.string(), args, description: z.string() })),
  reviewConfigs: z.array(
    z.object({
      actionName: z.string(),
      allowedDecisions: z.array(z.enum(["approve", "edit", "reject"])),
    }),
  ),
});
export type PermissionRequest = z.infer<typeof PermissionRequest>;

const Edited = z.object({ args });
const DecisionSchema = z.union([
  z.object({ type: z.literal("approve"), [ALWAYS]: z.boolean().optional() }),
  // Clients for LangChain in JavaScript send `editedAction`, those for Python `edited_action`.
  z.object({
    type: z.literal("edit"),
    editedAction: Edited.optional(),
    edited_action: Edited.optional(),
  }),
  z.object({ type: z.literal("reject"), message: z.string().optional() }),
]);
export type Decision = z.infer<typeof DecisionSchema>;

export const PermissionAnswer = z.object({ decisions: z.array(DecisionSchema) });
