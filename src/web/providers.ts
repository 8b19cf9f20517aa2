/**
 * The web search providers: services that take one JSON request, described by a table, search tools
 * of LangChain, and DuckDuckGo.
 */
import type * as DuckDuckScrape from "duck-duck-scrape";
import { z } from "zod";
import { reasonOf } from "../support/errors.js";
import {
  failureOfMessage,
  HttpError,
  requestJson,
  type JsonRequest,
} from "../support/json-client.js";
import { isRecord } from "../support/json.js";
import { textsOf, type ToolText } from "../support/tool-result.js";
import { abortable } from "../support/waiting.js";
import { oneLine } from "../text/words.js";
import type { WebProviderName } from "../settings/table/web.js";
import { endpoint } from "../support/web-address.js";
import { htmlToText } from "../text/web-page.js";
import {
  clipQuery,
  rowSchema,
  toWebResults,
  WEB_RETRIES,
  type ResultRow,
  type WebSearchProvider,
  type WebSearchRequest,
} from "./search-provider.js";

interface SearchApi {
  path: string;
  /** Builds the query string, or the body of a POST. */
  ask: (asked: WebSearchRequest) => { search: Record<string, string> } | { body: object };
  /** Header for the key; by default it is a bearer token. */
  keyHeader?: string;
  answer: z.ZodType<ResultRow[]>;
  /** Titles and texts are HTML. */
  markup?: boolean;
  /** What to do about a refusal. */
  hint?: string;
}

const WikiHit = z.object({
  title: z.string(),
  snippet: z.string().catch(""),
  timestamp: z.string().optional().catch(undefined),
});

const SEARCH_APIS = {
  // Refuses longer queries with status 400.
  tavily: {
    path: "/search",
    ask: ({ query, limit }) => ({
      body: {
        query: clipQuery(query, 400),
        max_results: limit,
        search_depth: "basic",
        include_answer: false,
        include_raw_content: false,
      },
    }),
    answer: z.object({ results: z.array(rowSchema) }).transform(({ results }) => results),
    hint: "check TAVILY_API_KEY",
  },
  // Most public instances do not allow JSON.
  searxng: {
    path: "/search",
    ask: ({ query }) => ({ search: { q: clipQuery(query, 500), format: "json" } }),
    answer: z
      .object({
        results: z.array(rowSchema),
        /** Pairs of engine and reason. */
        unresponsive_engines: z.array(z.array(z.unknown())).catch([]).default([]),
      })
      .transform(({ results, unresponsive_engines: silent }) => {
        if (results.length > 0 || silent.length === 0) return results;
        const engines = silent.map(([engine]) => String(engine)).join(", ");
        throw new HttpError("server", `none of its engines answered (${engines.slice(0, 120)})`);
      }),
    hint: "is json listed under search.formats in its settings.yml?",
  },
  brave: {
    path: "/res/v1/web/search",
    // Limited to 400 characters, 50 words and 20 results.
    ask: ({ query, limit }) => ({
      search: { q: clipQuery(query, 400, 50), count: String(Math.min(limit, 20)) },
    }),
    keyHeader: "x-subscription-token",
    markup: true,
    // Without hits `web` is missing, not empty.
    answer: z
      .object({
        type: z.literal("search").optional(),
        web: z.object({ results: z.array(rowSchema).default([]) }).nullish(),
      })
      .transform(({ web }) =>
        (web?.results ?? []).map(({ title, url, description, extra_snippets, page_age: date }) => {
          const snippets = z.array(z.string()).catch([]).parse(extra_snippets);
          return { title, url, date, text: [description, ...snippets].filter(Boolean).join("\n") };
        }),
      ),
  },
  // One request with two searches: for snippets, and for the introductions of pages.
  mediawiki: {
    path: "/w/api.php",
    ask: ({ query, limit }) => {
      // CirrusSearch refuses longer queries.
      const words = clipQuery(query, 300);
      return {
        search: {
          action: "query",
          format: "json",
          formatversion: "2",
          list: "search",
          srsearch: words,
          srlimit: String(limit),
          srprop: "snippet|timestamp",
          generator: "search",
          gsrsearch: words,
          gsrlimit: String(limit),
          prop: "extracts|info",
          inprop: "url",
          exintro: "1",
          explaintext: "1",
          exchars: "1200",
          exlimit: "max",
        },
      };
    },
    answer: z
      .object({
        query: z.object({ search: z.array(WikiHit), pages: z.array(rowSchema).default([]) }),
      })
      .partial()
      .transform(({ query }) => {
        const pages = new Map<unknown, ResultRow>(
          query?.pages.map((page) => [page["title"], page]),
        );
        return (query?.search ?? []).map(({ title, snippet, timestamp: date }) => {
          const { canonicalurl: url, extract } = pages.get(title) ?? {};
          const introduction = typeof extract === "string" ? extract : "";
          // Some wikis have no introductions, and those of others often lack the words searched.
          const found = htmlToText(snippet);
          if (introduction === "") return { title, url, text: found, date };
          const more = introduction.includes(found) ? "" : `\n… ${found} …`;
          return { title, url, text: introduction + more, date };
        });
      }),
  },
} satisfies Readonly<Record<Exclude<WebProviderName, "duckduckgo">, SearchApi>>;

interface SearchApiOptions extends Pick<JsonRequest<unknown>, "apiKey" | "fetch" | "maxBytes"> {
  baseUrl: string;
  userAgent?: string;
}

export function createSearchApi(
  name: keyof typeof SEARCH_APIS,
  { apiKey, baseUrl, userAgent = USER_AGENT, ...http }: SearchApiOptions,
): WebSearchProvider {
  const api: SearchApi = SEARCH_APIS[name];
  const { path, ask, keyHeader, answer, markup, hint } = api;
  return {
    name,
    async search(asked) {
      const url = baseUrl.endsWith(".php") ? new URL(baseUrl) : endpoint(baseUrl, path);
      const said = ask(asked);
      if ("search" in said) url.search = String(new URLSearchParams(said.search));
      const rows = await requestJson({
        ...WEB_RETRIES,
        ...http,
        ...("body" in said && { body: said.body }),
        apiKey,
        keyHeader,
        headers: { "user-agent": userAgent },
        url,
        schema: answer,
        signal: asked.signal,
      }).catch((error: unknown) => {
        const isRefusal = error instanceof HttpError && error.failure === "unauthorized";
        if (!isRefusal || hint === undefined) throw error;
        throw new HttpError(error.failure, `${error.message} (${hint})`, { cause: error });
      });
      return toWebResults(rows, { provider: name, limit: asked.limit, markup });
    },
  };
}

/** Wikipedia refuses anonymous clients. */
const USER_AGENT = "corrective-rag/0.1 (retrieval agent; set CRAG_WEB_USER_AGENT to name yourself)";

/** Satisfied by `StructuredTool`, `Tool` and `tool(...)`. */
interface InvocableTool {
  name: string;
  schema?: unknown;
  invoke(input: unknown, config?: { signal?: AbortSignal }): Promise<unknown>;
}

/**
 * Wraps a LangChain search tool as a provider. It is called with `{ query }` if its schema has such
 * a field, else with the bare query. Results are the texts that come with a web address.
 * @example fromLangChainTool(new TavilySearch({ maxResults: 3 }))
 */
export function fromLangChainTool(tool: InvocableTool): WebSearchProvider {
  const { name: provider } = tool;
  return {
    name: provider,
    async search({ query, limit, signal }) {
      const input = hasField(tool.schema, "query") ? { query } : query;
      let found: ToolText[];
      try {
        found = textsOf(await tool.invoke(input, { signal }));
      } catch (cause) {
        signal?.throwIfAborted();
        if (cause instanceof HttpError) throw cause;
        const message = oneLine(reasonOf(cause), 200);
        throw new HttpError(failureOfMessage(message), message, { cause });
      }
      const rows = found.filter(({ url }) => url !== undefined).map((row) => ({ ...row }));
      if (rows.length === 0 && found[0] !== undefined)
        throw new HttpError(
          failureOfMessage(found[0].text.slice(0, 300)),
          "answered with text that names no web address",
        );
      return toWebResults(rows, { provider, limit, markup: true });
    },
  };
}

/** Works for zod and JSON schemas. */
function hasField(schema: unknown, field: string): boolean {
  const fields: unknown =
    schema instanceof Object
      ? (Reflect.get(schema, "shape") ?? Reflect.get(schema, "properties"))
      : undefined;
  return isRecord(fields) && field in fields;
}

/**
 * DuckDuckGo through `duck-duck-scrape`, which reads a web page and is soon blocked: a last resort.
 * The package is optional and loaded on first use.
 */
export function createDuckDuckGo({
  load = () => import("duck-duck-scrape"),
}: { load?: () => Promise<Pick<typeof DuckDuckScrape, "search">> } = {}): WebSearchProvider {
  const provider = "duckduckgo";
  return {
    name: provider,
    async search({ query, limit, signal }) {
      const { search } = await load().catch((cause: unknown) => {
        const install = "npm install duck-duck-scrape";
        throw new HttpError("malformed", `a package is missing: ${install}`, { cause });
      });
      const { results } = await abortable(search(query), signal).catch((cause: unknown) => {
        signal?.throwIfAborted();
        const said = oneLine(reasonOf(cause), 200);
        if (failureOfMessage(said) === "rate_limited")
          throw new HttpError("rate_limited", said, { cause });
        // The scraper only says where its own code stumbled.
        throw new HttpError("malformed", "could not be reached or understood", { cause });
      });
      const rows = results.map(({ title, url, description: text }) => ({ title, url, text }));
      return toWebResults(rows, { provider, limit, markup: true });
    },
  };
}
