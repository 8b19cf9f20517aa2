import { describe, expect, it } from "@jest/globals";
import { cacheKey, createCache } from "../../src/retrieval/cache.js";

describe("the retrieval cache", () => {
  it("drops the least recently used entry when it is full", () => {
    const cache = createCache<number>({ maxEntries: 2 });
    cache.set("a", 1);
    cache.set("b", 2);
    cache.get("a");
    cache.set("c", 3);
    expect([cache.get("a"), cache.get("b"), cache.get("c"), cache.size]).toEqual([
      1,
      undefined,
      3,
      2,
    ]);
  });

  it("serves nothing that is older than its time, and forgets it", () => {
    let now = 0;
    const cache = createCache<number>({ ttlInMs: 10, now: () => now });
    cache.set("a", 1);
    now = 9;
    expect(cache.get("a")).toBe(1);
    now = 10;
    expect(cache.get("a")).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  it("keys by query and by version of the knowledge base", () => {
    expect(cacheKey("v1", "keyword", { query: "a" })).toBe(
      cacheKey("v1", "keyword", { query: "a" }),
    );
    expect(cacheKey("v1", "keyword", { query: "a" })).not.toBe(
      cacheKey("v2", "keyword", { query: "a" }),
    );
  });
});
