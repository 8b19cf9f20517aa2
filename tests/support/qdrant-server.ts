/**
 * A Qdrant server for tests: real HTTP on the loopback interface, in memory, with the documented semantics of the endpoints that are used.
 * Every request and every answer is checked against Qdrant's own API description (`qdrant-openapi.ts`); what does not fit is collected.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Schemas } from "@qdrant/js-client-rest";
import { TestCollection } from "./qdrant-collection.js";
import { loadQdrantApi } from "./qdrant-openapi.js";
import {
  BadRequest,
  isRecord,
  keysOf,
  listOf,
  type Scored,
  type StoredPoint,
} from "./qdrant-points.js";

export interface Fault {
  /** Looked for in `METHOD /path`. */
  match: RegExp;
  /** How often; once by default. */
  times?: number;
  /** Requests that pass first. */
  skip?: number;
  status?: number;
  retryAfter?: string;
  /** Answer only after this time. */
  delayInMs?: number;
  /** Break the connection instead of answering. */
  drop?: boolean;
  /** Carry the request out before failing: what a lost answer looks like. */
  afterEffect?: boolean;
}

export interface QdrantTestServer {
  url: string;
  /** `METHOD /path`, in order. */
  requests: string[];
  bodies: { route: string; body: unknown; bytes: number }[];
  /** What did not fit the API description. */
  violations: string[];
  /** Fields that a filter looked at without a payload index. */
  unindexed: Set<string>;
  collections: Map<string, TestCollection>;
  fail(fault: Fault): void;
  close(): Promise<void>;
}

const api = loadQdrantApi();

const MAX_BODY_BYTES = 32 * 1024 * 1024;

class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export async function startQdrantServer({
  apiKey,
}: { apiKey?: string } = {}): Promise<QdrantTestServer> {
  const collections = new Map<string, TestCollection>();
  const faults: (Fault & { times: number; skip: number })[] = [];
  const server: Omit<QdrantTestServer, "url" | "close"> = {
    requests: [],
    bodies: [],
    violations: [],
    unindexed: new Set(),
    collections,
    fail: (fault) => void faults.push({ times: 1, skip: 0, ...fault }),
  };

  const nextFault = (route: string): Fault | undefined => {
    for (const fault of faults) {
      if (!fault.match.test(route) || fault.times <= 0) continue;
      if (fault.skip > 0) {
        fault.skip--;
        continue;
      }
      fault.times--;
      return fault;
    }
    return undefined;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const method = request.method ?? "GET";
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const route = `${method} ${pathname}`;
    server.requests.push(route);
    const text = await readBody(request);
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    server.bodies.push({ route, body, bytes: Buffer.byteLength(text) });
    const operation = api(method, pathname);
    if (!operation) server.violations.push(`${route}: not in the API description`);
    else
      server.violations.push(
        ...operation.requestProblems(body).map((problem) => `${route} request ${problem}`),
      );

    const fault = nextFault(route);
    if (fault?.delayInMs)
      await new Promise((resolve) => setTimeout(resolve, fault.delayInMs).unref());
    // The client looks at the version, which stands outside the usual envelope.
    if (pathname === "/")
      return send(response, 200, { title: "qdrant - vector search engine", version: "1.18.0" });
    if (fault?.drop && !fault.afterEffect) return void request.socket.destroy();
    if (fault?.status && !fault.afterEffect)
      return sendError(response, fault.status, "injected fault", fault.retryAfter);
    try {
      if (apiKey !== undefined && request.headers["api-key"] !== apiKey)
        throw new HttpError(401, "Must provide an API key or an Authorization bearer token");
      if (Buffer.byteLength(text) > MAX_BODY_BYTES)
        throw new HttpError(413, "JSON payload is larger than allowed (limit: 33554432 bytes).");
      const answer = {
        usage: null,
        time: 0.001,
        status: "ok",
        result: respond(server, method, pathname, isRecord(body) ? body : {}),
      };
      if (fault?.drop) return void request.socket.destroy();
      if (fault?.status) return sendError(response, fault.status, "injected fault");
      server.violations.push(
        ...(operation?.responseProblems(JSON.parse(JSON.stringify(answer))) ?? []).map(
          (problem) => `${route} response ${problem}`,
        ),
      );
      send(response, 200, answer);
    } catch (error) {
      if (error instanceof HttpError) return sendError(response, error.status, error.message);
      if (error instanceof BadRequest) return sendError(response, 400, error.message);
      throw error;
    }
  };

  const http = createServer((request, response) => {
    handle(request, response).catch((error: unknown) =>
      sendError(
        response,
        500,
        `test server: ${error instanceof Error ? error.message : String(error)}`,
      ),
    );
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return Object.assign(server, {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  });
}

function respond(
  server: Pick<QdrantTestServer, "collections" | "unindexed">,
  method: string,
  pathname: string,
  body: Record<string, unknown>,
): unknown {
  const { collections } = server;
  const [, root, encoded, ...rest] = pathname.split("/");
  if (root !== "collections") throw new HttpError(404, "no such endpoint");
  if (encoded === undefined)
    return {
      collections: [...collections.keys()].map((name) => ({ name })),
    } satisfies Schemas["CollectionsResponse"];
  const name = decodeURIComponent(encoded);
  const action = `${method} ${rest.join("/")}`;
  if (action === "PUT ") {
    if (collections.has(name))
      throw new HttpError(409, `Wrong input: Collection \`${name}\` already exists!`);
    collections.set(name, new TestCollection(body));
    return true;
  }
  const collection = collections.get(name);
  if (!collection) throw new HttpError(404, `Not found: Collection \`${name}\` doesn't exist!`);
  const search = (request: Record<string, unknown>): Schemas["QueryResponse"] => {
    for (const part of [request, ...listOf(request["prefetch"])])
      noteUnindexed(server, collection, part["filter"]);
    return {
      points: collection
        .query(request)
        .map((scored) => scoredPoint(scored, request["with_payload"], request["with_vector"])),
    };
  };
  switch (action) {
    case "GET ":
      return collection.info();
    case "DELETE ":
      return collections.delete(name);
    case "PUT index":
      collection.indexes.set(String(body["field_name"]), body["field_schema"]);
      return { operation_id: 0, status: "completed" } satisfies Schemas["UpdateResult"];
    case "PUT points":
      return collection.apply({ upsert: body });
    case "POST points/delete":
      return collection.apply({ delete: body });
    case "POST points/batch":
      return listOf(body["operations"]).map((operation) => {
        for (const selector of Object.values(operation))
          if (isRecord(selector)) noteUnindexed(server, collection, selector["filter"]);
        return collection.apply(operation);
      });
    case "POST points":
      return [body["ids"]].flat().flatMap((id) => {
        const point =
          typeof id === "string" || typeof id === "number" ? collection.points.get(id) : undefined;
        return point ? [record(point, body["with_payload"] ?? true)] : [];
      });
    case "POST points/query":
      return search(body);
    case "POST points/query/batch":
      return listOf(body["searches"]).map(search);
    case "POST points/count":
      noteUnindexed(server, collection, body["filter"]);
      return { count: collection.filtered(body["filter"]).length } satisfies Schemas["CountResult"];
    case "POST points/scroll": {
      noteUnindexed(server, collection, body["filter"]);
      const { page, next } = collection.scroll(body);
      return {
        points: page.map((point) => record(point, body["with_payload"] ?? true)),
        next_page_offset: next,
      };
    }
    default:
      throw new HttpError(404, `this test server does not know ${action}`);
  }
}

function noteUnindexed(
  server: Pick<QdrantTestServer, "unindexed">,
  collection: TestCollection,
  filter: unknown,
): void {
  for (const key of keysOf(filter)) if (!collection.indexes.has(key)) server.unindexed.add(key);
}

function scoredPoint(
  { point, score }: Scored,
  withPayload: unknown,
  withVector: unknown,
): Schemas["ScoredPoint"] {
  const vector = Object.fromEntries(
    [...point.vectors].flatMap(([name, values]) =>
      Array.isArray(withVector) && withVector.includes(name) && Array.isArray(values)
        ? [[name, values.map((value) => value / Math.hypot(...values))]]
        : [],
    ),
  );
  return {
    ...record(point, withPayload ?? false),
    version: point.version,
    score,
    ...(Array.isArray(withVector) ? { vector } : {}),
  };
}

function record({ id, payload }: StoredPoint, withPayload: unknown): Schemas["Record"] {
  if (withPayload === true) return { id, payload };
  if (Array.isArray(withPayload))
    return {
      id,
      payload: Object.fromEntries(
        Object.entries(payload).filter(([key]) => withPayload.includes(key)),
      ),
    };
  return { id };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function sendError(
  response: ServerResponse,
  status: number,
  error: string,
  retryAfter?: string,
): void {
  if (retryAfter !== undefined) response.setHeader("retry-after", retryAfter);
  send(response, status, { time: 0, status: { error }, result: null });
}
