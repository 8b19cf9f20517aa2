import { WebSearchError, type WebSearchProvider } from "../search-provider.js";
import { fromLangChainTool, type InvocableTool } from "./langchain-tool.js";

/**
 * DuckDuckGo through `@langchain/community`'s tool, which reads its web page and is blocked after a few calls: a last resort. The tool, and the
 * package `duck-duck-scrape` that it needs, are loaded by the first search.
 */
export function createDuckDuckGo({
  loadTool = loadCommunityTool,
}: { loadTool?: (limit: number) => Promise<InvocableTool> } = {}): WebSearchProvider {
  return {
    name: "duckduckgo",
    async search(request) {
      const tool = await loadTool(request.limit).catch((cause: unknown) => {
        throw new WebSearchError("bad_response", "its packages are missing: npm install @langchain/community duck-duck-scrape", undefined, {
          cause,
        });
      });
      return fromLangChainTool(tool, { name: "duckduckgo", toInput: ({ query }) => query }).search(request);
    },
  };
}

async function loadCommunityTool(maxResults: number): Promise<InvocableTool> {
  const { DuckDuckGoSearch } = await import("@langchain/community/tools/duckduckgo_search");
  return new DuckDuckGoSearch({ maxResults });
}
