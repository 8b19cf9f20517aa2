import { z } from "zod";
import { cutText, oneLine } from "../text/one-line.js";
import type { WebSearch, WebSearchReport } from "../web/search-provider.js";
import { defineTool, type AgentTool } from "./tool.js";
import { counted } from "../text/words.js";
import { evidenceFromResult, type ResultUrls } from "./web-fetch.js";

export const WEB_SEARCH_TOOL = "web_search";

const MAX_QUERY_CHARACTERS = 500;
const TIMEOUT_IN_MS = 25_000;
/** The chain stops before the tool's limit, so that its attempts are still reported. */
const MARGIN_IN_MS = 300;

const webSearchArgs = z.object({ query: z.string().trim().min(1).describe("Keywords") });

/**
 * Searches the web, at the cost of one search of the run's budget. An empty result is an answer; if
 * no provider answers, the call fails with the cause `web_error`.
 * @param resultUrls records the addresses found, so that `web_fetch` may open them
 */
export function createWebSearchTool({
  webSearch,
  resultUrls,
}: {
  webSearch: WebSearch;
  resultUrls?: ResultUrls;
}): AgentTool {
  return defineTool({
    name: WEB_SEARCH_TOOL,
    description:
      "Searches the web, for what the documents do not hold. Takes keywords of the question alone.",
    strategy: "web",
    origin: "web",
    timeoutInMs: TIMEOUT_IN_MS,
    args: webSearchArgs,
    async run(args, { scope, signal, round }) {
      const query = cutText(oneLine(args.query), MAX_QUERY_CHARACTERS, { ellipsis: "" });
      scope.budget.reserve("webSearches");
      const startedAt = scope.budget.elapsedInMs();
      const report = await webSearch.search({
        query,
        limit: scope.settings.webResults,
        timeoutInMs: Math.min(TIMEOUT_IN_MS, scope.budget.remainingInMs()) - MARGIN_IN_MS,
        signal,
      });
      scope.emit({
        type: "web_search",
        query,
        provider: report.provider,
        count: report.results.length,
        took_ms: scope.budget.elapsedInMs() - startedAt,
        cached: report.cached,
        attempts: report.attempts,
      });
      const failure = failureOf(report);
      if (failure !== undefined) {
        scope.cause("web_error");
        throw new Error(failure);
      }
      for (const { url } of report.results) resultUrls?.add(scope.runId, url);
      const evidence = report.results.map((result) =>
        evidenceFromResult(result, { tool: WEB_SEARCH_TOOL, round }),
      );
      return { evidence, summary: summaryOf(report), cached: report.cached };
    },
  });
}

function failureOf({ results, attempts }: WebSearchReport): string | undefined {
  if (results.length > 0 || attempts.some(hasAnswered)) return undefined;
  const reasons = attempts.map(
    ({ provider, outcome, message }) => `${provider}: ${message ?? outcome.replaceAll("_", " ")}`,
  );
  return reasons.length === 0
    ? "there is no search provider"
    : `no search provider answered (${reasons.join("; ")})`;
}

function hasAnswered({ outcome }: WebSearchReport["attempts"][number]): boolean {
  return outcome === "answered" || outcome === "empty";
}

function summaryOf({ results, provider, attempts }: WebSearchReport): string {
  const passedOver = attempts.filter((it) => !hasAnswered(it)).map((it) => it.provider);
  const found =
    counted(results.length, "result") + (provider === undefined ? "" : ` from ${provider}`);
  return passedOver.length === 0 ? found : `${found}, after ${passedOver.join(", ")} failed`;
}
