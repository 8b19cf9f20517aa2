import { readFilter } from "../../src/settings/filter.js";
import { createSearchTool } from "../../src/tools/search-knowledge-base.js";
import { UserError } from "../../src/support/errors.js";
import { describe, expect, it } from "@jest/globals";
import { LRUCache } from "lru-cache";
import type { Hit } from "../../src/retrieval/knowledge-base.js";
import { MAX_EVIDENCE_CHARACTERS } from "../../src/tools/make-evidence.js";
import {
  knowledgeBaseTools,
  knowsDocuments,
  requireUniqueNames,
} from "../../src/assembly/toolbox.js";
import type { AgentTool } from "../../src/tools/tool.js";
import { createTestScope } from "../support/test-scope.js";
import { passage, stubKnowledgeBase } from "./stub-knowledge-base.js";

const hit = (id: string, value = 1): Hit => ({
  passage: passage(id),
  scores: [{ value, scale: "bm25", by: "fts5" }],
});
const call = (
  tool: AgentTool,
  args: Record<string, unknown>,
  scope = createTestScope({ settings: { rerank: "off" } }),
) => tool.run({ args, question: "the question", round: 1, scope, signal: scope.signal });

describe("the search tools", () => {
  it("turn hits into ungraded evidence with the passage's id, place and scores", async () => {
    const place = { path: "docs/a.md", startLine: 3, endLine: 9, heading: "A > B" };
    const knowledgeBase = stubKnowledgeBase({
      hits: { q: [{ ...hit("a"), passage: passage("a", place) }] },
    });
    const { evidence, summary } = await call(createSearchTool("keyword", { knowledgeBase }), {
      query: "q",
    });
    expect(evidence).toEqual([
      {
        id: "a",
        text: "text of a",
        title: "a",
        source: { kind: "file", path: "docs/a.md", start_line: 3, end_line: 9, heading: "A > B" },
        tool: "keyword_search",
        round: 1,
        scores: hit("a").scores,
        status: "ungraded",
      },
    ]);
    expect(summary).toBe("1 passage");
  });

  it("cut a text that is too long at a word", async () => {
    const knowledgeBase = stubKnowledgeBase({
      hits: { q: [{ ...hit("a"), passage: passage("a", { text: "many words ".repeat(1_000) }) }] },
    });
    const text =
      (await call(createSearchTool("keyword", { knowledgeBase }), { query: "q" })).evidence[0]
        ?.text ?? "";
    expect(text.length).toBeLessThanOrEqual(MAX_EVIDENCE_CHARACTERS);
    expect(text).toMatch(/(many|words)…$/);
  });

  it("merge several queries by reciprocal rank", async () => {
    const knowledgeBase = stubKnowledgeBase({
      hits: { one: [hit("a"), hit("b")], two: [hit("b"), hit("c")] },
    });
    const { evidence } = await call(createSearchTool("keyword", { knowledgeBase }), {
      query: "one",
      queries: ["two", "one"],
    });
    expect(evidence.map(({ id }) => id)).toEqual(["b", "a", "c"]);
    expect(knowledgeBase.requests).toHaveLength(2);
  });

  it("pass on a filter, and refuse a malformed one", async () => {
    const knowledgeBase = stubKnowledgeBase({ hits: { q: [hit("a")] } });
    const tool = createSearchTool("keyword", { knowledgeBase });
    const filter = "path = docs/ and kind = pdf and date >= 2026-01-01";
    expect((await call(tool, { query: "q", filter })).summary).toBe("1 passage");
    await call(tool, { query: "q", filter: null });
    expect(knowledgeBase.requests.map(({ request }) => request.filter)).toEqual([
      readFilter(filter),
      undefined,
    ]);
    await expect(call(tool, {})).rejects.toThrow("argument query is not valid");
    await expect(call(tool, { query: "q", filter: "date >= yesterday" })).rejects.toThrow(
      "the filter cannot be used: date is compared with a date",
    );
  });

  it("drop a filter that leaves nothing, and say so", async () => {
    const whole = stubKnowledgeBase({ hits: { q: [hit("a")] } });
    const search: typeof whole.search = async (mode, request) =>
      request.filter === undefined ? whole.search(mode, request) : [];
    const tool = createSearchTool("keyword", { knowledgeBase: { ...whole, search } });
    expect(await call(tool, { query: "q", filter: "team = hr" })).toMatchObject({
      evidence: [{ id: "a" }],
      summary: "1 passage, without the filter team = hr, which leaves none",
    });
  });

  it("fetch more if a reranker may choose", async () => {
    const knowledgeBase = stubKnowledgeBase();
    await call(createSearchTool("keyword", { knowledgeBase }), { query: "q" });
    await call(
      createSearchTool("keyword", { knowledgeBase }),
      { query: "q" },
      createTestScope({ settings: { rerank: "on" } }),
    );
    expect(knowledgeBase.requests.map(({ request }) => request.limit)).toEqual([5, 20]);
  });

  it("use keywords if the vectors of a hybrid search fail, warn, and try again the next time", async () => {
    const whole = stubKnowledgeBase({
      hits: { q: [hit("a")] },
      modes: ["hybrid", "keyword", "vector"],
    });
    const search: typeof whole.search = async (mode, request) => {
      const found = await whole.search(mode, request);
      if (mode !== "keyword") throw new Error("the embedding model refused the key");
      return found;
    };
    const scope = createTestScope({ settings: { rerank: "off" } });
    const tool = createSearchTool("hybrid", {
      knowledgeBase: { ...whole, search },
      cache: new LRUCache<string, Hit[]>({ max: 9 }),
    });
    expect(await call(tool, { query: "q" }, scope)).toMatchObject({
      cached: false,
      evidence: [{ id: "a" }],
    });
    expect(scope.warnings).toEqual([
      "hybrid search used keywords alone (the embedding model refused the key)",
    ]);
    await call(tool, { query: "q" }, scope);
    expect(whole.requests.map(({ mode }) => mode)).toEqual([
      "hybrid",
      "keyword",
      "hybrid",
      "keyword",
    ]);
    await expect(
      call(createSearchTool("vector", { knowledgeBase: { ...whole, search } }), { query: "q" }),
    ).rejects.toThrow("refused the key");
  });

  it("serve an identical search of an unchanged knowledge base from the cache, and say so", async () => {
    const knowledgeBase = stubKnowledgeBase({ hits: { q: [hit("a")] } });
    const tool = createSearchTool("keyword", {
      knowledgeBase,
      cache: new LRUCache<string, Hit[]>({ max: 9 }),
    });
    expect((await call(tool, { query: "q" })).cached).toBe(false);
    expect(await call(tool, { query: "q" })).toMatchObject({
      cached: true,
      evidence: [{ id: "a" }],
    });
    expect((await call(tool, { query: "q", filter: "path = x/" })).cached).toBe(false);
    expect(knowledgeBase.requests).toHaveLength(2);
  });

  it("search with hypothetical answers only if the settings ask for HyDE and the search has vectors", async () => {
    const knowledgeBase = stubKnowledgeBase();
    const options = { knowledgeBase, hypothesize: () => Promise.resolve(["an imagined answer"]) };
    const hyde = createTestScope({ settings: { hyde: true } });
    await call(createSearchTool("vector", options), { query: "q" }, hyde);
    await call(createSearchTool("hybrid", options), { query: "q" });
    await call(createSearchTool("keyword", options), { query: "q" }, hyde);
    expect(
      knowledgeBase.requests.map(({ mode, request }) => [mode, request.hypotheticals]),
    ).toEqual([
      ["vector", ["an imagined answer"]],
      ["hybrid", []],
      ["keyword", []],
    ]);
  });

  it("search with the question itself when no hypothetical answer can be had", async () => {
    const knowledgeBase = stubKnowledgeBase({ hits: { q: [hit("a")] } });
    const scope = createTestScope({ settings: { hyde: true } });
    const tool = createSearchTool("vector", {
      knowledgeBase,
      hypothesize: () => Promise.reject(new Error("no model")),
    });
    expect((await call(tool, { query: "q" }, scope)).evidence).toHaveLength(1);
    expect(scope.warnings[0]).toContain("no model");
  });
});

describe("the registry", () => {
  it("offers a search for each mode, and file tools only if documents are known", async () => {
    const bare = knowledgeBaseTools({
      canRead: await knowsDocuments(stubKnowledgeBase()),
      knowledgeBase: stubKnowledgeBase({ modes: ["hybrid", "keyword"] }),
      searchMode: "auto",
    });
    expect(bare.map(({ name }) => name)).toEqual([
      "hybrid_search",
      "keyword_search",
      "list_passages",
    ]);
    const documents = [
      { path: "a.md", hash: "1", kind: "markdown" as const, title: "a", bytes: 1 },
    ];
    const full = knowledgeBaseTools({
      canRead: await knowsDocuments(stubKnowledgeBase({ documents })),
      knowledgeBase: stubKnowledgeBase({ documents }),
      searchMode: "keyword",
    });
    expect(full.map(({ name }) => name)).toEqual([
      "keyword_search",
      "list_passages",
      "read_file",
      "grep_search",
      "query_table",
    ]);
  });

  it("takes a mode that cannot be served, and two tools of one name, for the user's mistakes", async () => {
    const knowledgeBase = stubKnowledgeBase();
    expect(() =>
      knowledgeBaseTools({ knowledgeBase, canRead: false, searchMode: "vector" }),
    ).toThrow(UserError);
    const tool = createSearchTool("keyword", { knowledgeBase });
    expect(() => requireUniqueNames([tool, tool])).toThrow("two tools named keyword_search");
  });
});
