import type * as DuckDuckScrape from "duck-duck-scrape";
import { reasonOf } from "../../support/errors.js";
import { failureOfMessage, HttpError } from "../../support/json-client.js";
import { isRecord } from "../../support/json.js";
import { textsOf, type ToolText } from "../../support/tool-result.js";
import { abortable } from "../../support/waiting.js";
import { oneLine } from "../../text/words.js";
import { toWebResults, type WebSearchProvider } from "../search-provider.js";

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
