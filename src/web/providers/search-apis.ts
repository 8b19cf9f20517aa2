/** Tavily, SearXNG and Brave: one JSON request each, which differ in its form. */
import { z } from "zod";
import { HttpError, type JsonRequest, requestJson } from "../../support/json-client.js";
import { endpoint } from "../../support/web-address.js";
import type { WebSearchProvider, WebSearchRequest } from "../search-provider.js";
import { clipQuery, rowSchema, toWebResults, WEB_RETRIES, type Row } from "../web-results.js";

/** Replaceable parts of a client; for tests. */
export type HttpOptions = Pick<JsonRequest<unknown>, "fetch" | "maxBytes">;

interface SearchApi<Answer> {
  name: string;
  request: (
    asked: WebSearchRequest,
  ) => Pick<JsonRequest<Answer>, "url" | "headers" | "apiKey" | "body">;
  schema: z.ZodType<Answer>;
  rows: (answer: Answer) => Row[];
  secrets?: readonly string[];
  /** Says how to mend a failure; undefined where nothing can be added. */
  hint: (error: HttpError) => string | undefined;
  markup?: boolean;
  http?: HttpOptions;
}

function searchApi<Answer>({
  name,
  request,
  rows,
  hint,
  markup,
  http,
  ...rest
}: SearchApi<Answer>): WebSearchProvider {
  return {
    name,
    async search(asked) {
      const { signal, limit } = asked;
      const answer = await requestJson({
        ...WEB_RETRIES,
        ...http,
        ...request(asked),
        schema: rest.schema,
        secrets: rest.secrets,
        signal,
      }).catch((error: unknown) => {
        const mend = error instanceof HttpError ? hint(error) : undefined;
        if (!(error instanceof HttpError) || mend === undefined) throw error;
        // Brave refuses a wrong key with 422, like a malformed query.
        const failure = error.failure === "rejected" ? "unauthorized" : error.failure;
        throw new HttpError(failure, `${error.message} (${mend})`, { cause: error });
      });
      return toWebResults(rows(answer), { provider: name, limit, markup });
    },
  };
}

/** Tavily: `POST /search` with a bearer key; longer queries are refused with status 400. */
export function createTavily({
  apiKey,
  baseUrl = "https://api.tavily.com",
  http,
}: {
  apiKey: string;
  baseUrl?: string;
  http?: HttpOptions;
}): WebSearchProvider {
  return searchApi({
    name: "tavily",
    http,
    request: ({ query, limit }) => ({
      url: endpoint(baseUrl, "/search"),
      apiKey,
      body: {
        query: clipQuery(query, 400),
        max_results: limit,
        search_depth: "basic",
        include_answer: false,
        include_raw_content: false,
      },
    }),
    schema: z.object({ results: z.array(rowSchema) }),
    rows: ({ results }) => results,
    hint: ({ failure }) => (failure === "unauthorized" ? "check TAVILY_API_KEY" : undefined),
  });
}

/** A SearXNG instance: `GET /search?format=json`, which most public ones do not allow. */
export function createSearxng({
  url: baseUrl,
  http,
}: {
  url: string;
  http?: HttpOptions;
}): WebSearchProvider {
  return searchApi({
    name: "searxng",
    http,
    request: ({ query }) => {
      const url = endpoint(baseUrl, "/search");
      url.searchParams.set("q", clipQuery(query, 500));
      url.searchParams.set("format", "json");
      return { url };
    },
    schema: z.object({
      results: z.array(rowSchema),
      /** Pairs of engine and reason. */
      unresponsive_engines: z.array(z.array(z.unknown())).catch([]).default([]),
    }),
    rows: ({ results, unresponsive_engines: silent }) => {
      // No results because no engine answered is a failure of the instance, not an answer.
      if (results.length > 0 || silent.length === 0) return results;
      const engines = silent.map(([engine]) => String(engine)).join(", ");
      throw new HttpError("server", `none of its engines answered (${engines.slice(0, 120)})`);
    },
    hint: ({ failure, message }) =>
      failure === "unauthorized" || (failure === "malformed" && message.includes("HTML"))
        ? "is json listed under search.formats in its settings.yml?"
        : undefined,
  });
}

/** Without any hit `web` is missing, not empty. */
const braveSchema = z.object({
  type: z.literal("search").optional(),
  web: z.object({ results: z.array(rowSchema).default([]) }).nullish(),
});
const snippetsSchema = z.array(z.string()).catch([]);

/** Brave Search: `GET /res/v1/web/search` with the key in `X-Subscription-Token`. */
export function createBrave({
  apiKey,
  baseUrl = "https://api.search.brave.com",
  http,
}: {
  apiKey: string;
  baseUrl?: string;
  http?: HttpOptions;
}): WebSearchProvider {
  return searchApi({
    name: "brave",
    http,
    markup: true,
    secrets: [apiKey],
    request: ({ query, limit }) => {
      const url = endpoint(baseUrl, "/res/v1/web/search");
      // Its limits: 400 characters and 50 words, 20 results.
      url.searchParams.set("q", clipQuery(query, 400, 50));
      url.searchParams.set("count", String(Math.min(limit, 20)));
      return { url, headers: { "x-subscription-token": apiKey } };
    },
    schema: braveSchema,
    rows: ({ web }) =>
      (web?.results ?? []).map((row) => ({
        title: row["title"],
        url: row["url"],
        text: [row["description"], ...snippetsSchema.parse(row["extra_snippets"])]
          .filter(Boolean)
          .join("\n"),
        date: row["page_age"],
      })),
    hint: ({ failure, status, message }) =>
      failure === "unauthorized" || (status === 422 && message.toLowerCase().includes("token"))
        ? "check BRAVE_API_KEY"
        : undefined,
  });
}
