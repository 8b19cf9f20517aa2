import { createSearchTool, type SearchToolOptions } from "./knowledge-base-search.js";
import type { AgentTool } from "./tool.js";

/** Passages whose meaning is near to the query's, ranked by cosine. */
export function createVectorSearchTool(options: SearchToolOptions): AgentTool {
  return createSearchTool({
    ...options,
    name: "vector_search",
    description:
      "Finds passages of the knowledge base that mean something similar to the query (embeddings). Best for questions in words that the documents may not use.",
    mode: "vector",
  });
}
