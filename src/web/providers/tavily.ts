import { z } from "zod";
import { clipQuery } from "../clip-query.js";
import { endpoint } from "../endpoint.js";
import { requestJson, type HttpOptions } from "../request-json.js";
import type { WebSearchProvider } from "../search-provider.js";
import { parseAnswer, rowSchema, toWebResults } from "../web-results.js";

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
      const body = {
        query: clipQuery(query, MAX_QUERY_CHARACTERS),
        max_results: limit,
        search_depth: "basic",
        include_answer: false,
        include_raw_content: false,
      };
      const answer = await requestJson({
        url: endpoint(baseUrl, "/search"),
        init: {
          method: "POST",
          headers: {
            authorization: `Bearer ${apiKey}`,
            "content-type": "application/json",
            accept: "application/json",
          },
          body: JSON.stringify(body),
        },
        http,
        signal,
        keyName: "TAVILY_API_KEY",
      });
      const rows = parseAnswer(answerSchema, answer).results.map((row) => ({
        title: row.title,
        url: row.url,
        text: row.content,
        date: row.published_date,
      }));
      return toWebResults(rows, { provider: "tavily", limit });
    },
  };
}
