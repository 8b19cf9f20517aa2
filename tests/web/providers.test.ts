import { afterEach, describe, expect, it } from "@jest/globals";
import { createDuckDuckGo, createSearchApi, fromLangChainTool } from "../../src/web/providers.js";
import type { WebSearchProvider } from "../../src/web/search-provider.js";
import { isoDate } from "../../src/web/search-provider.js";
import {
  KEY,
  startSearchServer,
  type Behaviour,
  type Protocol,
  type SearchServer,
} from "../support/search-servers.js";

const ROWS = [
  {
    title: "Edward Corser",
    url: "https://en.wikipedia.org/wiki/Edward_Corser",
    text: "Edward Corser was an Australian politician.",
    date: "2024-11-12T08:00:00Z",
  },
  {
    title: "Maryborough",
    url: "https://example.org/maryborough#history",
    text: "A city in Queensland.",
  },
];

const servers: SearchServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(
  protocol: Protocol,
  ...behaviours: Behaviour[]
): Promise<{ server: SearchServer; provider: WebSearchProvider }> {
  const server = await startSearchServer(protocol, ...behaviours);
  servers.push(server);
  return { server, provider: providerFor(protocol, server.url) };
}

function providerFor(protocol: Protocol, url: string, key = KEY): WebSearchProvider {
  return createSearchApi(protocol, { apiKey: key, baseUrl: url });
}

const PROTOCOLS: Protocol[] = ["tavily", "searxng", "brave", "mediawiki"];

describe.each(PROTOCOLS)("%s", (protocol) => {
  it("turns its answer into results: title, address without fragment, plain text, date, provider", async () => {
    const { provider } = await start(protocol, { rows: ROWS });
    const results = await provider.search({ query: "edward corser", limit: 3 });
    expect(results).toHaveLength(2);
    expect(results[0]).toMatchObject({
      title: "Edward Corser",
      url: "https://en.wikipedia.org/wiki/Edward_Corser",
      date: "2024-11-12T08:00:00.000Z",
      provider: protocol,
    });
    expect(results[0]?.text).toContain("Edward Corser was an Australian politician.");
    expect(results[0]?.text).not.toMatch(/[<>]|&amp;/);
    expect(results[1]?.url).toBe("https://example.org/maryborough");
  });

  it("returns no more results than requested", async () => {
    const { provider } = await start(protocol, { rows: ROWS });
    expect(await provider.search({ query: "x", limit: 1 })).toHaveLength(1);
  });

  it("accepts an empty list as an answer", async () => {
    const { provider } = await start(protocol, "empty");
    expect(await provider.search({ query: "x", limit: 3 })).toEqual([]);
  });

  it("keeps the good row among rows with missing or wrong fields", async () => {
    const { provider } = await start(protocol, "missing_fields");
    const results = await provider.search({ query: "x", limit: 10 });
    expect(results.map(({ title }) => title)).toEqual(["The good one"]);
  });

  it.each([
    // Brave answers a wrong key as it answers a malformed query, with 422 and a line about the key.
    ["401", protocol === "brave" ? "rejected" : "unauthorized"],
    ["402", "quota"],
    ["429", "rate_limited"],
    ["500", "server"],
    ["cut", "network"],
    ["html", "malformed"],
    ["nonsense", "malformed"],
    ["redirect", "rejected"],
    ["ten_megabytes", "malformed"],
  ] as const)("names a failure: %s is %s", async (behaviour, failureKind) => {
    const { provider } = await start(protocol, behaviour);
    const error = await failure(provider);
    expect(error).toMatchObject({ name: "HttpError", failure: failureKind });
    expect(String(error)).not.toContain(KEY);
  });

  it("treats an error object with status 200 as a failure", async () => {
    const { provider } = await start(protocol, "error_object");
    expect(await failure(provider)).toMatchObject({ name: "HttpError" });
  });

  it("stops reading at its limit instead of buffering ten megabytes", async () => {
    const server = await startSearchServer(protocol, "ten_megabytes");
    servers.push(server);
    let read = 0;
    const counting: typeof fetch = async (...args) => {
      const response = await fetch(...args);
      const counted = response.body?.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            read += chunk.byteLength;
            controller.enqueue(chunk);
          },
        }),
      );
      return new Response(counted ?? null, response);
    };
    const http = { fetch: counting, maxBytes: 100_000 };
    const provider = createSearchApi(protocol, { apiKey: KEY, baseUrl: server.url, ...http });
    await failure(provider);
    expect(read).toBeLessThan(1_000_000);
  });

  it("gives up at once when cancelled", async () => {
    const { provider } = await start(protocol, "hang");
    const startedAt = Date.now();
    const error = await failure(provider, AbortSignal.timeout(50));
    expect(Date.now() - startedAt).toBeLessThan(8_000);
    expect(String(error)).toMatch(/cancelled|abort|timeout/i);
  });

  it("reports a refused connection", async () => {
    const { server, provider } = await start(protocol);
    await server.close();
    expect(await failure(provider)).toMatchObject({ failure: "network" });
  });
});

async function failure(provider: WebSearchProvider, signal?: AbortSignal): Promise<unknown> {
  return provider.search({ query: "x", limit: 3, signal }).then(
    (results) => {
      throw new Error(`expected a failure, got ${results.length} results`);
    },
    (error: unknown) => error,
  );
}

describe("what each provider demands", () => {
  const long = "keyword ".repeat(100);

  it("sends Tavily a bearer key and at most 400 characters", async () => {
    const { server, provider } = await start("tavily", { rows: ROWS });
    await provider.search({ query: long, limit: 3 });
    const body: unknown = JSON.parse(server.requests[0]?.body ?? "");
    expect(body).toMatchObject({ max_results: 3, query: "keyword ".repeat(50).trim() });
  });

  it("sends Brave at most 400 characters and 50 words", async () => {
    const { server, provider } = await start("brave", { rows: ROWS });
    await provider.search({ query: "a ".repeat(200), limit: 40 });
    expect(server.requests[0]?.url.searchParams.get("q")?.split(" ")).toHaveLength(50);
    expect(server.requests[0]?.url.searchParams.get("count")).toBe("20");
  });

  it("sends MediaWiki one request per search, with a User-Agent, within 300 characters", async () => {
    const { server, provider } = await start("mediawiki", { rows: ROWS });
    await provider.search({ query: long, limit: 3 });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers["user-agent"]).toMatch(/corrective-rag/);
  });

  it("uses MediaWiki's snippet for a page without introduction, and joins both otherwise", async () => {
    const { provider } = await start("mediawiki", {
      rows: ROWS.map((row, at) => (at === 0 ? { ...row, text: "" } : row)),
    });
    const [bare, whole] = await provider.search({ query: "x", limit: 3 });
    expect(bare).toMatchObject({ title: "Edward Corser", text: "found here" });
    expect(whole).toMatchObject({ text: "A city in Queensland.\n\u2026 found here \u2026" });
  });

  it("says which key to check", async () => {
    const { provider } = await start("tavily", "401");
    expect(String(await failure(provider))).toMatch(/check TAVILY_API_KEY/);
    const brave = await start("brave", "401");
    expect(String(await failure(brave.provider))).toMatch(/422: .*token/i);
  });
});

describe("a LangChain tool as a provider", () => {
  const row = { title: "T", link: "https://example.com/", snippet: "a <b>bold</b> claim" };

  it.each([
    ["a JSON list", JSON.stringify([row])],
    [
      "an object with results",
      { results: [{ url: row.link, title: row.title, content: row.snippet }] },
    ],
    ["a message with JSON in it", { content: JSON.stringify([row]) }],
    ["documents", [{ pageContent: row.snippet, metadata: { source: row.link, title: row.title } }]],
  ])("understands %s", async (_name, output) => {
    const provider = fromLangChainTool({ name: "any", invoke: () => Promise.resolve(output) });
    expect(await provider.search({ query: "q", limit: 3 })).toEqual([
      { title: "T", url: "https://example.com/", text: "a bold claim", provider: "any" },
    ]);
  });

  it("calls the tool in the form of its schema", async () => {
    const inputs: unknown[] = [];
    const invoke = (input: unknown): Promise<unknown> => {
      inputs.push(input);
      return Promise.resolve([]);
    };
    await fromLangChainTool({
      name: "structured",
      schema: { properties: { query: {} } },
      invoke,
    }).search({ query: "q", limit: 3 });
    await fromLangChainTool({ name: "plain", invoke }).search({ query: "q", limit: 3 });
    expect(inputs).toEqual([{ query: "q" }, "q"]);
  });

  it("treats an error returned as an object, as by TavilySearch, as a failure", async () => {
    const provider = fromLangChainTool({
      name: "any",
      invoke: () => Promise.resolve({ error: "Error 401: Unauthorized" }),
    });
    expect(await failure(provider)).toMatchObject({ failure: "unauthorized" });
  });

  it("treats prose as a failure, since it names no address", async () => {
    const provider = fromLangChainTool({
      name: "any",
      invoke: () => Promise.resolve("I found nothing of interest."),
    });
    expect(await failure(provider)).toMatchObject({ failure: "malformed" });
  });

  it("recognizes DuckDuckGo's complaint about speed as a rate limit", async () => {
    const invoke = (): Promise<never> =>
      Promise.reject(
        new Error(
          "DDG detected an anomaly in the request, you are likely making requests too quickly.",
        ),
      );
    const provider = createDuckDuckGo({ load: () => Promise.resolve({ search: invoke }) });
    expect(await failure(provider)).toMatchObject({ failure: "rate_limited" });
  });

  it("names the package to install for DuckDuckGo", async () => {
    const provider = createDuckDuckGo({
      load: () => Promise.reject(new Error("Cannot find package")),
    });
    expect(String(await failure(provider))).toMatch(/npm install duck-duck-scrape$/);
  });
});

describe("dates of results", () => {
  it.each([
    ["2024-11-12", "2024-11-12"],
    ["2024-11-12 08:00", "2024-11-12T08:00:00.000Z"],
    ["2024-11-12T08:00:00", "2024-11-12T08:00:00.000Z"],
    ["2024-11-12T08:00:00+02:00", "2024-11-12T06:00:00.000Z"],
    ["Tue, 12 Nov 2024 08:00:00 GMT", "2024-11-12T08:00:00.000Z"],
    ["12", undefined],
    ["Page 5", undefined],
  ])("%j is %j in any time zone", (written, date) => {
    expect(isoDate(written)).toBe(date);
  });
});
