/** LangChain's search tools as providers, DuckDuckGo's among them. */
import { reasonOf } from "../../support/errors.js";
import { failureOfMessage, HttpError } from "../../support/json-client.js";
import { isRecord } from "../../support/is-record.js";
import { textsOf, type ToolText } from "../../support/tool-result.js";
import { oneLine } from "../../text/one-line.js";
import type { WebSearchProvider } from "../search-provider.js";
import { toWebResults } from "../web-results.js";

/** The used part of a LangChain tool; every `StructuredTool`, `Tool` and `tool(...)` fits. */
interface InvocableTool {
  name: string;
  schema?: unknown;
  invoke(input: unknown, config?: { signal?: AbortSignal }): Promise<unknown>;
}

/**
 * Any LangChain search tool as a provider: it is asked `{ query }` where its schema has such a
 * field, else the bare query. Of what it returns, texts with a web address count.
 * @example fromLangChainTool(new TavilySearch({ maxResults: 3 }))
 */
export function fromLangChainTool(tool: InvocableTool): WebSearchProvider {
  const { name: provider } = tool;
  return {
    name: provider,
    async search({ query, limit, signal }) {
      const input = hasField(tool.schema, "query") ? { query } : query;
      const output = await tool.invoke(input, { signal }).catch((cause: unknown) => {
        signal?.throwIfAborted();
        if (cause instanceof HttpError) throw cause;
        const message = oneLine(reasonOf(cause), 200);
        const failure = failureOfMessage(message);
        throw new HttpError(failure === "malformed" ? "network" : failure, message, { cause });
      });
      const found = readTexts(output);
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

function readTexts(output: unknown): ToolText[] {
  try {
    return textsOf(output);
  } catch (error) {
    const message = reasonOf(error).slice(0, 200);
    throw new HttpError(failureOfMessage(message), message, { cause: error });
  }
}

/** In a zod schema or a JSON schema. */
function hasField(schema: unknown, field: string): boolean {
  const fields: unknown =
    schema instanceof Object
      ? (Reflect.get(schema, "shape") ?? Reflect.get(schema, "properties"))
      : undefined;
  return isRecord(fields) && field in fields;
}

/**
 * DuckDuckGo through `@langchain/community`'s tool, which reads its web page and is blocked after a
 * few calls: a last resort. The tool, and the package `duck-duck-scrape` that it needs, are
 * optional and loaded by the first search.
 */
export function createDuckDuckGo({
  loadTool = loadCommunityTool,
}: { loadTool?: (limit: number) => Promise<InvocableTool> } = {}): WebSearchProvider {
  const name = "duckduckgo";
  return {
    name,
    async search(request) {
      const tool = await loadTool(request.limit).catch((cause: unknown) => {
        const install = "npm install @langchain/community duck-duck-scrape";
        throw new HttpError("malformed", `a package is missing: ${install}`, { cause });
      });
      return fromLangChainTool({
        name,
        invoke: (input, config) => tool.invoke(input, config).catch(understood),
      }).search(request);
    },
  };
}

/** `duck-duck-scrape` takes pages apart by patterns, and says only where its own code stumbled. */
function understood(cause: unknown): never {
  const name = cause instanceof Error ? cause.name : "";
  const message = reasonOf(cause);
  if (message.startsWith("Failed to get the VQD"))
    throw new HttpError("network", "could not be reached, or its search page gave no token", {
      cause,
    });
  if (message.toLowerCase().includes("server error"))
    throw new HttpError("server", "reported a server error", { cause });
  if (name === "TypeError" || name === "SyntaxError")
    throw new HttpError("malformed", "answered with a page that cannot be read as results", {
      cause,
    });
  throw cause;
}

async function loadCommunityTool(maxResults: number): Promise<InvocableTool> {
  const { DuckDuckGoSearch } = await import("@langchain/community/tools/duckduckgo_search");
  return new DuckDuckGoSearch({ maxResults });
}
