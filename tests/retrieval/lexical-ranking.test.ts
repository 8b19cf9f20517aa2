import { describe, expect, it } from "@jest/globals";
import {
  bm25Scorer,
  expansionTerms,
  inverseFrequency,
  proximityScorer,
  queryWeights,
  type CollectionStatistics,
} from "../../src/retrieval/lexical-ranking.js";

const collection = (passages: readonly string[]): CollectionStatistics => {
  const sets = passages.map((text) => new Set(text.split(" ")));
  return {
    passages: passages.length,
    averageLength: passages.reduce((sum, text) => sum + text.split(" ").length, 0) / passages.length,
    frequency: (term) => sets.filter((set) => set.has(term)).length,
  };
};
const terms = (text: string) => text.split(" ");

describe("BM25 of a passage", () => {
  it("is the sum that the formula gives, worked out by hand", () => {
    const statistics: CollectionStatistics = { passages: 10, averageLength: 4, frequency: () => 2 };
    const idf = Math.log(8.5 / 2.5);
    expect(inverseFrequency(statistics, "a")).toBeCloseTo(idf, 10);
    // tf 2, length 8: 2 · 2.2 / (2 + 1.2 · (0.25 + 0.75 · 2))
    const score = bm25Scorer(new Map([["a", 1]]), new Map([["a", idf]]), 4);
    expect(score(terms("a b a c d e f g"))).toBeCloseTo((idf * 2 * 2.2) / (2 + 1.2 * 1.75), 10);
    expect(score(terms("b c"))).toBe(0);
  });

  it("never lets a term of most passages count against a passage", () => {
    expect(inverseFrequency({ passages: 10, averageLength: 4, frequency: () => 9 }, "a")).toBe(1e-6);
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
  const near = (text: string) => proximityScorer(["float", "glass"], inverse, 10)(terms(text));

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

describe("expansion", () => {
  const passages = [
    "heart attack infarction thrombolysis",
    "heart attack infarction stent",
    ...Array.from({ length: 60 }, (_, index) => `filler${index} common words here`),
    "infarction thrombolysis",
    "stent design",
  ];
  const statistics = collection(passages);
  const hits = (scores: readonly number[]) => scores.map((score, index) => ({ terms: terms(passages[index] ?? ""), score }));

  it("gives weights that sum to 1, to terms of the first hits that are rare elsewhere", () => {
    const expansion = expansionTerms(hits([5, 5]), statistics);
    expect(expansion.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 10);
    expect(expansion.map(({ term }) => term)).toEqual(expect.arrayContaining(["infarction", "thrombolysis", "stent"]));
    expect(expansion.map(({ term }) => term)).not.toContain("common");
  });

  it("listens to a hit that stands out, and hardly to the others", () => {
    const weight = (scores: readonly number[], wanted: string) =>
      expansionTerms(hits(scores), statistics).find(({ term }) => term === wanted)?.weight ?? 0;
    expect(weight([12, 5], "stent")).toBeLessThan(0.01);
    expect(weight([5, 5], "stent")).toBeGreaterThan(0.1);
  });

  it("looks up how rare a term is only while the term could still win, and many at a time", () => {
    const words = (from: string, count: number) => Array.from({ length: count }, (_, at) => `${from}${at}`);
    const ranked = [
      { terms: words("strong", 60), score: 20 },
      { terms: words("weak", 60), score: 2 },
    ];
    const asked = new Set<string>();
    const together: number[] = [];
    const expansion = expansionTerms(ranked, {
      passages: 1_000,
      averageLength: 60,
      frequency: (term) => (asked.add(term), 3),
      prepare: (all) => together.push(all.length),
    });
    expect(expansion.map(({ term }) => term)).toEqual(words("strong", 50));
    expect([...asked].filter((term) => term.startsWith("weak"))).toEqual([]);
    expect(together[0]).toBe(50);
  });

  it("has nothing to add to no hits", () => {
    expect(expansionTerms([], statistics)).toEqual([]);
  });
});
