import { describe, expect, it } from "@jest/globals";
import { cosine, similarity, vectorOf } from "../../src/text/word-vectors.js";

describe("word vectors", () => {
  it("find words alike that are used alike, whatever their letters", () => {
    expect(similarity("author", "writer")).toBeGreaterThan(0.7);
    expect(similarity("car", "vehicle")).toBeGreaterThan(similarity("car", "banana") ?? 1);
    expect(similarity("author", "authority")).toBeLessThan(0.4);
  });

  it("say nothing about words that they do not know", () => {
    expect(vectorOf("qdrant")).toBeUndefined();
    expect(similarity("writer", "schriftsteller")).toBeUndefined();
    expect(similarity("作者", "writer")).toBeUndefined();
  });

  it("find any word like itself, also an unknown one, and either order the same", () => {
    expect(similarity("qdrant", "qdrant")).toBe(1);
    expect(similarity("river", "lake")).toBe(similarity("lake", "river"));
    const river = vectorOf("river");
    expect(river && cosine(river, river)).toBeCloseTo(1, 12);
  });

  it("are whole numbers of four bits, of one length for all", () => {
    const { values, length } = vectorOf("river") ?? { values: [], length: 0 };
    expect(values).toHaveLength(100);
    expect(Math.max(...values)).toBeLessThanOrEqual(7);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(-7);
    expect(length).toBeGreaterThan(0);
  });
});
