import { z } from "zod";
import { clipQuery } from "../clip-query.js";
import { endpoint } from "../endpoint.js";
import { requestJson, type HttpOptions } from "../request-json.js";
import { WebSearchError, type WebSearchProvider } from "../search-provider.js";
import { parseAnswer, rowSchema, toWebResults } from "../web-results.js";

/** Brave's limits of the parameters `q` and `count`. */
const MAX_QUERY_CHARACTERS = 400;
const MAX_QUERY_WORDS = 50;
const MAX_COUNT = 20;

/** Without any hit `web` is missing, not empty. */
const answerSchema = z.object({
  type: z.literal("search").optional(),
  web: z.object({ results: z.array(rowSchema).default([]) }).nullish(),
});

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
  return {
    name: "brave",
    async search({ query, limit, signal }) {
      const url = endpoint(baseUrl, "/res/v1/web/search");
      url.searchParams.set("q", clipQuery(query, MAX_QUERY_CHARACTERS, MAX_QUERY_WORDS));
      url.searchParams.set("count", String(Math.min(limit, MAX_COUNT)));
      const answer = await requestJson({
        url,
        init: { headers: { accept: "application/json", "x-subscription-token": apiKey } },
        http,
        signal,
        keyName: "BRAVE_API_KEY",
      }).catch((error: unknown) => {
        throw explain(error);
      });
      const rows = parseAnswer(answerSchema, answer).web?.results ?? [];
      return toWebResults(
        rows.map((row) => ({
          title: row.title,
          url: row.url,
          text: [row.description, ...extraSnippets(row.extra_snippets)].filter(Boolean).join("\n"),
          date: row.page_age,
        })),
        { provider: "brave", limit, markup: true },
      );
    },
  };
}

function extraSnippets(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((snippet): snippet is string => typeof snippet === "string")
    : [];
}

/** Brave refuses a wrong key with status 422, like a malformed query. */
function explain(error: unknown): unknown {
  const wrongKey =
    error instanceof WebSearchError &&
    error.kind === "bad_response" &&
    /HTTP 422/.test(error.message) &&
    /token/i.test(error.message);
  return wrongKey
    ? new WebSearchError("auth", `${error.message} (check BRAVE_API_KEY)`, undefined, {
        cause: error,
      })
    : error;
}
