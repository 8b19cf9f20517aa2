import { describe, expect, it } from "@jest/globals";
import {
  bm25Scorer,
  inverseFrequency,
  proximityScorer,
  queryWeights,
  type CollectionStatistics,
} from "../../src/retrieval/lexical-ranking.js";
import { readPassageTerms } from "../../src/retrieval/passage-terms.js";

const terms = (text: string) => text.split(" ");

describe("BM25 of a passage", () => {
  it("is the sum that the formula gives, worked out by hand", () => {
    const statistics: CollectionStatistics = { passages: 10, averageLength: 4, frequency: () => 2 };
    const idf = Math.log(8.5 / 2.5);
    expect(inverseFrequency(statistics, "a")).toBeCloseTo(idf, 10);
    // tf 2, length 8: 2 · 2.2 / (2 + 1.2 · (0.25 + 0.75 · 2))
    const score = bm25Scorer(new Map([["a", 1]]), new Map([["a", idf]]), 4);
    expect(score(readPassageTerms("a b a c d e f g"))).toBeCloseTo(
      (idf * 2 * 2.2) / (2 + 1.2 * 1.75),
      10,
    );
    expect(score(readPassageTerms("b c"))).toBe(0);
  });

  it("never lets a term of most passages count against a passage", () => {
    expect(inverseFrequency({ passages: 10, averageLength: 4, frequency: () => 9 }, "a")).toBe(
      1e-6,
    );
  });

  it("counts a repeated word of the question up to three times", () => {
    expect([...queryWeights(terms("a b a a a a"))]).toEqual([
      ["a", 3],
      ["b", 1],
    ]);
  });
});

describe("nearness", () => {
  const inverse = new Map([
    ["float", 2],
    ["glass", 1],
  ]);
  const near = (text: string) =>
    proximityScorer(["float", "glass"], inverse, 10)(readPassageTerms(text));

  it("prefers neighbours in order to neighbours, and those to words far apart", () => {
    const inOrder = near("the float glass process x x x x x x");
    const reversed = near("the glass float process x x x x x x");
    const apart = near("float x x x glass x x x x x");
    expect(inOrder).toBeGreaterThan(reversed);
    expect(reversed).toBeGreaterThan(apart);
    expect(apart).toBeGreaterThan(0);
    expect(near("float x x x x x x x x glass")).toBe(0);
    expect(near("float float float")).toBe(0);
  });
});
