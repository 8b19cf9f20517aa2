import { z } from "zod";
import { HttpError } from "../../support/http-error.js";
import { requestJson } from "../../support/json-client.js";
import { endpoint } from "../../support/web-address.js";
import type { WebSearchProvider } from "../search-provider.js";
import { rowSchema, toWebResults } from "../web-results.js";
import { clipQuery, pointingTo, type HttpOptions } from "./request.js";

/** Brave's limits of the parameters `q` and `count`. */
const MAX_QUERY_CHARACTERS = 400;
const MAX_QUERY_WORDS = 50;
const MAX_COUNT = 20;

/** Without any hit `web` is missing, not empty. */
const answerSchema = z.object({
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
  return {
    name: "brave",
    async search({ query, limit, signal }) {
      const url = endpoint(baseUrl, "/res/v1/web/search");
      url.searchParams.set("q", clipQuery(query, MAX_QUERY_CHARACTERS, MAX_QUERY_WORDS));
      url.searchParams.set("count", String(Math.min(limit, MAX_COUNT)));
      const { web } = await requestJson({
        ...http,
        url,
        headers: { "x-subscription-token": apiKey },
        secrets: [apiKey],
        schema: answerSchema,
        signal,
      })
        .catch(refusedToken)
        .catch(pointingTo("BRAVE_API_KEY"));
      const rows = (web?.results ?? []).map((row) => ({
        title: row.title,
        url: row.url,
        text: [row.description, ...snippetsSchema.parse(row.extra_snippets)]
          .filter(Boolean)
          .join("\n"),
        date: row.page_age,
      }));
      return toWebResults(rows, { provider: "brave", limit, markup: true });
    },
  };
}

/** Brave refuses a wrong key with status 422, like a malformed query. */
function refusedToken(error: unknown): never {
  if (error instanceof HttpError && error.status === 422 && /token/i.test(error.message))
    throw new HttpError("unauthorized", error.message, { cause: error });
  throw error;
}
