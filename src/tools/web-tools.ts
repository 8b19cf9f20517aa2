/** The tools of the web: a search, and the pages behind its results. */
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Evidence } from "../state/evidence.js";
import { sliceBlocks, type BlockText } from "../text/passage-blocks.js";
import { textOfBlocks } from "../text/web-page.js";
import { counted, cutText, oneLine } from "../text/words.js";
import type {
  FetchPage,
  WebPage,
  WebResult,
  WebSearch,
  WebSearchReport,
} from "../web/search-provider.js";
import {
  evidenceId,
  makeEvidence,
  MAX_EVIDENCE_CHARACTERS,
  nearestFirst,
  type FoundBy,
} from "./make-evidence.js";
import { defineTool, type AgentTool } from "./tool.js";

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

const WEB_FETCH_TOOL = "web_fetch";

const PASSAGES = 4;

const fetchArgs = z.object({
  url: z.string().trim().min(1).max(2_000).describe("Address of a search result"),
});

/**
 * Opens a page behind a search result and returns the parts closest to the question. Only addresses
 * that a provider returned in this run are opened, so no document or page can send the agent
 * elsewhere.
 */
export function createWebFetchTool({
  fetchPage,
  resultUrls,
}: {
  fetchPage: FetchPage;
  resultUrls: ResultUrls;
}): AgentTool {
  return defineTool({
    name: WEB_FETCH_TOOL,
    description:
      "Reads a page that web_search found in this run, for when its text breaks off too early.",
    origin: "web",
    timeoutInMs: 15_000,
    args: fetchArgs,
    async run({ url }, { question, round, scope, signal }) {
      if (!resultUrls.has(scope.runId, url))
        throw new Error("web_fetch only opens addresses that web_search returned in this run");
      const page = await fetchPage(url, { signal });
      const { url: address, title, date } = page;
      const evidence = passagesNear(page, question).map((passage) =>
        evidenceFromResult(
          { url: address, title, date, ...passage },
          { tool: WEB_FETCH_TOOL, round },
        ),
      );
      const summary = `${counted(evidence.length, "passage")} of "${title.slice(0, 100)}"`;
      return { evidence, summary };
    },
  });
}

const MAX_RUNS = 200;
const MAX_URLS_PER_RUN = 100;

type ResultUrls = ReturnType<typeof createResultUrls>;

/** Remembers, in memory, the addresses that search providers returned in each run. */
export function createResultUrls() {
  const runs = new LRUCache<string, Set<string>>({ max: MAX_RUNS });
  return {
    add(runId: string, url: string): void {
      const urls = runs.get(runId) ?? new Set();
      runs.set(runId, urls);
      if (urls.size < MAX_URLS_PER_RUN) urls.add(withoutFragment(url));
    },
    has: (runId: string, url: string): boolean =>
      runs.get(runId)?.has(withoutFragment(url)) ?? false,
  };
}

/** A fragment is never sent; everything else must match exactly. */
function withoutFragment(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  parsed.hash = "";
  return parsed.href;
}

/** Turns a search result, or a passage of a page, into evidence. */
function evidenceFromResult(
  result: Omit<WebResult, "provider"> & BlockText & { provider?: string },
  by: FoundBy,
): Evidence {
  const { url, title, text, blocks, provider, date } = result;
  const source = { kind: "web" as const, url, provider, date };
  return makeEvidence({ id: evidenceId("web", url, text), text, blocks, title, source }, by);
}

/** Returns the parts of a page closest to the question, in page order, or else its beginning. */
function passagesNear({ text, blocks }: WebPage, question: string): BlockText[] {
  const passages = passagesOf({ ...(blocks && textOfBlocks(blocks)), text });
  const best = nearestFirst(passages, (passage) => passage.text, question).slice(0, PASSAGES);
  const near = best.filter(({ score }, rank) => score > 0 || rank === 0).map(({ item }) => item);
  return passages.filter((passage) => near.includes(passage));
}

/** Cuts at the end of a line if one is near, or else at a word. */
function passagesOf(page: BlockText): BlockText[] {
  const passages: BlockText[] = [];
  const max = MAX_EVIDENCE_CHARACTERS;
  for (let at = 0; at < page.text.length;) {
    const rest = page.text.slice(at);
    const lineEnd = rest.length > max ? rest.lastIndexOf("\n", max) : -1;
    const cut = cutText(rest, max, { atWord: true, ellipsis: "" });
    const end = at + Math.max(1, lineEnd > max / 2 ? lineEnd : cut.length);
    const passage = sliceBlocks(page, at, end);
    if (passage.text !== "") passages.push(passage);
    at = end;
  }
  return passages;
}
