import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { FetchPage } from "../web/search-provider.js";
import { counted, defineTool, type AgentTool } from "./tool.js";
import { evidenceFromPage, requireWeb } from "./web-evidence.js";

export const WEB_FETCH_TOOL = "web_fetch";

const PASSAGES = 4;

/**
 * Opens a page behind a search result and gives the parts that have most to do with the question.
 * Only addresses that a provider returned in this run: text in a document or on a page cannot send
 * the agent anywhere.
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
  return defineTool({
    name: WEB_FETCH_TOOL,
    description:
      "Reads a page that web_search found in this run, for when its search text breaks off before the answer.",
    external: true,
    timeoutInMs,
    args: z.object({
      url: z.string().trim().min(1).max(2_000).describe("Address of a search result"),
    }),
    async run({ url }, { question, round, scope, signal }) {
      requireWeb(scope);
      if (!resultUrls.has(scope.runId, url))
        throw new Error("web_fetch opens only addresses that web_search returned in this run");
      const page = await fetchPage(url, { signal });
      const evidence = evidenceFromPage(page, {
        question,
        tool: WEB_FETCH_TOOL,
        round,
        count: PASSAGES,
      });
      const summary = `${counted(evidence.length, "passage")} of "${page.title.slice(0, 100)}"`;
      return { evidence, summary };
    },
  });
}

/** Which addresses search providers returned, run by run. Kept in memory, bounded. */
export interface ResultUrls {
  add(runId: string, url: string): void;
  has(runId: string, url: string): boolean;
}

/** The run that searched least recently is forgotten first. */
export function createResultUrls({
  maxRuns = 200,
  maxUrlsPerRun = 100,
}: { maxRuns?: number; maxUrlsPerRun?: number } = {}): ResultUrls {
  const runs = new LRUCache<string, Set<string>>({ max: maxRuns });
  return {
    add(runId, url) {
      const urls = runs.get(runId) ?? new Set();
      runs.set(runId, urls);
      if (urls.size < maxUrlsPerRun) urls.add(normalForm(url));
    },
    has: (runId, url) => runs.get(runId)?.has(normalForm(url)) ?? false,
  };
}

/** Without the fragment, which is never sent; everything else must match to the letter. */
function normalForm(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  parsed.hash = "";
  return parsed.href;
}
