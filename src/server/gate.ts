/**
 * The gate in front of every route: where a request comes from, who sends it, how large it is, and
 * whose thread it is for. Handlers see only what passed.
 */
import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { BodyTooLargeError, readBounded } from "../support/json-client.js";
import { judgeRequest, type AccessPolicy } from "./access.js";
import { HttpProblem, notFound } from "./http-problem.js";
import type { Gatekeeper } from "./identity.js";
import { whoMayUse, type ServerEnv, type Who } from "./routes.js";
import type { Conversations } from "./store/conversations.js";
import { Id } from "./wire.js";

interface GateParts {
  readonly policy: AccessPolicy;
  readonly gatekeeper: Gatekeeper;
  readonly conversations: Conversations;
  readonly maxBodyBytes: number;
}

const MAX_DEPTH = 24;
/** Keys and items together. */
const MAX_PARTS = 20_000;
/** Names with a meaning for JavaScript or for LangChain's deserialization. */
const RESERVED: readonly string[] = ["__proto__", "constructor", "prototype"];

/** Its body is a file, which is bounded as it is received. */
const UPLOAD = "PUT /documents/file";

export function gate(parts: GateParts): MiddlewareHandler<ServerEnv> {
  const { policy, gatekeeper, conversations, maxBodyBytes } = parts;
  return async (context, next) => {
    const { req } = context;
    const foreign = judgeRequest(
      { method: req.method, path: req.path, header: (name) => req.header(name) },
      policy,
    );
    if (foreign !== undefined) throw new HttpProblem(403, foreign);
    const route = routeOf(context);
    const who = route?.who ?? "client";
    if (who === "anyone") return next();
    const identity = await gatekeeper.identify(req.raw.headers);
    if (identity === undefined)
      throw new HttpProblem(401, "a valid key is needed: as x-api-key or as a bearer token");
    if (route === undefined) throw notFound("route");
    if (who === "admin" && !identity.isAdmin)
      throw new HttpProblem(403, "only the clients that CRAG_ADMINS names may do this");
    context.set("identity", identity);
    if (who === "owner") {
      // Middleware for all paths sees no parameters; every owner's path begins with the thread.
      const id = Id.safeParse(req.path.split("/")[2]);
      const thread = id.success ? await conversations.thread(identity.owner, id.data) : undefined;
      if (thread === undefined) throw notFound("thread");
      context.set("thread", thread);
    }
    if (req.raw.body !== null && route.key !== UPLOAD) await readBody(context, maxBodyBytes);
    return next();
  };
}

/** Returns the route that will serve a request, if it is one of the table. */
function routeOf(context: Context): { key: string; who: Who } | undefined {
  const { method } = context.req;
  for (const { path } of matchedRoutes(context)) {
    const who = path.endsWith("*") ? undefined : whoMayUse(method, path);
    if (who !== undefined) return { key: `${method} ${path}`, who };
  }
  return undefined;
}

/** Reads the body and bounds it, so that routes find it whole. */
async function readBody(context: Context, maxBytes: number): Promise<void> {
  const { raw } = context.req;
  const tooLarge = (): HttpProblem =>
    new HttpProblem(413, `a request may have at most ${maxBytes} bytes`);
  if (Number(raw.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
  try {
    const sent = raw.body?.values({ preventCancel: true }) ?? null;
    const text = new TextDecoder().decode(await readBounded(sent, maxBytes));
    const body = text === "" ? "{}" : JSON.stringify(boundedJson(text));
    context.req.raw = new Request(raw, { body });
  } catch (error) {
    throw error instanceof BodyTooLargeError ? tooLarge() : error;
  }
}

/**
 * Parses a body and bounds its shape, whatever route it is for.
 * @throws HttpProblem
 */
function boundedJson(text: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new HttpProblem(400, "the body is not JSON");
  }
  let parts = 0;
  const open: { value: unknown; depth: number }[] = [{ value: body, depth: 0 }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value, depth } = item;
    if (typeof value !== "object" || value === null) continue;
    if (depth >= MAX_DEPTH)
      throw new HttpProblem(413, `the body is deeper than ${MAX_DEPTH} levels`);
    const reserved = Object.keys(value).find((key) => RESERVED.includes(key));
    if (reserved !== undefined) throw new HttpProblem(422, `"${reserved}" is no name for a field`);
    const inner: unknown[] = Object.values(value);
    parts += inner.length;
    if (parts > MAX_PARTS)
      throw new HttpProblem(413, `the body has more than ${MAX_PARTS} fields and items`);
    for (const each of inner) open.push({ value: each, depth: depth + 1 });
  }
  return body;
}
