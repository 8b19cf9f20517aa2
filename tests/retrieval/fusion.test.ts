import { describe, expect, it } from "@jest/globals";
import { fuseLegs, mergeByBest, reciprocalRankFusion } from "../../src/retrieval/fusion.js";
import type { Hit } from "../../src/retrieval/knowledge-base.js";
import type { Score } from "../../src/state/evidence.js";

const hit = (id: string, value: number, scale: Score["scale"] = "bm25"): Hit => ({
  passage: { id, text: id, title: id, path: `${id}.md`, kind: "markdown" },
  scores: [{ value, scale, by: scale }],
});
const ids = (hits: readonly Hit[]) => hits.map(({ passage }) => passage.id);

describe("the fusion of words and vectors", () => {
  /** A vector of length 1 with this cosine to the query's. */
  const withCosine = (found: Hit, cosine: number | undefined): Hit =>
    cosine === undefined
      ? found
      : { ...found, vector: Float32Array.of(cosine, Math.sqrt(1 - cosine ** 2)) };
  const fused = (cosines: Record<string, number>, near = [hit("d", 0.9, "cosine")]) =>
    fuseLegs(
      [hit("a", 10), hit("b", 5), hit("c", 1)].map((each) =>
        withCosine(each, cosines[each.passage.id]),
      ),
      near,
      [Float32Array.of(1, 0)],
      "m",
    );

  it("adds the share of the best BM25 and the cosine, 0.25 to 0.75", () => {
    const hits = fused({ a: 0.1, b: 0.8, c: 0.2, d: 0.9 });
    expect(hits.map(({ passage, scores }) => [passage.id, scores[0]?.value.toFixed(3)])).toEqual([
      ["b", "0.725"],
      ["d", "0.675"],
      ["a", "0.325"],
      ["c", "0.175"],
    ]);
    expect(hits[0]?.scores.map(({ scale }) => scale)).toEqual(["fusion", "bm25", "cosine"]);
  });

  it("counts a passage without a vector as near as the other keyword hits", () => {
    expect(ids(fused({ b: 0.5, c: 0.5, d: 0.9 }))).toEqual(["d", "a", "b", "c"]);
  });

  it("keeps the order of words if there are no vectors", () => {
    expect(ids(fused({}, []))).toEqual(["a", "b", "c"]);
  });
});

describe("reciprocal rank fusion", () => {
  it("adds 1 / (60 + rank) for each list that holds the passage", () => {
    const fused = reciprocalRankFusion([
      [hit("a", 9), hit("b", 8)],
      [hit("b", 0.9, "cosine"), hit("c", 0.8, "cosine")],
    ]);
    expect(ids(fused)).toEqual(["b", "a", "c"]);
    expect(fused[0]?.scores[0]).toEqual({ value: 1 / 62 + 1 / 61, scale: "fusion", by: "rrf" });
  });

  it("keeps each leg's score with its scale after the fused one", () => {
    const fused = reciprocalRankFusion([[hit("a", 9)], [hit("a", 0.7, "cosine")]]);
    expect(fused[0]?.scores.map(({ scale, value }) => [scale, value])).toEqual([
      ["fusion", 2 / 61],
      ["bm25", 9],
      ["cosine", 0.7],
    ]);
  });

  it("keeps the better of two scores of one kind, and counts a passage once per list", () => {
    const fused = reciprocalRankFusion([[hit("a", 3), hit("a", 2)], [hit("a", 5)]]);
    expect(fused).toHaveLength(1);
    expect(fused[0]?.scores).toEqual([
      { value: 2 / 61, scale: "fusion", by: "rrf" },
      { value: 5, scale: "bm25", by: "bm25" },
    ]);
  });

  it("does not change its input, and returns nothing for no lists", () => {
    const list = [hit("a", 1)];
    reciprocalRankFusion([list, list]);
    expect(list).toEqual([hit("a", 1)]);
    expect(reciprocalRankFusion([])).toEqual([]);
  });
});

describe("merging by best score", () => {
  it("keeps each passage once with its best score", () => {
    const merged = mergeByBest([
      [hit("a", 0.5, "cosine")],
      [hit("b", 0.6, "cosine"), hit("a", 0.9, "cosine")],
    ]);
    expect(merged.map(({ passage, scores }) => [passage.id, scores[0]?.value])).toEqual([
      ["a", 0.9],
      ["b", 0.6],
    ]);
  });
});
