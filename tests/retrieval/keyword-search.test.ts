import { describe, expect, it } from "@jest/globals";
import { matchAny, termsAsCell } from "../../src/retrieval/sqlite/search.js";

describe("terms in the language of the full-text index", () => {
  it("quotes each term, so that nothing a user types is an operator", () => {
    expect(matchAny(["near", "c++", "or"])).toBe('"near" OR "c++" OR "or"');
    expect(matchAny(['a"b', "c d", "e\u0000f"])).toBe('"a_b" OR "c_d" OR "e_f"');
    expect(termsAsCell(['a"b', "", "c"])).toBe("a_b c");
  });

  it("counts a repeated term up to three times, and keeps both ends of a pasted text", () => {
    expect(matchAny(["a", "a", "a", "a", "b"])).toBe('"a" OR "a" OR "a" OR "b"');
    const many = Array.from({ length: 500 }, (_, n) => `t${n}`);
    expect(matchAny(many)?.split(" OR ")).toHaveLength(256);
  });

  it("has no query without terms", () => {
    expect(matchAny([])).toBeUndefined();
    expect(matchAny([""])).toBeUndefined();
  });
});
