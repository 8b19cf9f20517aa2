import { z } from "zod";
import type { FetchPage } from "../web/search-provider.js";
import type { ResultUrls } from "./result-urls.js";
import type { AgentTool } from "./tool.js";
import { evidenceFromPage } from "./web-evidence.js";

export const WEB_FETCH_TOOL = "web_fetch";

const PASSAGES = 4;

const argsSchema = z.object({ url: z.string().trim().min(1).max(2_000) });

/**
 * Opens a page behind a search result and gives the parts that have most to do with the question. Only addresses that a provider returned in
 * this run: text in a document or on a page cannot send the agent anywhere.
 */
export function createWebFetchTool({
  fetchPage,
  resultUrls,
  timeoutInMs = 15_000,
}: {
  fetchPage: FetchPage;
  resultUrls: ResultUrls;
  timeoutInMs?: number;
}): AgentTool {
  return {
    name: WEB_FETCH_TOOL,
    description:
      "Reads a page that web_search found in this run, for when its search text breaks off before the answer.",
    external: true,
    parameters: {
      type: "object",
      properties: { url: { type: "string", description: "Address of a search result" } },
      required: ["url"],
      additionalProperties: false,
    },
    timeoutInMs,
    async run({ args, question, round, scope, signal }) {
      const parsed = argsSchema.safeParse(args);
      if (!parsed.success) throw new Error("web_fetch needs a url");
      if (scope.settings.webSearch === "off" || scope.settings.switchedOff.includes("web"))
        throw new Error("web search is switched off, and fetching with it");
      const { url } = parsed.data;
      if (!resultUrls.has(scope.runId, url))
        throw new Error("web_fetch opens only addresses that web_search returned in this run");
      const page = await fetchPage(url, { signal });
      const evidence = evidenceFromPage(page, {
        question,
        tool: WEB_FETCH_TOOL,
        round,
        count: PASSAGES,
      });
      return {
        evidence,
        summary: `${evidence.length} ${evidence.length === 1 ? "passage" : "passages"} of "${page.title.slice(0, 100)}"`,
      };
    },
  };
}
