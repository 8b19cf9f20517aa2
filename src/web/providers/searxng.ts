import { z } from "zod";
import { clipQuery } from "../clip-query.js";
import { endpoint } from "../endpoint.js";
import { requestJson, type HttpOptions } from "../request-json.js";
import { WebSearchError, type WebSearchProvider } from "../search-provider.js";
import { parseAnswer, rowSchema, toWebResults } from "../web-results.js";

const MAX_QUERY_CHARACTERS = 500;

const answerSchema = z.object({
  results: z.array(rowSchema),
  /** Pairs of engine and reason. */
  unresponsive_engines: z.array(z.array(z.unknown())).catch([]).default([]),
});

/** A SearXNG instance: `GET /search?format=json`. The instance must list `json` under `search.formats`; most public ones do not. */
export function createSearxng({
  url: baseUrl,
  http,
}: {
  url: string;
  http?: HttpOptions;
}): WebSearchProvider {
  return {
    name: "searxng",
    async search({ query, limit, signal }) {
      const url = endpoint(baseUrl, "/search");
      url.searchParams.set("q", clipQuery(query, MAX_QUERY_CHARACTERS));
      url.searchParams.set("format", "json");
      const answer = await requestJson({
        url,
        init: { headers: { accept: "application/json" } },
        http,
        signal,
      }).catch((error: unknown) => {
        throw explain(error);
      });
      const { results, unresponsive_engines: silent } = parseAnswer(answerSchema, answer);
      // No results because no engine answered is a failure of the instance, not an answer.
      if (results.length === 0 && silent.length > 0)
        throw new WebSearchError(
          "server",
          `none of its engines answered (${silent
            .map(([engine]) => String(engine))
            .join(", ")
            .slice(0, 120)})`,
        );
      return toWebResults(
        results.map((row) => ({
          title: row.title,
          url: row.url,
          text: row.content,
          date: row.publishedDate,
        })),
        { provider: "searxng", limit },
      );
    },
  };
}

function explain(error: unknown): unknown {
  if (!(error instanceof WebSearchError)) return error;
  const jsonIsOff =
    error.kind === "auth" || (error.kind === "bad_response" && error.message.includes("HTML"));
  return jsonIsOff
    ? new WebSearchError(
        error.kind,
        `${error.message}; is json listed under search.formats in its settings.yml?`,
        undefined,
        {
          cause: error,
        },
      )
    : error;
}
