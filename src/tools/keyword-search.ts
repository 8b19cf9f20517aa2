import { createSearchTool, type SearchToolOptions } from "./knowledge-base-search.js";
import type { AgentTool } from "./tool.js";

/** Passages that hold the words of the query, ranked by BM25. */
export function createKeywordSearchTool(options: SearchToolOptions): AgentTool {
  return createSearchTool({
    ...options,
    name: "keyword_search",
    description:
      "Finds passages of the knowledge base that hold the words of the query (BM25). Best for names, identifiers, rare words and exact terms.",
    mode: "keyword",
  });
}
