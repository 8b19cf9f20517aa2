/** The gate in front of every route of the API server: `langgraph.json` names it under `auth`. */
import "dotenv/config";
import { Auth, HTTPException } from "@langchain/langgraph-sdk/auth";
import { getPath } from "hono/utils/url";
import { BodyTooLargeError, readBounded } from "../support/json-client.js";
import {
  accessPolicy,
  isUpload,
  judgeBody,
  judgeRequest,
  tooLarge,
  type Verdict,
} from "./access.js";

const policy = accessPolicy(process.env);

export const auth = new Auth()
  .authenticate(async (request) => {
    const path = getPath(request);
    const head = {
      method: request.method,
      path,
      header: (name: string) => request.headers.get(name) ?? undefined,
    };
    const verdict = judgeRequest(head, policy);
    const identity = identityOf(verdict);
    if (request.body !== null && path !== "/ok" && !isUpload(head))
      identityOf(await judgedBody(request));
    return { identity, permissions: [] };
  })
  // With keys, a conversation belongs to the client that began it.
  .on("threads", ({ user, value }) => {
    if (policy.keys.length === 0) return true;
    const owner = { owner: user.identity };
    if ("metadata" in value || "thread_id" in value)
      Object.assign(value, { metadata: { ...metadataOf(value), ...owner } });
    return owner;
  })
  // Nobody changes or deletes an assistant of somebody else's, nor the two of this server.
  .on(["assistants:create", "assistants:update", "assistants:delete"], ({ user, value }) => {
    const owner = { owner: user.identity };
    Object.assign(value, { metadata: { ...metadataOf(value), ...owner } });
    return owner;
  });

function identityOf(verdict: Verdict): string {
  if (verdict.allowed) return verdict.identity;
  throw new HTTPException(verdict.status, { message: verdict.reason });
}

function metadataOf(value: object): object {
  return "metadata" in value && typeof value.metadata === "object" && value.metadata !== null
    ? value.metadata
    : {};
}

/** Reads a copy of the body up to the limit, because one without a length may be endless. */
async function judgedBody(request: Request): Promise<Verdict> {
  try {
    const bytes = await readBounded(request.clone().body, policy.maxBodyBytes);
    return judgeBody(JSON.parse(new TextDecoder().decode(bytes)), policy);
  } catch (error) {
    if (error instanceof BodyTooLargeError) return tooLarge(policy.maxBodyBytes);
    // Not JSON: the route reports it.
    return { allowed: true, identity: "" };
  }
}
