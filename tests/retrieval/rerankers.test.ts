import { describe, expect, it } from "@jest/globals";
import type { Reranker } from "../../src/retrieval/knowledge-base.js";
import {
  httpReranker,
  type HttpRerankerOptions,
  readerReranker,
  rerankEvidence,
} from "../../src/retrieval/rerankers.js";
import { createReader } from "../../src/reader/create-reader.js";
import type { Evidence, Score } from "../../src/state/evidence.js";
import { scriptedFetch, type ScriptedAnswer } from "../support/scripted-fetch.js";
import { createTestScope } from "../support/test-scope.js";

const bm25 = (value: number): Score => ({ value, scale: "bm25", by: "fts5" });
const evidence = (): Evidence[] =>
  ["one", "two", "three"].map((text, index) => ({
    id: text,
    text,
    title: "",
    source: { kind: "tool", path: "t" },
    tool: "t",
    round: 0,
    status: "ungraded",
    scores: [bm25(9 - index)],
  }));
const fixed = (...scores: number[]): Reranker => ({
  name: "fixed",
  score: () => Promise.resolve(scores),
});
const run = async (
  reranker: Reranker,
  {
    items = evidence(),
    ...given
  }: Partial<Parameters<typeof createTestScope>[0]> & {
    items?: readonly Evidence[];
  } = {},
) => {
  const scope = createTestScope(given);
  const ordered = await rerankEvidence({ question: "q", evidence: items, reranker, scope });
  return { items: ordered, warnings: scope.warnings };
};

describe("reranking", () => {
  it("orders by the new score, puts it first with its scale, and keeps the others", async () => {
    const { items: ordered, warnings } = await run(fixed(0.1, 0.9, 0.5));
    expect(ordered.map(({ text }) => text)).toEqual(["two", "three", "one"]);
    expect(ordered[0]?.scores).toEqual([{ value: 0.9, scale: "rerank", by: "fixed" }, bm25(8)]);
    expect(warnings).toEqual([]);
  });

  it("keeps the old order among equals, and replaces an older rerank score", async () => {
    const once = await run(fixed(0.5, 0.5, 0.5));
    expect(once.items.map(({ text }) => text)).toEqual(["one", "two", "three"]);
    const twice = await run(fixed(0, 0, 1), { items: once.items });
    expect(twice.items[0]?.scores).toEqual([{ value: 1, scale: "rerank", by: "fixed" }, bm25(7)]);
  });

  it.each([
    [
      "rejects",
      { name: "broken", score: () => Promise.reject(new Error("endpoint down")) },
      /broken failed, the order is unchanged: endpoint down/,
    ],
    ["gives too few scores", fixed(0.1), /1 scores for 3 texts/],
    ["gives a score outside 0–1", fixed(0.1, 3, 0.2), /3 is outside/],
    ["gives no number", fixed(0.1, Number.NaN, 0.2), /NaN is outside/],
  ])("keeps the order and warns when the reranker %s", async (_name, reranker, warning) => {
    const result = await run(reranker);
    expect(result.items).toEqual(evidence());
    expect(result.warnings).toEqual([expect.stringMatching(warning)]);
  });

  it("does not mistake a cancelled run for a failing reranker", async () => {
    const reranker: Reranker = {
      name: "slow",
      score: async (_question, _texts, signal) => {
        signal?.throwIfAborted();
        return [];
      },
    };
    const signal = AbortSignal.abort(new Error("cancelled"));
    await expect(run(reranker, { signal })).rejects.toThrow("cancelled");
  });

  it("ends at its time limit, even for a reranker that ignores its signal", async () => {
    const reranker: Reranker = { name: "deaf", score: () => new Promise(() => undefined) };
    const settings = { toolTimeoutInMs: 20 };
    expect(await run(reranker, { settings })).toEqual({
      items: evidence(),
      warnings: ["Reranking with deaf failed, the order is unchanged: no answer within 20 ms"],
    });
  });

  it("does not call the reranker without evidence", async () => {
    const reranker: Reranker = {
      name: "never",
      score: () => Promise.reject(new Error("was asked")),
    };
    expect(await run(reranker, { items: [] })).toEqual({ items: [], warnings: [] });
  });
});

describe("the reader as a reranker", () => {
  it("scores each text by its relevance to the question, in 0–1", async () => {
    const reranker = readerReranker(createReader({ model: "lexical" }));
    const [near = 0, far = 1] = await reranker.score("How do bees survive the winter?", [
      "Bees survive the winter in a cluster.",
      "Glass is made of sand.",
    ]);
    expect(near).toBeGreaterThan(far);
    expect(near).toBeLessThanOrEqual(1);
    expect(far).toBeGreaterThanOrEqual(0);
  });
});

describe("HTTP rerankers", () => {
  const rerankerWith = (
    answers: readonly ScriptedAnswer[],
    options: Partial<HttpRerankerOptions> = {},
  ) => {
    const scripted = scriptedFetch(...answers);
    return {
      ...scripted,
      reranker: httpReranker({
        provider: "jina",
        apiKey: "key-1",
        initialDelayInMs: 1,
        fetch: scripted.fetch,
        ...options,
      }),
    };
  };
  const results = (...pairs: readonly [number, number][]) =>
    pairs.map(([index, relevance_score]) => ({ index, relevance_score }));

  it.each([
    [
      "voyage",
      "https://api.voyageai.com/v1/rerank",
      { data: results([1, 0.9], [0, 0.2]) },
      { top_k: 2, return_documents: false },
    ],
    [
      "cohere",
      "https://api.cohere.com/v2/rerank",
      { results: results([1, 0.9], [0, 0.2]) },
      { top_n: 2 },
    ],
    [
      "jina",
      "https://api.jina.ai/v1/rerank",
      { results: results([1, 0.9], [0, 0.2]) },
      { top_n: 2, return_documents: false },
    ],
  ] as const)("follow the protocol of %s", async (provider, url, body, extra) => {
    const { reranker, calls } = rerankerWith([{ body }], { provider, model: "m" });
    expect(await reranker.score("q", ["a", "b"])).toEqual([0.2, 0.9]);
    expect(calls[0]).toMatchObject({
      url,
      body: { model: "m", query: "q", documents: ["a", "b"], ...extra },
    });
    expect(calls[0]?.headers.get("authorization")).toBe("Bearer key-1");
    expect(reranker.name).toBe(`${provider}:m`);
  });

  it("wait as long as the server asks after 429, and retry after 5xx", async () => {
    const { reranker, calls } = rerankerWith([
      { status: 429, body: "", headers: { "retry-after": "0.05" } },
      { status: 503, body: "" },
      { body: { results: results([0, 0.5]) } },
    ]);
    const started = performance.now();
    expect(await reranker.score("q", ["a"])).toEqual([0.5]);
    expect(performance.now() - started).toBeGreaterThanOrEqual(48);
    expect(calls).toHaveLength(3);
  });

  it("give up after a time limit, a refusal or an invalid answer, without repeating the key", async () => {
    await expect(
      rerankerWith([{ never: true }], { timeoutInMs: 20, maxRetries: 0 }).reranker.score("q", [
        "a",
      ]),
    ).rejects.toThrow(/within 20 ms/);
    const refused = rerankerWith([{ status: 401, body: "bad key key-1" }]);
    await expect(refused.reranker.score("q", ["a"])).rejects.toThrow(/401: "bad key \[key\]"/);
    expect(refused.calls).toHaveLength(1);
    await expect(
      rerankerWith([{ body: { scores: [1] } }]).reranker.score("q", ["a"]),
    ).rejects.toThrow(/unknown form/);
  });

  it.each([
    [results([0, 0.5]), /1 scores do not match the 2 texts/],
    [results([0, 0.5], [0, 0.6]), /do not match/],
    [results([0, 0.5], [7, 0.6]), /do not match/],
  ])("reject scores that do not match the texts: %j", async (answer, message) => {
    await expect(
      rerankerWith([{ body: { results: answer } }]).reranker.score("q", ["a", "b"]),
    ).rejects.toThrow(message);
  });
});
