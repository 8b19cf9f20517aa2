import { describe, expect, it } from "@jest/globals";
import { likeness, vectorOf } from "../../src/text/word-vectors.js";

function alike(one: string, other: string): number | undefined {
  const [a, b] = [vectorOf(one), vectorOf(other)];
  return a && b && likeness(a, b);
}

describe("word vectors", () => {
  it("find words alike that are used alike, whatever their letters", () => {
    expect(alike("author", "writer")).toBeGreaterThan(0.7);
    expect(alike("car", "vehicle")).toBeGreaterThan(alike("car", "banana") ?? 1);
    expect(alike("author", "authority")).toBeLessThan(0.4);
  });

  it("say nothing about words that they do not know", () => {
    expect(vectorOf("qdrant")).toBeUndefined();
    expect(vectorOf("schriftsteller")).toBeUndefined();
    expect(vectorOf("作者")).toBeUndefined();
  });

  it("find any word like itself, and either order the same", () => {
    expect(alike("river", "river")).toBeCloseTo(1, 12);
    expect(alike("river", "lake")).toBe(alike("lake", "river"));
  });

  it("give the same whichever word was asked for first", () => {
    const before = alike("physician", "doctor");
    for (const word of ["mountain", "winter", "engine"]) vectorOf(word);
    expect(alike("physician", "doctor")).toBe(before);
  });
});
