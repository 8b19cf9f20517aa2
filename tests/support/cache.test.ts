import { describe, expect, it } from "@jest/globals";
import { createCache } from "../../src/support/cache.js";

describe("the cache", () => {
  it("drops the least recently used entry when it is full", () => {
    const cache = createCache<{ n: number }>({ maxEntries: 2 });
    cache.set("a", { n: 1 });
    cache.set("b", { n: 2 });
    cache.get("a");
    cache.set("c", { n: 3 });
    expect(["a", "b", "c"].map((key) => cache.get(key)?.n)).toEqual([1, undefined, 3]);
  });

  it("serves no outdated entry, and drops it", () => {
    let now = 0;
    const cache = createCache<{ n: number }>({ ttlInMs: 10, now: () => now });
    cache.set("a", { n: 1 });
    now = 9;
    expect(cache.get("a")).toEqual({ n: 1 });
    now = 11;
    expect(cache.get("a")).toBeUndefined();
  });

  it("keeps nothing without a time to live", () => {
    const cache = createCache<{ n: number }>({ ttlInMs: 0 });
    cache.set("a", { n: 1 });
    expect(cache.get("a")).toBeUndefined();
  });
});
