import { describe, expect, it } from "@jest/globals";
import type { CollectionStatistics } from "../../src/retrieval/lexical-ranking.js";
import { expansionTerms } from "../../src/retrieval/query-expansion.js";

const collection = (passages: readonly string[]): CollectionStatistics => {
  const sets = passages.map((text) => new Set(text.split(" ")));
  return {
    passages: passages.length,
    averageLength:
      passages.reduce((sum, text) => sum + text.split(" ").length, 0) / passages.length,
    frequency: (term) => sets.filter((set) => set.has(term)).length,
  };
};
const terms = (text: string) => text.split(" ");

describe("expansion", () => {
  const passages = [
    "heart attack infarction thrombolysis",
    "heart attack infarction stent",
    ...Array.from({ length: 60 }, (_, index) => `filler${index} common words here`),
    "infarction thrombolysis",
    "stent design",
  ];
  const statistics = collection(passages);
  const hits = (scores: readonly number[]) =>
    scores.map((score, index) => ({ terms: terms(passages[index] ?? ""), score }));

  it("gives weights that sum to 1, to terms of the first hits that are rare elsewhere", () => {
    const expansion = expansionTerms(hits([5, 5]), statistics);
    expect(expansion.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 10);
    expect(expansion.map(({ term }) => term)).toEqual(
      expect.arrayContaining(["infarction", "thrombolysis", "stent"]),
    );
    expect(expansion.map(({ term }) => term)).not.toContain("common");
  });

  it("listens to a hit that stands out, and hardly to the others", () => {
    const weight = (scores: readonly number[], wanted: string) =>
      expansionTerms(hits(scores), statistics).find(({ term }) => term === wanted)?.weight ?? 0;
    expect(weight([12, 5], "stent")).toBeLessThan(0.01);
    expect(weight([5, 5], "stent")).toBeGreaterThan(0.1);
  });

  it("looks up how rare a term is only while the term could still win, and many at a time", () => {
    const words = (from: string, count: number) =>
      Array.from({ length: count }, (_, at) => `${from}${at}`);
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
