import { createSearchTool, type SearchToolOptions } from "./knowledge-base-search.js";
import type { AgentTool } from "./tool.js";

/** Keyword and vector search at once, merged by reciprocal rank fusion. */
export function createHybridSearchTool(options: SearchToolOptions): AgentTool {
  return createSearchTool({
    ...options,
    name: "hybrid_search",
    description:
      "Keyword and vector search of the knowledge base at once, their ranks fused. The best first choice for most questions.",
    mode: "hybrid",
  });
}
