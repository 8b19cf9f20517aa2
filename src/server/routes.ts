/** Every route of the server, and who may use it. A route that is not listed here is not served. */
import type { Identity } from "./identity.js";
import type { Thread } from "./store/sql.js";

/**
 * `anyone`: needs no key, and reveals nothing of any client. `client`: with a key or a token,
 * if there are any. `owner`: the client to whom the thread in the path belongs; for others it does
 * not exist. `admin`: the clients that `CRAG_ADMINS` names, or every client.
 */
export type Who = "anyone" | "client" | "owner" | "admin";

export const ROUTES = {
  "GET /": "anyone",
  "GET /ok": "anyone",
  "GET /ready": "anyone",
  "GET /app": "anyone",
  "GET /app/": "anyone",
  "GET /app/:name": "anyone",
  "GET /app/lib/:name": "anyone",
  "GET /app/about": "client",
  "GET /info": "client",
  "GET /metrics": "admin",

  "POST /assistants/search": "client",
  "POST /assistants/count": "client",
  "GET /assistants/:assistant_id": "client",
  "POST /assistants/:assistant_id/versions": "client",
  "GET /assistants/:assistant_id/schemas": "client",
  "GET /assistants/:assistant_id/graph": "client",
  "GET /assistants/:assistant_id/subgraphs": "client",

  "POST /threads": "client",
  "POST /threads/search": "client",
  "POST /threads/count": "client",
  "GET /threads/:thread_id": "owner",
  "PATCH /threads/:thread_id": "owner",
  "DELETE /threads/:thread_id": "owner",
  "POST /threads/:thread_id/copy": "owner",
  "GET /threads/:thread_id/state": "owner",
  "POST /threads/:thread_id/state": "owner",
  "POST /threads/:thread_id/state/checkpoint": "owner",
  "GET /threads/:thread_id/state/:checkpoint_id": "owner",
  "POST /threads/:thread_id/history": "owner",

  // The thread may be made by the run.
  "POST /threads/:thread_id/runs": "client",
  "POST /threads/:thread_id/runs/stream": "client",
  "POST /threads/:thread_id/runs/wait": "client",
  "GET /threads/:thread_id/runs": "owner",
  "GET /threads/:thread_id/runs/:run_id": "owner",
  "DELETE /threads/:thread_id/runs/:run_id": "owner",
  "GET /threads/:thread_id/runs/:run_id/join": "owner",
  "GET /threads/:thread_id/runs/:run_id/stream": "owner",
  "POST /threads/:thread_id/runs/:run_id/cancel": "owner",
  "GET /threads/:thread_id/runs/:run_id/feedback": "owner",
  "PUT /threads/:thread_id/runs/:run_id/feedback": "owner",
  "GET /feedback": "client",
  "POST /runs": "client",
  "POST /runs/stream": "client",
  "POST /runs/wait": "client",
  "GET /runs/:run_id/stream": "client",

  "GET /v1/models": "client",
  "GET /v1/models/:id": "client",
  "POST /v1/chat/completions": "client",
  "POST /v1/responses": "client",
  "ALL /mcp": "client",

  "GET /documents": "client",
  "GET /documents/show": "client",
  "GET /documents/passage": "client",
  "GET /documents/file": "client",
  "PUT /documents/file": "admin",
  "DELETE /documents": "admin",
} as const satisfies Record<string, Who>;

/** What the gate has found out about a request. */
export interface ServerEnv {
  Variables: { identity: Identity; thread: Thread; requestId: string };
}

/** Returns who may use a route; undefined for one that is not served. */
export function whoMayUse(method: string, path: string): Who | undefined {
  const rules: Readonly<Record<string, Who>> = ROUTES;
  const key = `${method === "HEAD" ? "GET" : method} ${path}`;
  return rules[key] ?? rules[`ALL ${path}`];
}
