/** The server for people: the page, LangGraph's API, the OpenAI protocol, MCP and documents. */
import type { AddressInfo } from "node:net";
import { serve, type ServerType } from "@hono/node-server";
import { Hono } from "hono";
import { contextStorage, getContext } from "hono/context-storage";
import { cors } from "hono/cors";
import { requestId } from "hono/request-id";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import type { CorrectiveRag } from "../corrective-rag.js";
import { keepTurns } from "../graph/graph.js";
import type { Settings } from "../settings/table.js";
import { reasonOf, UserError } from "../support/errors.js";
import { isLoopback } from "../support/web-address.js";
import { assistantRoutes } from "./assistants.js";
import { folderOf, namedFolders } from "../assembly/knowledge-base.js";
import { documentRoutes, shelfOf } from "./documents.js";
import { gate, type ServerEnv } from "./gate.js";
import { notFound, problemOf, sendProblem } from "./http-problem.js";
import { createGatekeeper, type Gatekeeper } from "./identity.js";
import type { Offered } from "./mcp.js";
import { Metrics } from "./metrics.js";
import { openAiRoutes } from "./openai.js";
import { pageRoutes } from "./page.js";
import { runRoutes } from "./run-routes.js";
import { Runs } from "./runs.js";
import { SqlCheckpointer } from "./store/checkpointer.js";
import { Conversations } from "./store/conversations.js";
import type { Peers, Sql } from "./store/sql.js";
import { threadRoutes } from "./threads.js";
import { RunQueue } from "./run-queue.js";
import { removeLeftovers } from "./uploads.js";
import { createSchemas } from "./wire.js";

/** Supervisors kill a server that has not ended in half a minute. */
const PATIENCE_IN_MS = 18_000;

interface ServerOptions {
  readonly agent: CorrectiveRag;
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Receives failures that are not a client's fault, one line each. */
  readonly report: (line: string) => void;
}

/** @throws UserError if the store is in use or strangers could come in; what `listen` throws */
export async function startServer(options: ServerOptions) {
  const { agent, host } = options;
  const { settings } = agent;
  const gatekeeper = createGatekeeper(settings);
  if (gatekeeper.isOpen && !isLoopback(host))
    throw new UserError(
      `${host} is reached by other machines, but there are no keys`,
      "set CRAG_API_KEYS=name:key,… or CRAG_JWT_JWKS_URL, or serve localhost only",
    );
  const sql = await openStore(settings);
  try {
    const { app, runs } = createApp(options, gatekeeper, sql);
    await runs.recover();
    const named = namedFolders(settings.knowledgeBases ?? []).values();
    for (const folder of [folderOf(settings), ...named]) void removeLeftovers(folder);
    const server = await listen(app, options);
    return {
      port: z.custom<AddressInfo>().parse(server.address()).port,
      /** Ends within 20 s: running answers finish or are interrupted. */
      async close(): Promise<void> {
        // Answers of OpenAI's protocol and MCP, and uploads, end with their connections.
        const served = new Promise((done) => server.close(done));
        const late = wait(PATIENCE_IN_MS, undefined, { ref: false });
        await Promise.all([runs.close(PATIENCE_IN_MS), Promise.race([served, late])]);
        if ("closeAllConnections" in server) server.closeAllConnections();
        await sql.close();
      },
    };
  } catch (error) {
    await sql.close();
    throw error;
  }
}

async function openStore({ databaseUrl, dataDir }: Settings): Promise<Sql> {
  if (databaseUrl !== undefined)
    return (await import("./store/postgres.js")).openPostgres(databaseUrl);
  const { openSqlite } = await import("./store/sqlite.js");
  return openSqlite(path.join(dataDir, "threads.sqlite"));
}

function createApp({ agent, report }: ServerOptions, gatekeeper: Gatekeeper, sql: Sql) {
  const { settings } = agent;
  const conversations = new Conversations(sql);
  const metrics = new Metrics();
  const queue = new RunQueue(settings);
  // The agent's graph stores no threads, so that /v1 and MCP leave nothing behind.
  const copy = agent.graph.withConfig({});
  copy.checkpointer = new SqlCheckpointer(sql);
  const graph = settings.checkpoints === "turn" ? keepTurns(copy) : copy;
  const runs = new Runs({ graph, sql, conversations, queue, metrics, report });
  const schemas = createSchemas({ maxTextBytes: settings.maxQuestionBytes });
  const queued = withQueue(agent, queue);

  const app = new Hono<ServerEnv>();
  app.onError((error, context) => {
    const { method, path: place } = context.req;
    if (problemOf(error).status >= 500)
      report(`${context.get("requestId")} ${method} ${place}: ${reasonOf(error)}`);
    return sendProblem(error, context);
  });
  app.notFound((context) => sendProblem(notFound("route"), context));
  app.use(contextStorage(), requestId({ limitLength: 64 }), async (context, next) => {
    await next();
    metrics.count("crag_requests_total", { status: context.res.status });
  });
  app.use(
    cors({
      origin: [...(settings.allowedOrigins ?? [])],
      allowHeaders: ["content-type", "x-api-key", "authorization", "last-event-id"],
      allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
      exposeHeaders: ["content-location", "location", "x-pagination-next", "retry-after"],
    }),
  );
  app.use(gate({ settings, gatekeeper, conversations }));

  app.get("/ok", (context) => context.json({ ok: true }));
  app.get("/ready", async (context) => {
    if (runs.isStopping) return context.json({ ready: false, reason: "stopping" }, 503);
    await sql.all(z.unknown(), "SELECT 1");
    return context.json({ ready: true });
  });
  app.get("/metrics", async (context) => {
    metrics.set("crag_runs_running", queue.size.running);
    metrics.set("crag_runs_waiting", queue.size.waiting);
    const Size = z.object({ bytes: z.coerce.number() });
    const [store] = await sql.all(Size, sql.bytes).catch(() => []);
    metrics.set("crag_store_up", store === undefined ? 0 : 1);
    if (store !== undefined) metrics.set("crag_store_bytes", store.bytes);
    return context.text(metrics.text());
  });
  app.route("/", assistantRoutes(settings, graph));
  app.route("/", threadRoutes({ graph, conversations, runs, schemas }));
  app.route("/", runRoutes({ graph, conversations, runs, schemas }));
  app.route("/", agentRoutes(queued, sql.peers));
  return { app, runs };
}

/** The routes beside LangGraph's API: the page, the OpenAI protocol, MCP and documents. */
export function agentRoutes(agent: CorrectiveRag & Offered, peers?: Peers): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>();
  routes.route("/", pageRoutes(agent));
  routes.route("/", openAiRoutes(agent));
  routes.all("/mcp", async (context) => {
    const { serveMcpRequest } = await import("./mcp.js");
    return serveMcpRequest(agent, context.req.raw);
  });
  routes.route("/documents", documentRoutes(shelfOf(agent), peers));
  return routes;
}

/**
 * The agent as the sender of a request may use it: each question waits in the queue, and only the
 * documents are visible that this client may see.
 */
function withQueue(agent: CorrectiveRag, queue: RunQueue) {
  const sender = () => getContext<ServerEnv>().var;
  return {
    ...agent,
    async inTurn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
      const ticket = queue.admit(sender().identity.owner);
      try {
        await ticket.start(signal);
        return await work();
      } finally {
        ticket.done();
      }
    },
    knowledgeBase: (seen?: Parameters<CorrectiveRag["knowledgeBase"]>[0]) =>
      agent.knowledgeBase({ ...seen, principal: sender().identity.principal }),
    async *events(...[question, options = {}]: Parameters<CorrectiveRag["events"]>) {
      const { identity, requestId } = sender();
      const ticket = queue.admit(identity.owner);
      try {
        await ticket.start(options.signal ?? new AbortController().signal);
        return yield* agent.events(question, {
          ...options,
          context: { ...options.context, principal: identity.principal },
          metadata: { ...options.metadata, request_id: requestId },
        });
      } finally {
        ticket.done();
      }
    },
  };
}

function listen(app: Hono<ServerEnv>, { host, port }: ServerOptions): Promise<ServerType> {
  return new Promise((ready, failed) => {
    const server = serve({ fetch: app.fetch, hostname: host, port }, () => ready(server));
    server.on("error", failed);
  });
}
