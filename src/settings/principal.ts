/** Who asks: an identity that the host or the server vouches for, never the question itself. */
import { z } from "zod";
import { isRecord } from "../support/json.js";

const name = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .overwrite((text) => text.normalize("NFC"));

export const PrincipalSchema = z.strictObject({
  id: name,
  groups: z.array(name).max(1_000).readonly().optional(),
});
/** The caller, and the groups that it belongs to. */
export type Principal = z.infer<typeof PrincipalSchema>;

/**
 * Puts an identity that was authenticated into a run's context, in place of whatever a client
 * wrote there.
 * @param principal undefined for a caller without an identity: a client's claim is removed
 * @example await agent.ask(question, { context: withPrincipal(body.context, user) });
 */
export function withPrincipal(
  context: unknown,
  principal: Principal | undefined,
): Record<string, unknown> {
  const { principal: _, ...rest } = isRecord(context) ? context : {};
  return { ...rest, ...(principal && { principal }) };
}

/** The identity of everybody on a server without keys. */
const ANYBODY = "local";

/**
 * Returns the user that a LangGraph server authenticated, who counts more than what the context
 * says; undefined where it authenticated nobody.
 */
export function authenticatedBy(configurable: unknown): Principal | undefined {
  const user: unknown = Reflect.get(Object(configurable), "langgraph_auth_user");
  if (!isRecord(user) || user["identity"] === ANYBODY) return undefined;
  const groups = z.array(name).safeParse(user["groups"]).data;
  return PrincipalSchema.safeParse({ id: user["identity"], ...(groups && { groups }) }).data;
}
