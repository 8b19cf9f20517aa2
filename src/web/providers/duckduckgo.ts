import { WebSearchError, type WebSearchProvider } from "../search-provider.js";
import { fromLangChainTool, type InvocableTool } from "./langchain-tool.js";

/**
 * DuckDuckGo through `@langchain/community`'s tool, which reads its web page and is blocked after a few calls: a last resort. The tool, and the
 * optional package `duck-duck-scrape` that it needs, are loaded by the first search.
 */
export function createDuckDuckGo({
  loadTool = loadCommunityTool,
}: { loadTool?: (limit: number) => Promise<InvocableTool> } = {}): WebSearchProvider {
  return {
    name: "duckduckgo",
    async search(request) {
      const tool = await loadTool(request.limit).catch((cause: unknown) => {
        throw new WebSearchError(
          "bad_response",
          "a package is missing: npm install duck-duck-scrape",
          undefined,
          { cause },
        );
      });
      const invoke: InvocableTool["invoke"] = async (input, config) => {
        try {
          return await tool.invoke(input, config);
        } catch (error) {
          throw understood(error);
        }
      };
      return fromLangChainTool(
        { name: tool.name, invoke },
        { name: "duckduckgo", toInput: ({ query }) => query },
      ).search(request);
    },
  };
}

/** What `duck-duck-scrape` means: it takes pages apart by patterns, and says of what does not fit only where its own code stumbled. */
function understood(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const options = { cause: error };
  if (/^Failed to get the VQD/.test(error.message))
    return new WebSearchError(
      "network",
      "could not be reached, or its search page gave no token",
      undefined,
      options,
    );
  if (/server error/i.test(error.message))
    return new WebSearchError("server", "reported a server error", undefined, options);
  if (error.name === "TypeError" || error.name === "SyntaxError")
    return new WebSearchError(
      "bad_response",
      "answered with a page that cannot be read as results",
      undefined,
      options,
    );
  return error;
}

async function loadCommunityTool(maxResults: number): Promise<InvocableTool> {
  const { DuckDuckGoSearch } = await import("@langchain/community/tools/duckduckgo_search");
  return new DuckDuckGoSearch({ maxResults });
}
