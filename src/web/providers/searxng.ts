import { z } from "zod";
import { HttpError } from "../../support/http-error.js";
import { requestJson } from "../../support/json-client.js";
import { endpoint } from "../../support/web-address.js";
import type { WebSearchProvider } from "../search-provider.js";
import { rowSchema, toWebResults } from "../web-results.js";
import { clipQuery, type HttpOptions } from "./request.js";

const MAX_QUERY_CHARACTERS = 500;

const answerSchema = z.object({
  results: z.array(rowSchema),
  /** Pairs of engine and reason. */
  unresponsive_engines: z.array(z.array(z.unknown())).catch([]).default([]),
});

/** A SearXNG instance: `GET /search?format=json`, which most public ones do not allow. */
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
      const { results, unresponsive_engines: silent } = await requestJson({
        ...http,
        url,
        schema: answerSchema,
        signal,
      }).catch(explained);
      // No results because no engine answered is a failure of the instance, not an answer.
      if (results.length === 0 && silent.length > 0) {
        const engines = silent.map(([engine]) => String(engine)).join(", ");
        throw new HttpError("server", `none of its engines answered (${engines.slice(0, 120)})`);
      }
      return toWebResults(results, { provider: "searxng", limit });
    },
  };
}

function explained(error: unknown): never {
  if (!(error instanceof HttpError)) throw error;
  const jsonIsOff =
    error.failure === "unauthorized" ||
    (error.failure === "malformed" && error.message.includes("HTML"));
  if (!jsonIsOff) throw error;
  const hint = "is json listed under search.formats in its settings.yml?";
  throw new HttpError(error.failure, `${error.message}; ${hint}`, { cause: error });
}
