import { describe, expect, it } from "@jest/globals";
import { memoize } from "../../src/support/cache.js";

/** Counts how often it was worked out. */
function counting(limits: { maxCharacters?: number; maxLength?: number } = {}) {
  const computed: string[] = [];
  const lengthOf = memoize({
    ...limits,
    compute: (text) => {
      computed.push(text);
      return text.length;
    },
  });
  return { lengthOf, computed };
}

describe("memoizing a function of a text", () => {
  it("computes a text once", () => {
    const { lengthOf, computed } = counting();
    expect([lengthOf("bees"), lengthOf("bees"), lengthOf("honey")]).toEqual([4, 4, 5]);
    expect(computed).toEqual(["bees", "honey"]);
  });

  it("drops the least recently used when the characters are used up", () => {
    const { lengthOf, computed } = counting({ maxCharacters: 8 });
    for (const text of ["aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb"]) lengthOf(text);
    expect(computed).toEqual(["aaaa", "bbbb", "cccc", "bbbb"]);
  });

  it("does not keep long texts", () => {
    const { lengthOf, computed } = counting({ maxLength: 3 });
    for (const text of ["aaaa", "bbb", "aaaa", "bbb"]) lengthOf(text);
    expect(computed).toEqual(["aaaa", "bbb", "aaaa"]);
  });

  it("keeps a result of undefined", () => {
    const computed: string[] = [];
    const nothing = memoize<undefined>({ compute: (text) => void computed.push(text) });
    nothing("bees");
    nothing("bees");
    expect(computed).toEqual(["bees"]);
  });
});
