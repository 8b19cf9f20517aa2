import { describe, expect, it } from "@jest/globals";
import { HttpError } from "../../src/support/json-client.js";
import type { RunSettings } from "../../src/settings/run-settings.js";
import type { ToolInput } from "../../src/tools/tool.js";
import {
  createResultUrls,
  createWebFetchTool,
  createWebSearchTool,
} from "../../src/tools/web-tools.js";
import { createWebSearch } from "../../src/web/chain.js";
import type {
  FetchPage,
  WebResult,
  WebSearch,
  WebSearchRequest,
} from "../../src/web/search-provider.js";
import { createTestScope, type TestScope } from "../support/test-scope.js";

const RESULTS: WebResult[] = [
  {
    title: "Edward Corser",
    url: "https://example.com/corser",
    text: "Edward Corser was an Australian politician.",
    date: "2024-01-02",
    provider: "fake",
  },
  {
    title: "Maryborough",
    url: "https://example.com/maryborough",
    text: "A city in Queensland.",
    provider: "fake",
  },
];

function inputWith(
  args: Record<string, unknown>,
  settings: Partial<RunSettings> = {},
): Omit<ToolInput, "scope"> & { scope: TestScope } {
  const scope = createTestScope({ runId: "run-1", settings, budget: settings.budget });
  return {
    args,
    question: "What was Edward Corser's occupation?",
    round: 1,
    scope,
    signal: scope.signal,
  };
}

function fakeSearch(results: WebResult[] = RESULTS): WebSearch & { requests: WebSearchRequest[] } {
  const requests: WebSearchRequest[] = [];
  return {
    providers: ["fake"],
    requests,
    search: (request) => {
      requests.push(request);
      const outcome = results.length > 0 ? "answered" : "empty";
      return Promise.resolve({
        results,
        ...(results.length > 0 && { provider: "fake" }),
        attempts: [{ provider: "fake", outcome }],
        cached: false,
      });
    },
  };
}

describe("web_search", () => {
  it("returns the results as ungraded evidence with address, provider and date", async () => {
    const { evidence, summary } = await createWebSearchTool({ webSearch: fakeSearch() }).run(
      inputWith({ query: "Edward Corser occupation" }),
    );
    expect(summary).toBe("2 results from fake");
    expect(evidence[0]).toMatchObject({
      title: "Edward Corser",
      source: {
        kind: "web",
        url: "https://example.com/corser",
        provider: "fake",
        date: "2024-01-02",
      },
      tool: "web_search",
      round: 1,
      scores: [],
      status: "ungraded",
    });
  });

  it("gives the same result the same id, and another text of the same page another", async () => {
    const run = async (text: string): Promise<string | undefined> => {
      const webSearch = fakeSearch([
        { title: "T", url: "https://example.com/", text, provider: "fake" },
      ]);
      return (await createWebSearchTool({ webSearch }).run(inputWith({ query: "q" }))).evidence[0]
        ?.id;
    };
    expect(await run("one")).toBe(await run("one"));
    expect(await run("one")).not.toBe(await run("two"));
  });

  it("names the query and the providers that answered, or did not, in its event", async () => {
    const failing = {
      name: "broken",
      search: () => Promise.reject(new HttpError("quota", "HTTP 402")),
    };
    const working = { name: "fake", search: () => Promise.resolve(RESULTS) };
    const input = inputWith({ query: "q" });
    const { summary } = await createWebSearchTool({
      webSearch: createWebSearch({ providers: [failing, working] }),
    }).run(input);
    expect(summary).toBe("2 results from fake, after broken failed");
    expect(input.scope.events).toEqual([
      {
        type: "web_search",
        query: "q",
        provider: "fake",
        count: 2,
        took_ms: expect.any(Number),
        cached: false,
        attempts: [
          { provider: "broken", outcome: "failed", message: "quota: HTTP 402" },
          { provider: "fake", outcome: "answered" },
        ],
      },
    ]);
    expect([...input.scope.causes]).toEqual([]);
  });

  it("fails with the cause web_error when no provider answered, and names each reason", async () => {
    const providers = [
      {
        name: "broken",
        search: () => Promise.reject(new HttpError("unauthorized", "HTTP 401 (check X)")),
      },
    ];
    const input = inputWith({ query: "q" });
    await expect(
      createWebSearchTool({ webSearch: createWebSearch({ providers }) }).run(input),
    ).rejects.toThrow("no search provider answered (broken: unauthorized: HTTP 401 (check X))");
    expect([...input.scope.causes]).toEqual(["web_error"]);
    expect(input.scope.events[0]).toMatchObject({ type: "web_search", count: 0 });
  });

  it("takes nothing found for an answer", async () => {
    const input = inputWith({ query: "q" });
    expect(await createWebSearchTool({ webSearch: fakeSearch([]) }).run(input)).toMatchObject({
      evidence: [],
      summary: "0 results",
    });
    expect([...input.scope.causes]).toEqual([]);
  });

  it("takes one search from the budget, and runs none if it is used up", async () => {
    const webSearch = fakeSearch();
    const tool = createWebSearchTool({ webSearch });
    const input = inputWith(
      { query: "q" },
      { budget: { modelCalls: 12, tokens: 1_000, seconds: 60, webSearches: 1 } },
    );
    await tool.run(input);
    expect(input.scope.budget.spent.web_searches).toBe(1);
    await expect(tool.run(input)).rejects.toMatchObject({ name: "BudgetExhaustedError" });
    expect(webSearch.requests).toHaveLength(1);
  });

  it("asks for as many results as the settings say, and refuses to ask without a query", async () => {
    const webSearch = fakeSearch();
    await createWebSearchTool({ webSearch }).run(
      inputWith({ query: "  a \n b " }, { webResults: 7 }),
    );
    expect(webSearch.requests[0]).toMatchObject({ query: "a b", limit: 7 });
    await expect(createWebSearchTool({ webSearch }).run(inputWith({ query: " " }))).rejects.toThrow(
      "argument query is not valid",
    );
    expect(webSearch.requests).toHaveLength(1);
  });

  it("caps the text of each piece of evidence", async () => {
    const webSearch = fakeSearch([
      { title: "T", url: "https://example.com/", text: "word ".repeat(3_000), provider: "fake" },
    ]);
    const { evidence } = await createWebSearchTool({ webSearch }).run(inputWith({ query: "q" }));
    expect(evidence[0]?.text.length).toBeLessThanOrEqual(2_000);
    expect(evidence[0]?.text).toMatch(/word…$/);
  });
});

describe("web_fetch", () => {
  const page = (url: string): ReturnType<FetchPage> =>
    Promise.resolve({
      url,
      title: "A page",
      text: "Edward Corser was a politician.",
      date: "2024-01-02",
    });

  it("opens what web_search returned in this run, and returns its passages as evidence", async () => {
    const resultUrls = createResultUrls();
    await createWebSearchTool({ webSearch: fakeSearch(), resultUrls }).run(
      inputWith({ query: "q" }),
    );
    const { evidence } = await createWebFetchTool({ fetchPage: page, resultUrls }).run(
      inputWith({ url: "https://example.com/corser#life" }),
    );
    expect(evidence).toMatchObject([
      {
        title: "A page",
        source: { kind: "web", date: "2024-01-02" },
        tool: "web_fetch",
        status: "ungraded",
      },
    ]);
  });

  it.each([
    "https://example.com/elsewhere",
    "https://attacker.com/?stolen=secret",
    "http://example.com/corser",
    "https://example.com/corser?x=1",
  ])("does not open %s, which no provider returned", async (url) => {
    const resultUrls = createResultUrls();
    resultUrls.add("run-1", "https://example.com/corser");
    const opened: string[] = [];
    const fetchPage: FetchPage = (target) => {
      opened.push(target);
      return page(target);
    };
    await expect(
      createWebFetchTool({ fetchPage, resultUrls }).run(inputWith({ url })),
    ).rejects.toThrow("only opens addresses that web_search returned");
    expect(opened).toEqual([]);
  });

  it("does not open what another run found", async () => {
    const resultUrls = createResultUrls();
    resultUrls.add("run-2", "https://example.com/corser");
    await expect(
      createWebFetchTool({ fetchPage: page, resultUrls }).run(
        inputWith({ url: "https://example.com/corser" }),
      ),
    ).rejects.toThrow();
  });
});

describe("the addresses that were found", () => {
  it("are bounded in runs and in addresses", () => {
    const urls = createResultUrls();
    const page = (number: number) => `https://example.com/${number}`;
    for (let number = 0; number <= 100; number += 1) urls.add("first", page(number));
    expect([urls.has("first", page(99)), urls.has("first", page(100))]).toEqual([true, false]);
    for (let run = 0; run < 200; run += 1) urls.add(String(run), page(0));
    expect(["first", "0", "199"].map((run) => urls.has(run, page(0)))).toEqual([false, true, true]);
  });
});
