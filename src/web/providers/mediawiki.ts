import { z } from "zod";
import { requestJson } from "../../support/json-client.js";
import { endpoint } from "../../support/web-address.js";
import { abortable } from "../../support/waiting.js";
import { htmlToText } from "../../text/html.js";
import type { WebSearchProvider } from "../search-provider.js";
import { clipQuery, rowSchema, toWebResults, WEB_RETRIES } from "../web-results.js";
import type { HttpOptions } from "./search-apis.js";

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
          snippet: z.string().catch(""),
          timestamp: z.string().optional().catch(undefined),
        }),
      ),
    })
    .optional(),
});
const pagesSchema = z.object({ query: z.object({ pages: z.array(rowSchema) }).optional() });

/**
 * Any MediaWiki, Wikipedia by default: full-text search, then the introductions of the pages found.
 * The etiquette of its API asks for a User-Agent that names the caller and for one request at a
 * time, so requests take turns.
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
  let last: Promise<unknown> = Promise.resolve();
  const ask = <Answer>(
    parameters: Record<string, string>,
    schema: z.ZodType<Answer>,
    signal: AbortSignal | undefined,
  ): Promise<Answer> => {
    const url = apiUrl.endsWith(".php") ? new URL(apiUrl) : endpoint(apiUrl, "/w/api.php");
    const query = { action: "query", format: "json", formatversion: "2", ...parameters };
    url.search = String(new URLSearchParams(query));
    const headers = { "user-agent": userAgent };
    const request = (): Promise<Answer> =>
      requestJson({ ...WEB_RETRIES, ...http, url, headers, schema, signal });
    // A request that was given up while it waited is not sent.
    const mine = last.then(() => {
      signal?.throwIfAborted();
      return request();
    });
    last = mine.catch(() => undefined);
    return abortable(mine, signal);
  };
  const introductions = async (
    titles: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Map<unknown, Record<string, unknown>>> => {
    const parameters = {
      prop: "extracts|info",
      inprop: "url",
      exintro: "1",
      explaintext: "1",
      exchars: String(EXTRACT_CHARACTERS),
      exlimit: String(titles.length),
      titles: titles.join("|"),
    };
    // Without the TextExtracts extension, or where this fails, the snippets still are results.
    const answer = await ask(parameters, pagesSchema, signal).catch(() => undefined);
    signal?.throwIfAborted();
    return new Map(answer?.query?.pages.map((page) => [page.title, page]));
  };
  return {
    name: "mediawiki",
    async search({ query: words, limit, signal }) {
      const parameters = {
        list: "search",
        srsearch: clipQuery(words, MAX_QUERY_CHARACTERS),
        srlimit: String(limit),
        srprop: "snippet|timestamp",
      };
      const found = (await ask(parameters, searchSchema, signal)).query?.search ?? [];
      if (found.length === 0) return [];
      const pages = await introductions(
        found.map(({ title }) => title),
        signal,
      );
      const rows = found.map(({ title, snippet, timestamp }) => {
        const page = pages.get(title);
        const extract = typeof page?.extract === "string" ? page.extract : "";
        // The snippet is where the words were found, which is often not in the introduction.
        const passage = htmlToText(snippet);
        const text =
          extract === "" || extract.includes(passage)
            ? extract || passage
            : `${extract}\n… ${passage} …`;
        const url = page?.canonicalurl ?? page?.fullurl ?? pageAddress(apiUrl, title);
        return { title, text, url, date: timestamp };
      });
      return toWebResults(rows, { provider: "mediawiki", limit });
    },
  };
}

const DEFAULT_USER_AGENT =
  "corrective-rag/0.1 (retrieval agent; set CRAG_WEB_USER_AGENT to name yourself)";

function pageAddress(apiUrl: string, title: string): string {
  return new URL(`/wiki/${encodeURIComponent(title.replaceAll(" ", "_"))}`, apiUrl).href;
}
