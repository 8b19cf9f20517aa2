import { z } from "zod";
import { requestJson } from "../../support/json-client.js";
import { endpoint } from "../../support/web-address.js";
import type { WebSearchProvider } from "../search-provider.js";
import { rowSchema, toWebResults } from "../web-results.js";
import { clipQuery, pointingTo, type HttpOptions } from "./request.js";

/** Tavily refuses longer queries with status 400. */
const MAX_QUERY_CHARACTERS = 400;

const answerSchema = z.object({ results: z.array(rowSchema) });

/** Tavily: `POST /search` with a bearer key. */
export function createTavily({
  apiKey,
  baseUrl = "https://api.tavily.com",
  http,
}: {
  apiKey: string;
  baseUrl?: string;
  http?: HttpOptions;
}): WebSearchProvider {
  return {
    name: "tavily",
    async search({ query, limit, signal }) {
      const { results } = await requestJson({
        ...http,
        url: endpoint(baseUrl, "/search"),
        apiKey,
        body: {
          query: clipQuery(query, MAX_QUERY_CHARACTERS),
          max_results: limit,
          search_depth: "basic",
          include_answer: false,
          include_raw_content: false,
        },
        schema: answerSchema,
        signal,
      }).catch(pointingTo("TAVILY_API_KEY"));
      return toWebResults(results, { provider: "tavily", limit });
    },
  };
}
