import { describe, expect, it } from "@jest/globals";
import { newTexts } from "../../src/retrieval/fusion.js";

/** Words drawn at random, the same for the same seed. */
function words(seed: number, count: number): string[] {
  let state = seed * 2654435761;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return `w${(state >>> 8) % 5003}`;
  });
}

const keep = (texts: readonly string[]) => texts.filter(newTexts());

describe("near-duplicate removal", () => {
  it("keeps the better ranked of two texts that differ in a word", () => {
    const first = words(1, 120);
    const second = first.with(60, "other");
    expect(keep([first.join(" "), second.join(" ")])).toEqual([first.join(" ")]);
  });

  it("ignores case, punctuation and line breaks", () => {
    expect(keep(["Honey is made by bees.", "honey  is made,\nby BEES"])).toEqual([
      "Honey is made by bees.",
    ]);
  });

  it("keeps texts that share half of their words", () => {
    const shared = words(1, 60);
    const texts = [[...shared, ...words(2, 60)].join(" "), [...shared, ...words(3, 60)].join(" ")];
    expect(keep(texts)).toEqual(texts);
  });

  it("keeps short texts that differ, and texts without words", () => {
    expect(keep(["yes", "no", "yes", "—", "—"])).toEqual(["yes", "no", "—", "—"]);
  });

  it("finds all near-duplicates among 400 passages and nothing else", () => {
    const originals = Array.from({ length: 200 }, (_, index) => words(index + 1, 100));
    const copies = originals.map((text) => text.with(50, "changed"));
    expect(keep([...originals, ...copies].map((text) => text.join(" "))).length).toBe(200);
  });
});
