import { reasonOf } from "../../support/errors.js";
import { HttpError } from "../../support/http-error.js";
import type { WebSearchProvider } from "../search-provider.js";
import { fromLangChainTool, type InvocableTool } from "./langchain-tool.js";

/**
 * DuckDuckGo through `@langchain/community`'s tool, which reads its web page and is blocked after a
 * few calls: a last resort. The tool, and the package `duck-duck-scrape` that it needs, are
 * optional and loaded by the first search.
 */
export function createDuckDuckGo({
  loadTool = loadCommunityTool,
}: { loadTool?: (limit: number) => Promise<InvocableTool> } = {}): WebSearchProvider {
  return {
    name: "duckduckgo",
    async search(request) {
      const tool = await loadTool(request.limit).catch((cause: unknown) => {
        const install = "npm install @langchain/community duck-duck-scrape";
        throw new HttpError("malformed", `a package is missing: ${install}`, { cause });
      });
      return fromLangChainTool(
        {
          name: tool.name,
          invoke: (input, config) => tool.invoke(input, config).catch(understood),
        },
        { name: "duckduckgo", toInput: ({ query }) => query },
      ).search(request);
    },
  };
}

/** `duck-duck-scrape` takes pages apart by patterns, and says of what does not fit only where its own code stumbled. */
function understood(error: unknown): never {
  const name = error instanceof Error ? error.name : "";
  const message = reasonOf(error);
  if (message.startsWith("Failed to get the VQD"))
    throw new HttpError("network", "could not be reached, or its search page gave no token", {
      cause: error,
    });
  if (/server error/i.test(message))
    throw new HttpError("server", "reported a server error", { cause: error });
  if (name === "TypeError" || name === "SyntaxError")
    throw new HttpError("malformed", "answered with a page that cannot be read as results", {
      cause: error,
    });
  throw error;
}

async function loadCommunityTool(maxResults: number): Promise<InvocableTool> {
  const { DuckDuckGoSearch } = await import("@langchain/community/tools/duckduckgo_search");
  return new DuckDuckGoSearch({ maxResults });
}
