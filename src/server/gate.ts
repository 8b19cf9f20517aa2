/**
 * The gate in front of every route: where a request comes from, who sends it, how large it is, and
 * whose thread it is for. Handlers see only what passed. A route that is not listed here is not
 * served.
 */
import { isIP } from "node:net";
import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { getPath } from "hono/utils/url";
import type { Settings } from "../settings/table.js";
import { parsedJson } from "../support/json.js";
import { BodyTooLargeError, readBounded } from "../support/json-client.js";
import { HttpProblem, notFound, parsed } from "./http-problem.js";
import type { Gatekeeper, Identity } from "./identity.js";
import type { Conversations } from "./store/conversations.js";
import type { Thread } from "./store/sql.js";
import { Id, Idle } from "./wire.js";

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

type Route = keyof typeof ROUTES;

/** Handlers of these read their parameters through schemas of their own. */
const WITH_PARAMETERS: readonly (Route | undefined)[] = [
  "GET /threads/:thread_id/runs",
  "GET /threads/:thread_id/runs/:run_id/join",
  "GET /threads/:thread_id/runs/:run_id/stream",
  "POST /threads/:thread_id/runs/:run_id/cancel",
  "GET /feedback",
  "GET /runs/:run_id/stream",
  "GET /documents",
  "GET /documents/show",
  "GET /documents/passage",
  "GET /documents/file",
  "PUT /documents/file",
  "DELETE /documents",
];

/** What the gate has found out about a request. */
export interface ServerEnv {
  Variables: { identity: Identity; thread: Thread; requestId: string };
}

interface GateParts {
  readonly settings: AccessPolicy & Pick<Settings, "maxBodyBytes">;
  readonly gatekeeper: Gatekeeper;
  readonly conversations: Conversations;
}

const MAX_DEPTH = 24;
/** Keys and items together. */
const MAX_PARTS = 20_000;
/** Names with a meaning for JavaScript or for LangChain's deserialization. */
const RESERVED: readonly string[] = ["__proto__", "constructor", "prototype"];

/** Its body is a file, which is bounded as it is received. */
const UPLOAD = "PUT /documents/file";

export function gate({
  settings,
  gatekeeper,
  conversations,
}: GateParts): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    const { req } = context;
    const foreign = judgeRequest(req.raw, settings);
    if (foreign !== undefined) throw new HttpProblem(403, foreign);
    const route = routeOf(context);
    const who = route === undefined ? "client" : ROUTES[route];
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
    if (!WITH_PARAMETERS.includes(route)) parsed(Idle, req.query(), 400);
    if (req.raw.body !== null && route !== UPLOAD) await readBody(context, settings.maxBodyBytes);
    return next();
  };
}

/** Foreign origins that may read and write, and host names besides `localhost` and addresses. */
type AccessPolicy = Pick<Settings, "allowedOrigins" | "allowedHosts">;

/**
 * Returns why a request is refused for where it comes from; undefined if it is not.
 *
 * The threat is a web page that the user visits while the server runs on this machine. CORS alone
 * does not stop it: a simple POST is still executed, a form can navigate to `/runs/wait`, a
 * WebSocket opens from anywhere, and a name that rebinds to loopback has the same origin. So a
 * browser's request must state a known origin, and every request must name a host that nobody else
 * can have pointed here.
 */
export function judgeRequest(
  request: Request,
  { allowedOrigins = [], allowedHosts = [] }: AccessPolicy,
): string | undefined {
  if (getPath(request) === "/ok") return undefined;
  const host = request.headers.get("host");
  if (host !== null && !isAllowedHost(host, allowedHosts))
    return `the host "${cut(host)}" is not this server's: set CRAG_ALLOWED_HOSTS`;
  const foreign = foreignOrigin(request, host, allowedOrigins);
  return foreign && `requests from ${cut(foreign)} are refused: set CRAG_ALLOWED_ORIGINS`;
}

/** Accepts literal addresses, because only names can be rebound by somebody else. */
function isAllowedHost(host: string, hosts: readonly string[]): boolean {
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  if (url === undefined) return false;
  const name = url.hostname.toLowerCase();
  // `URL` accepts nothing but an IPv6 address in brackets.
  return name === "localhost" || name.startsWith("[") || isIP(name) > 0 || hosts.includes(name);
}

/**
 * Returns the origin of a foreign page's request, or undefined. Browsers send the origin with all
 * but simple reads, and the site with those; other programs send neither header.
 */
function foreignOrigin(
  request: Request,
  host: string | null,
  origins: readonly string[],
): string | undefined {
  const origin = request.headers.get("origin");
  if (origin !== null) {
    const isSameOrigin = URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
    return isSameOrigin || origins.includes(origin) ? undefined : `the origin "${origin}"`;
  }
  const site = request.headers.get("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none") return undefined;
  // Following a link to the page tells the linking site nothing.
  const isNavigation = request.headers.get("sec-fetch-mode") === "navigate";
  const isLink = isNavigation && request.method === "GET";
  return isLink && isPageFile(getPath(request)) ? undefined : "another site";
}

/** True for the page's files, which hold no data; they fetch it with a key. */
function isPageFile(path: string): boolean {
  return path === "/app" || (path.startsWith("/app/") && path !== "/app/about");
}

/** Shortens a header to quote it, and drops unprintable characters. */
function cut(text: string): string {
  return text.slice(0, 100).replace(/[^\x20-\x7e]/g, "?");
}

/** Returns the route that will serve a request, if it is one of the table. */
function routeOf(context: Context): Route | undefined {
  const method = context.req.method === "HEAD" ? "GET" : context.req.method;
  const keys = matchedRoutes(context).flatMap(({ path }) => [`${method} ${path}`, `ALL ${path}`]);
  return keys.find((key): key is Route => key in ROUTES);
}

/** Reads the body and bounds it, so that routes find it whole. */
async function readBody(context: Context, maxBytes: number): Promise<void> {
  const { raw } = context.req;
  const bytes = await readBounded(raw.body, maxBytes).catch((error: unknown) => {
    if (!(error instanceof BodyTooLargeError)) throw error;
    throw new HttpProblem(413, `a request may have at most ${maxBytes} bytes`);
  });
  const text = new TextDecoder().decode(bytes);
  const body = text === "" ? "{}" : JSON.stringify(boundedJson(text), wellFormed);
  context.req.raw = new Request(raw, { body });
}

/** A text that was cut within an emoji is none that every database and parser of JSON takes. */
function wellFormed(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

/**
 * Parses a body and bounds its shape, whatever route it is for.
 * @throws HttpProblem
 */
function boundedJson(text: string): unknown {
  const body = parsedJson(text);
  if (body === undefined) throw new HttpProblem(400, "the body is not JSON");
  let parts = 0;
  const check = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null) return;
    if (depth >= MAX_DEPTH)
      throw new HttpProblem(413, `the body is deeper than ${MAX_DEPTH} levels`);
    for (const [key, inner] of Object.entries(value)) {
      if (RESERVED.includes(key) || !key.isWellFormed() || key.includes("\0"))
        throw new HttpProblem(422, `"${key}" is no name for a field`);
      parts += 1;
      if (parts > MAX_PARTS)
        throw new HttpProblem(413, `the body has more than ${MAX_PARTS} fields and items`);
      check(inner, depth + 1);
    }
  };
  check(body, 0);
  return body;
}
