/** Servers on this machine that speak the real protocols of the search providers, faults included. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SearchRow {
  title: string;
  url: string;
  text: string;
  date?: string;
}

/** What a server does with a request. `rows`: a good answer; the others are what goes wrong in the field. */
export type Behaviour =
  | { rows: readonly SearchRow[] }
  | "empty"
  | "401"
  | "402"
  | "429"
  | { tooMany: { retryAfter: string } }
  | "500"
  | "hang"
  | "cut"
  | "html"
  | "nonsense"
  | "missing_fields"
  | "error_object"
  | "ten_megabytes"
  | "redirect";

export type Protocol = "tavily" | "searxng" | "brave" | "mediawiki";

export interface RecordedRequest {
  method: string;
  url: URL;
  headers: IncomingMessage["headers"];
  body: string;
}

export interface SearchServer {
  url: string;
  requests: RecordedRequest[];
  /** Bytes of the last body that were written before the client hung up or the body ended. */
  readonly bytesSent: number;
  /** Replaces what comes next; the last one stays. */
  behave(...behaviours: readonly Behaviour[]): void;
  close(): Promise<void>;
}

export const KEY = "test-key-123";

export async function startSearchServer(
  protocol: Protocol,
  ...initial: readonly Behaviour[]
): Promise<SearchServer> {
  const speak = PROTOCOLS[protocol];
  const requests: RecordedRequest[] = [];
  let script: Behaviour[] = initial.length === 0 ? ["empty"] : [...initial];
  const seen = { bytesSent: 0 };

  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const recorded = {
        method: request.method ?? "",
        url: new URL(request.url ?? "/", "http://127.0.0.1"),
        headers: request.headers,
        body,
      };
      requests.push(recorded);
      const refusal = speak.refuse(recorded);
      if (refusal !== undefined) {
        sendJson(response, refusal.status, refusal.body);
        return;
      }
      const behaviour = (script.length > 1 ? script.shift() : script[0]) ?? "empty";
      answer(response, speak, behaviour, recorded, seen);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get bytesSent() {
      return seen.bytesSent;
    },
    behave: (...behaviours) => void (script = [...behaviours]),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

interface Speech {
  /** What the real service refuses: a wrong key, a query that is too long, a request of the wrong form. */
  refuse(request: RecordedRequest): { status: number; body: unknown } | undefined;
  good(rows: readonly SearchRow[], request: RecordedRequest): unknown;
  /** Status and body of its own 401. */
  unauthorized: { status: number; body: unknown };
  /** How it reports an error with status 200. */
  errorObject: unknown;
  /** Rows that lack what they should have, around one good one. */
  missingFields: unknown;
}

const GOOD: SearchRow = {
  title: "The good one",
  url: "https://example.com/good",
  text: "A complete result.",
};

const PROTOCOLS: Readonly<Record<Protocol, Speech>> = {
  tavily: {
    refuse: ({ method, url, headers, body }) => {
      if (method !== "POST" || url.pathname !== "/search")
        return { status: 404, body: { detail: "Not Found" } };
      if (headers.authorization !== `Bearer ${KEY}`) return PROTOCOLS.tavily.unauthorized;
      const { query } = JSON.parse(body) as { query: string };
      return query.length > 400
        ? {
            status: 400,
            body: { detail: { error: "Query is too long. Max query length is 400 characters." } },
          }
        : undefined;
    },
    good: (rows) => ({
      query: "q",
      follow_up_questions: null,
      answer: null,
      images: [],
      results: rows.map(({ title, url, text, date }) => ({
        title,
        url,
        content: text,
        score: 0.9,
        raw_content: null,
        ...(date && { published_date: date }),
      })),
      response_time: 0.5,
      request_id: "1",
    }),
    unauthorized: {
      status: 401,
      body: { detail: { error: "Unauthorized: missing or invalid API key." } },
    },
    errorObject: { error: "Search failed for an internal reason" },
    missingFields: {
      results: [
        { title: "no address", content: "text" },
        { url: 7 },
        null,
        "row",
        { url: "javascript:alert(1)", title: "x", content: "y" },
        { url: GOOD.url, title: GOOD.title, content: GOOD.text },
      ],
    },
  },
  searxng: {
    refuse: ({ url }) =>
      url.pathname !== "/search" ||
      url.searchParams.get("format") !== "json" ||
      !url.searchParams.get("q")
        ? { status: 400, body: { error: "No query" } }
        : undefined,
    good: (rows) => ({
      query: "q",
      number_of_results: 0,
      results: rows.map(({ title, url, text, date }) => ({
        title,
        url,
        content: text,
        engine: "duckduckgo",
        parsed_url: [],
        score: 1,
        category: "general",
        publishedDate: date ?? null,
      })),
      answers: [],
      corrections: [],
      infoboxes: [],
      suggestions: [],
      unresponsive_engines: [],
    }),
    unauthorized: { status: 401, body: { error: "unauthorized" } },
    errorObject: { error: "too many requests" },
    missingFields: {
      results: [
        { title: "no address" },
        { url: GOOD.url, title: GOOD.title, content: GOOD.text, publishedDate: "soon" },
      ],
    },
  },
  brave: {
    refuse: ({ url, headers }) => {
      if (url.pathname !== "/res/v1/web/search") return { status: 404, body: {} };
      if (headers["x-subscription-token"] !== KEY) return PROTOCOLS.brave.unauthorized;
      const query = url.searchParams.get("q") ?? "";
      const wrong =
        query === "" ||
        query.length > 400 ||
        query.split(" ").length > 50 ||
        Number(url.searchParams.get("count")) > 20;
      return wrong
        ? {
            status: 422,
            body: {
              type: "ErrorResponse",
              error: {
                id: "1",
                status: 422,
                code: "VALIDATION",
                detail: "Unable to validate request parameter(s)",
              },
            },
          }
        : undefined;
    },
    good: (rows) => ({
      type: "search",
      query: { original: "q" },
      ...(rows.length > 0 && {
        web: {
          type: "search",
          results: rows.map(({ title, url, text, date }) => ({
            title,
            url,
            description: text,
            is_source_local: false,
            ...(date && { page_age: date, age: "2 days ago" }),
            extra_snippets: ["More &amp; more."],
          })),
        },
      }),
    }),
    unauthorized: {
      status: 422,
      body: {
        type: "ErrorResponse",
        error: {
          id: "1",
          status: 422,
          code: "SUBSCRIPTION_TOKEN_INVALID",
          detail: "The provided subscription token is invalid.",
        },
      },
    },
    errorObject: { type: "ErrorResponse", error: { code: "INTERNAL", detail: "Something broke" } },
    missingFields: {
      type: "search",
      web: {
        results: [
          { title: "no address" },
          { url: GOOD.url, title: GOOD.title, description: GOOD.text, extra_snippets: "none" },
        ],
      },
    },
  },
  mediawiki: {
    refuse: ({ url, headers }) => {
      if (url.searchParams.get("action") !== "query" || url.searchParams.get("format") !== "json")
        return { status: 400, body: {} };
      if (!headers["user-agent"] || headers["user-agent"] === "node")
        return { status: 403, body: { error: "Please set a user-agent" } };
      const query = url.searchParams.get("srsearch") ?? "";
      if (query !== url.searchParams.get("gsrsearch")) return { status: 400, body: {} };
      return query.length > 300
        ? {
            status: 200,
            body: {
              error: {
                code: "cirrussearch-query-too-long",
                info: "Search request is longer than the maximum allowed length.",
              },
            },
          }
        : undefined;
    },
    good: (rows) => ({
      batchcomplete: true,
      query: {
        searchinfo: { totalhits: rows.length },
        search: rows.map(({ title, date }, index) => ({
          ns: 0,
          title,
          pageid: index + 1,
          snippet: '<span class="searchmatch">found</span> here',
          timestamp: date ?? "2024-05-01T10:00:00Z",
        })),
        // Pages come in the order of their ids, and not at all where nothing was found.
        ...(rows.length > 0 && {
          pages: rows.toReversed().map(({ title, url: address, text }, index) => ({
            pageid: rows.length - index,
            ns: 0,
            title,
            index: rows.length - index,
            ...(text !== "" && { extract: text }),
            fullurl: address,
            canonicalurl: address,
          })),
        }),
      },
    }),
    unauthorized: {
      status: 401,
      body: {
        error: { code: "readapidenied", info: "You need read permission to use this module." },
      },
    },
    errorObject: {
      error: {
        code: "internal_api_error",
        info: "[abc] Caught exception of type MWException",
        docref: "",
      },
      servedby: "mw1",
    },
    missingFields: {
      query: {
        search: [{ title: "no page" }, { title: GOOD.title, snippet: GOOD.text }],
        pages: ["row", { title: GOOD.title, canonicalurl: GOOD.url, extract: 7 }],
      },
    },
  },
};

function answer(
  response: ServerResponse,
  speak: Speech,
  behaviour: Behaviour,
  request: RecordedRequest,
  seen: { bytesSent: number },
): void {
  if (typeof behaviour === "object") {
    if ("rows" in behaviour) sendJson(response, 200, speak.good(behaviour.rows, request));
    else
      sendJson(
        response,
        429,
        { error: "Too many requests" },
        { "retry-after": behaviour.tooMany.retryAfter },
      );
    return;
  }
  switch (behaviour) {
    case "empty":
      return sendJson(response, 200, speak.good([], request));
    case "401":
      return sendJson(response, speak.unauthorized.status, speak.unauthorized.body);
    case "402":
      return sendJson(response, 402, { detail: "Payment required" });
    case "429":
      return sendJson(response, 429, {
        detail: { error: "Your request has been blocked due to excessive requests." },
      });
    case "500":
      response
        .writeHead(500, { "content-type": "text/html" })
        .end("<h1>Internal Server Error</h1>");
      return;
    case "hang":
      return;
    case "cut":
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"results": [{"title": "cut');
      setTimeout(() => response.destroy(), 5);
      return;
    case "html":
      response
        .writeHead(200, { "content-type": "text/html" })
        .end("<!doctype html><title>Are you human?</title>");
      return;
    case "nonsense":
      return sendJson(response, 200, ["neither", "this", { nor: "that" }]);
    case "missing_fields":
      return sendJson(response, 200, speak.missingFields);
    case "error_object":
      return sendJson(response, 200, speak.errorObject);
    case "redirect":
      response.writeHead(302, { location: "http://127.0.0.1:9/elsewhere" }).end();
      return;
    case "ten_megabytes":
      sendTenMegabytes(response, seen);
      return;
    default:
      return behaviour satisfies never;
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify(body));
}

/** One result with a text of ten megabytes, written as fast as the client reads. */
function sendTenMegabytes(response: ServerResponse, seen: { bytesSent: number }): void {
  const chunk = "lorem ipsum ".repeat(5_000);
  seen.bytesSent = 0;
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"results":[{"title":"Long","url":"https://example.com/long","content":"');
  const write = (): void => {
    while (seen.bytesSent < 10_000_000) {
      if (response.destroyed) return;
      seen.bytesSent += chunk.length;
      if (!response.write(chunk)) {
        response.once("drain", write);
        return;
      }
    }
    response.end('"}]}');
  };
  write();
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
