import { z } from "zod";
import { clipQuery } from "../clip-query.js";
import { htmlToText } from "../html-to-text.js";
import { requestJson, type HttpOptions } from "../request-json.js";
import type { WebSearchProvider } from "../search-provider.js";
import { parseAnswer, rowSchema, toWebResults } from "../web-results.js";
import { createTurns } from "../turns.js";

/** CirrusSearch refuses longer queries. */
const MAX_QUERY_CHARACTERS = 300;
/** Characters of each introduction. */
const EXTRACT_CHARACTERS = 1_200;

const searchSchema = z.object({
  query: z
    .object({
      search: z.array(
        z.object({
          title: z.string(),
          pageid: z.number().optional(),
          snippet: z.string().catch(""),
          timestamp: z.string().optional().catch(undefined),
        }),
      ),
    })
    .optional(),
});
const pagesSchema = z.object({ query: z.object({ pages: z.array(rowSchema) }).optional() });

/**
 * Any MediaWiki, Wikipedia by default: full-text search, then the introductions of the pages found. No key. The etiquette of its API asks
 * for one request at a time and for a User-Agent that names the caller, so requests take turns.
 */
export function createMediaWiki({
  url: apiUrl = "https://en.wikipedia.org/w/api.php",
  userAgent = DEFAULT_USER_AGENT,
  http,
}: {
  /** Address of `api.php`; the root of a wiki is taken to have it under `/w/`. */
  url?: string;
  userAgent?: string;
  http?: HttpOptions;
} = {}): WebSearchProvider {
  const takeTurn = createTurns();
  const query = (
    parameters: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<unknown> => {
    const url = apiAddress(apiUrl);
    for (const [key, value] of Object.entries({
      action: "query",
      format: "json",
      formatversion: "2",
      ...parameters,
    }))
      url.searchParams.set(key, value);
    return takeTurn(
      () =>
        requestJson({
          url,
          init: { headers: { accept: "application/json", "user-agent": userAgent } },
          http,
          signal,
        }),
      signal,
    );
  };
  return {
    name: "mediawiki",
    async search({ query: words, limit, signal }) {
      const found = parseAnswer(
        searchSchema,
        await query(
          {
            list: "search",
            srsearch: clipQuery(words, MAX_QUERY_CHARACTERS),
            srlimit: String(limit),
            srprop: "snippet|timestamp",
          },
          signal,
        ),
      ).query?.search;
      if (found === undefined || found.length === 0) return [];
      const pages = await introductions(found.map(({ title }) => title));
      const rows = found.map(({ title, snippet, timestamp }) => {
        const page = pages.get(title);
        const extract = typeof page?.extract === "string" ? page.extract : "";
        // The snippet is where the words were found, which is often not in the introduction.
        const passage = htmlToText(snippet);
        const text =
          extract === "" || extract.includes(passage)
            ? extract || passage
            : `${extract}\n… ${passage} …`;
        return {
          title,
          text,
          url: page?.canonicalurl ?? page?.fullurl ?? pageAddress(apiUrl, title),
          date: timestamp,
        };
      });
      return toWebResults(rows, { provider: "mediawiki", limit });

      async function introductions(
        titles: readonly string[],
      ): Promise<Map<unknown, Record<string, unknown>>> {
        try {
          const answer = await query(
            {
              prop: "extracts|info",
              inprop: "url",
              exintro: "1",
              explaintext: "1",
              exchars: String(EXTRACT_CHARACTERS),
              exlimit: String(titles.length),
              titles: titles.join("|"),
            },
            signal,
          );
          return new Map(
            parseAnswer(pagesSchema, answer).query?.pages.map((page) => [page.title, page]),
          );
        } catch (error) {
          signal?.throwIfAborted();
          // A wiki without the TextExtracts extension, or a second request that failed: the snippets still are results.
          if (error instanceof Error) return new Map();
          throw error;
        }
      }
    },
  };
}

export const DEFAULT_USER_AGENT =
  "corrective-rag/0.1 (retrieval agent; set WEB_USER_AGENT to name yourself)";

function apiAddress(apiUrl: string): URL {
  const url = new URL(apiUrl);
  if (!url.pathname.endsWith(".php"))
    url.pathname = `${url.pathname.replace(/\/+$/, "")}/w/api.php`;
  return url;
}

function pageAddress(apiUrl: string, title: string): string {
  return new URL(`/wiki/${encodeURIComponent(title.replace(/ /g, "_"))}`, apiUrl).href;
}
