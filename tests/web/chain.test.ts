import { afterEach, describe, expect, it } from "@jest/globals";
import { createWebSearch } from "../../src/web/chain.js";
import { createSearchApi } from "../../src/web/providers.js";
import { HttpError, type HttpFailure } from "../../src/support/json-client.js";
import type { WebResult, WebSearchProvider } from "../../src/web/search-provider.js";
import { createManualClock } from "../support/manual-clock.js";
import {
  KEY,
  startSearchServer,
  type Behaviour,
  type SearchServer,
} from "../support/search-servers.js";

const ROW = { title: "Found", url: "https://example.com/found", text: "What was looked for." };

type Step = WebResult[] | Error | "hang";

/** A provider that does what it is told, call by call; the last step stays. */
function scripted(name: string, ...steps: Step[]): WebSearchProvider & { calls: number } {
  const provider = {
    name,
    calls: 0,
    search: (): Promise<WebResult[]> => {
      const step = steps[Math.min(provider.calls, steps.length - 1)] ?? [];
      provider.calls += 1;
      if (step === "hang") return new Promise(() => undefined);
      return step instanceof Error ? Promise.reject(step) : Promise.resolve(step);
    },
  };
  return provider;
}

const results = (provider: string): WebResult[] => [{ ...ROW, provider }];
const error = (failure: HttpFailure, retryAfterInMs?: number): HttpError =>
  new HttpError(failure, `it is ${failure}`, { retryAfterInMs });
/** Lets everything happen that only waits for promises. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
};

describe("the order of providers", () => {
  it("asks only the first provider if it answers", async () => {
    const [first, second] = [
      scripted("first", results("first")),
      scripted("second", results("second")),
    ];
    const report = await createWebSearch({ providers: [first, second] }).search({
      query: "q",
      limit: 3,
    });
    expect(report).toMatchObject({
      provider: "first",
      cached: false,
      attempts: [{ provider: "first", outcome: "answered" }],
    });
    expect(second.calls).toBe(0);
  });

  it("goes on to the next after a failure or an empty answer, and reports each in order", async () => {
    const providers = [
      scripted("a", error("unauthorized")),
      scripted("b", []),
      scripted("c", results("c")),
    ];
    const report = await createWebSearch({ providers }).search({ query: "q", limit: 3 });
    expect(report.provider).toBe("c");
    expect(
      report.attempts.map(({ provider, outcome, message }) => [provider, outcome, message]),
    ).toEqual([
      ["a", "failed", "unauthorized: it is unauthorized"],
      ["b", "empty", undefined],
      ["c", "answered", undefined],
    ]);
  });

  it("keeps the valid results of a custom provider, and calls anything else a failure", async () => {
    const giving = (given: unknown): WebSearchProvider => ({
      name: "own",
      search: () => Promise.resolve(given as WebResult[]),
    });
    const chain = createWebSearch({
      providers: [giving({ rows: [] }), giving([null, { url: ROW.url, text: ROW.text }])],
    });
    const { results: found, attempts } = await chain.search({ query: "tea", limit: 3 });
    expect(found).toMatchObject([{ title: "example.com", text: ROW.text, provider: "own" }]);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(["failed", "answered"]);
    expect(attempts[0]?.message).toContain("no list of results");
  });

  it("reports that nobody answered instead of rejecting", async () => {
    const report = await createWebSearch({
      providers: [scripted("a", error("malformed")), scripted("b", new TypeError("a bug"))],
    }).search({ query: "q", limit: 3 });
    expect(report).toMatchObject({
      results: [],
      attempts: [{ outcome: "failed" }, { outcome: "failed", message: "malformed: a bug" }],
    });
    expect(report.provider).toBeUndefined();
  });

  it("gives an empty report without providers", async () => {
    expect(await createWebSearch({ providers: [] }).search({ query: "q", limit: 3 })).toEqual({
      results: [],
      attempts: [],
      cached: false,
    });
  });
});

describe("rests", () => {
  it("leaves a provider alone for as long as it asks", async () => {
    const clock = createManualClock();
    const long = scripted("long", error("rate_limited", 60_000), results("long"));
    const chain = createWebSearch({ providers: [long], clock });
    expect((await chain.search({ query: "q", limit: 3 })).attempts[0]).toMatchObject({
      outcome: "failed",
    });
    clock.advance(59_999);
    expect((await chain.search({ query: "q", limit: 3 })).attempts[0]).toMatchObject({
      outcome: "cooling_down",
    });
    clock.advance(1);
    expect((await chain.search({ query: "q", limit: 3 })).provider).toBe("long");
  });

  it("rests a provider longer for a refused key than for a rate limit", async () => {
    const clock = createManualClock();
    const provider = scripted("a", error("unauthorized"), results("a"));
    const chain = createWebSearch({
      providers: [provider],
      clock,
    });
    await chain.search({ query: "q", limit: 3 });
    clock.advance(599_999);
    expect((await chain.search({ query: "q", limit: 3 })).attempts[0]?.message).toBe(
      "rests for another 1 s: it is unauthorized",
    );
    expect(provider.calls).toBe(1);
  });
});

describe("the time limit", () => {
  it("ends a search that hangs, even in a provider that ignores its signal, and asks the next", async () => {
    const clock = createManualClock();
    const search = createWebSearch({
      providers: [scripted("a", "hang"), scripted("b", results("b"))],
      timeoutInMs: 3_000,
      clock,
    }).search({ query: "q", limit: 3 });
    await settle();
    clock.advance(3_000);
    expect(await search).toMatchObject({
      provider: "b",
      attempts: [
        { outcome: "failed", message: "timeout: no answer within 3 s" },
        { outcome: "answered" },
      ],
    });
  });
});

describe("the time limit of the whole search", () => {
  it("shortens the last provider's limit and reports providers that were not asked", async () => {
    const clock = createManualClock();
    const providers = [scripted("a", "hang"), scripted("b", "hang"), scripted("c", results("c"))];
    const search = createWebSearch({ providers, timeoutInMs: 3_000, clock }).search({
      query: "q",
      limit: 3,
      timeoutInMs: 5_000,
    });
    for (const wait of [3_000, 2_000]) {
      await settle();
      clock.advance(wait);
    }
    const report = await search;
    expect(report.attempts.map(({ message }) => message)).toEqual([
      "timeout: no answer within 3 s",
      "timeout: no answer within 2 s",
      "timeout: the search had no time left for it",
    ]);
    expect(providers[2]?.calls).toBe(0);
  });
});

describe("the circuit breaker", () => {
  it("opens after consecutive failures, lets one probe through after a rest, and closes when it succeeds", async () => {
    const clock = createManualClock();
    const failures = Array.from({ length: 4 }, () => error("malformed"));
    const provider = scripted("a", ...failures, results("a"));
    const chain = createWebSearch({ providers: [provider], clock });
    const ask = async (query: string): Promise<string | undefined> =>
      (await chain.search({ query, limit: 3 })).attempts[0]?.outcome;

    const first = [await ask("1"), await ask("2"), await ask("3"), await ask("4")];
    expect(first).toEqual(["failed", "failed", "failed", "open_circuit"]);
    expect(provider.calls).toBe(3);
    clock.advance(30_000);
    expect([await ask("5"), await ask("6")]).toEqual(["failed", "open_circuit"]);
    clock.advance(30_000);
    expect([await ask("6"), await ask("7")]).toEqual(["answered", "answered"]);
    expect(provider.calls).toBe(6);
  });

  it("does not count a cancelled search as a failure, and lets the next one probe", async () => {
    const clock = createManualClock();
    const failures = Array.from({ length: 3 }, () => error("malformed"));
    const provider = scripted("a", ...failures, "hang", results("a"));
    const chain = createWebSearch({ providers: [provider], clock });
    for (const query of ["a", "b", "c"]) await chain.search({ query, limit: 3 });
    clock.advance(30_000);
    const controller = new AbortController();
    const probe = chain.search({ query: "2", limit: 3, signal: controller.signal });
    await settle();
    controller.abort();
    await expect(probe).rejects.toMatchObject({ name: "AbortError" });
    await settle();
    expect((await chain.search({ query: "3", limit: 3 })).provider).toBe("a");
  });

  it("starts counting again after a success", async () => {
    const twice = [error("malformed"), error("malformed"), results("a")];
    const chain = createWebSearch({ providers: [scripted("a", ...twice, ...twice)] });
    const outcomes: (string | undefined)[] = [];
    for (const query of ["1", "2", "3", "4", "5", "6"])
      outcomes.push((await chain.search({ query, limit: 3 })).attempts[0]?.outcome);
    const course = ["failed", "failed", "answered"];
    expect(outcomes).toEqual([...course, ...course]);
  });
});

describe("the cool-down over all searches", () => {
  it("keeps any two searches apart, whichever provider they reach", async () => {
    const clock = createManualClock();
    const provider = scripted("a", results("a"));
    const chain = createWebSearch({ providers: [provider], coolDownInMs: 60_000, clock });
    const ask = async (question: string): Promise<string | undefined> =>
      (await chain.search({ query: question, limit: 3 })).attempts[0]?.outcome;
    const twelve = await Promise.all(Array.from({ length: 12 }, (_, index) => ask(`q${index}`)));
    expect(twelve.filter((outcome) => outcome === "cooling_down")).toHaveLength(11);
    clock.advance(59_999);
    expect(await ask("another")).toBe("cooling_down");
    clock.advance(1);
    expect(await ask("another")).toBe("answered");
    expect(provider.calls).toBe(2);
  });

  it("is none by default", async () => {
    const provider = scripted("a", results("a"));
    const chain = createWebSearch({ providers: [provider] });
    for (const query of ["1", "2", "3"]) await chain.search({ query, limit: 3 });
    expect(provider.calls).toBe(3);
  });
});

describe("the cache", () => {
  it("answers a repeated query until the entry expires", async () => {
    const clock = createManualClock();
    const provider = scripted("a", results("a"));
    const chain = createWebSearch({ providers: [provider], cacheTtlInMs: 1_000, clock });
    await chain.search({ query: "Some  query", limit: 3 });
    expect(await chain.search({ query: "some query ", limit: 3 })).toMatchObject({
      cached: true,
      provider: "a",
      results: results("a"),
      attempts: [],
    });
    expect(provider.calls).toBe(1);
    await chain.search({ query: "some query", limit: 5 });
    expect(provider.calls).toBe(2);
    clock.advance(1_001);
    await chain.search({ query: "some query", limit: 3 });
    expect(provider.calls).toBe(3);
  });

  it("does not keep failures or empty answers", async () => {
    const provider = scripted("a", [], error("malformed"), results("a"));
    const chain = createWebSearch({ providers: [provider] });
    for (const expected of [0, 0, 1])
      expect((await chain.search({ query: "q", limit: 3 })).results).toHaveLength(expected);
  });

  it("can be turned off", async () => {
    const provider = scripted("a", results("a"));
    const chain = createWebSearch({ providers: [provider], cacheTtlInMs: 0 });
    for (const calls of [1, 2]) {
      await chain.search({ query: "q", limit: 3 });
      expect(provider.calls).toBe(calls);
    }
  });

  it("drops the least recently used entry first", async () => {
    const provider = scripted("a", results("a"));
    const chain = createWebSearch({ providers: [provider] });
    const ask = (query: number) => chain.search({ query: `query ${query}`, limit: 3 });
    for (let query = 0; query <= 500; query += 1) await ask(query);
    expect(provider.calls).toBe(501);
    await ask(500);
    expect(provider.calls).toBe(501);
    await ask(0);
    expect(provider.calls).toBe(502);
  });
});

it("cancels the search with the caller, even in a provider that ignores its signal", async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const deaf: WebSearchProvider = {
    name: "a",
    search: ({ signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    },
  };
  const controller = new AbortController();
  const search = createWebSearch({ providers: [deaf] }).search({
    query: "q",
    limit: 3,
    signal: controller.signal,
  });
  await settle();
  controller.abort();
  await expect(search).rejects.toMatchObject({ name: "AbortError" });
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
});

describe("with servers that speak the real protocols", () => {
  const servers: SearchServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  const faults: [name: string, behaviour: Behaviour, message: RegExp][] = [
    ["401", "401", /unauthorized: .* answered 401/],
    ["402", "402", /quota: .* answered 402/],
    ["429", "429", /rate_limited: .* answered 429/],
    ["500", "500", /server: .* answered 500/],
    ["a hang", "hang", /timeout: no answer within 500 ms/],
    ["a cut connection", "cut", /network: .* could not be reached or was cut off/],
    ["HTML instead of JSON", "html", /malformed: .* answered with an HTML page/],
    ["JSON of another shape", "nonsense", /malformed/],
    ["an error object with status 200", "error_object", /Search failed/],
    ["ten megabytes of text", "ten_megabytes", /longer than/],
  ];

  it.each(faults)(
    "%s at Tavily: SearXNG answers, and the report says why",
    async (_name, behaviour, message) => {
      const [tavily, searxng] = await Promise.all([
        startSearchServer("tavily", behaviour),
        startSearchServer("searxng", { rows: [ROW] }),
      ]);
      servers.push(tavily, searxng);
      const providers = [
        createSearchApi("tavily", { apiKey: KEY, baseUrl: tavily.url }),
        createSearchApi("searxng", { baseUrl: searxng.url }),
      ];
      // Only what hangs is to run into the limit, however busy the machine is.
      const chain = createWebSearch({
        providers,
        timeoutInMs: behaviour === "hang" ? 500 : 20_000,
      });
      const report = await chain.search({ query: "q", limit: 3 });
      expect(report).toMatchObject({
        provider: "searxng",
        results: [{ title: "Found", provider: "searxng" }],
      });
      expect(report.attempts[0]).toMatchObject({
        provider: "tavily",
        outcome: "failed",
        message: expect.stringMatching(message),
      });
      expect(JSON.stringify(report)).not.toContain(KEY);
    },
  );

  it("retries once after a 500 and after a 429 with a short Retry-After", async () => {
    const tavily = await startSearchServer("tavily", "500", { rows: [ROW] });
    servers.push(tavily);
    const chain = createWebSearch({
      providers: [createSearchApi("tavily", { apiKey: KEY, baseUrl: tavily.url })],
    });
    expect((await chain.search({ query: "1", limit: 3 })).provider).toBe("tavily");
    tavily.behave({ tooMany: { retryAfter: "0" } }, { rows: [ROW] });
    expect((await chain.search({ query: "2", limit: 3 })).provider).toBe("tavily");
    expect(tavily.requests).toHaveLength(4);
  });

  it("never sends a refused key again", async () => {
    const tavily = await startSearchServer("tavily", "401");
    servers.push(tavily);
    const chain = createWebSearch({
      providers: [createSearchApi("tavily", { apiKey: KEY, baseUrl: tavily.url })],
    });
    await chain.search({ query: "1", limit: 3 });
    expect((await chain.search({ query: "2", limit: 3 })).attempts[0]).toMatchObject({
      outcome: "cooling_down",
    });
    expect(tavily.requests).toHaveLength(1);
  });
});
