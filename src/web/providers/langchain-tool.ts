import { reasonOf } from "../../support/errors.js";
import { errorMessageIn, failureOfMessage, HttpError } from "../../support/http-error.js";
import type { WebSearchProvider } from "../search-provider.js";
import { toWebResults, type RawResult } from "../web-results.js";

/** What is needed of a LangChain tool; every `StructuredTool`, `Tool` and `tool(...)` fits. */
export interface InvocableTool {
  name: string;
  schema?: unknown;
  invoke(input: unknown, config?: { signal?: AbortSignal }): Promise<unknown>;
}

/**
 * Any LangChain search tool as a provider. Understood are results as JSON or as objects: a list of rows, or an object with the list under
 * `results`; rows with `url` or `link` or `href`, with `content`, `snippet`, `description` or `text`; and LangChain documents.
 *
 * @param toInput how the tool wants to be asked; by default `{ query }` where its schema has such a field, else the bare query
 * @example fromLangChainTool(new TavilySearch({ maxResults: 3 }))
 */
export function fromLangChainTool(
  tool: InvocableTool,
  {
    name = tool.name,
    toInput,
  }: { name?: string; toInput?: (request: { query: string; limit: number }) => unknown } = {},
): WebSearchProvider {
  return {
    name,
    async search({ query, limit, signal }) {
      const input =
        toInput?.({ query, limit }) ?? (hasField(tool.schema, "query") ? { query } : query);
      let output: unknown;
      try {
        output = await tool.invoke(input, { signal });
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof HttpError) throw error;
        const message = reasonOf(error).replace(/\s+/g, " ").slice(0, 200);
        const failure = failureOfMessage(message);
        throw new HttpError(failure === "malformed" ? "network" : failure, message, {
          cause: error,
        });
      }
      return toWebResults(rowsOf(output).map(toRow), { provider: name, limit, markup: true });
    },
  };
}

function hasField(schema: unknown, field: string): boolean {
  const fields = property(schema, "shape") ?? property(schema, "properties");
  return property(fields, field) !== undefined;
}

/** The rows in whatever the tool returned. @throws HttpError when there is no list in it */
function rowsOf(output: unknown): unknown[] {
  if (typeof output === "string") {
    if (output.trim() === "") return [];
    try {
      return rowsOf(JSON.parse(output));
    } catch (error) {
      if (error instanceof HttpError) throw error;
      const failure = failureOfMessage(output.slice(0, 300));
      throw new HttpError(failure, "answered with text that names no web address");
    }
  }
  if (Array.isArray(output)) return output;
  const inner = property(output, "results") ?? property(output, "content");
  if (
    Array.isArray(inner) ||
    (typeof inner === "string" && property(output, "results") === undefined)
  )
    return rowsOf(inner);
  const message = errorMessageIn(output) ?? "answered without a list of results";
  throw new HttpError(failureOfMessage(message), message);
}

function toRow(row: unknown): RawResult {
  const metadata = property(row, "metadata");
  const first = (...keys: string[]): unknown =>
    keys
      .map((key) => property(row, key) ?? property(metadata, key))
      .find((value) => typeof value === "string");
  return {
    title: first("title", "name"),
    url: first("url", "link", "href", "source"),
    text: first("content", "snippet", "description", "text", "body", "pageContent"),
    date: first("published_date", "publishedDate", "date", "page_age"),
  };
}

function property(value: unknown, key: string): unknown {
  return value !== null && typeof value === "object" ? Reflect.get(value, key) : undefined;
}
