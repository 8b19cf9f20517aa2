import { expect, it } from "@jest/globals";
import { readPassageTerms, termScanner } from "../../src/retrieval/passage-terms.js";

function scan(wanted: readonly string[], passage: string) {
  const found: [string | undefined, number][] = [];
  const terms = readPassageTerms(passage);
  termScanner(wanted)(terms, (place, position) => found.push([wanted[place], position]));
  return { found, length: terms.sums.length };
}

it("finds whole terms at their positions, and counts all of them", () => {
  expect(scan(["pump", "c++"], "pump pumps a pump c++ c+")).toEqual({
    found: [
      ["pump", 0],
      ["pump", 3],
      ["c++", 4],
    ],
    length: 6,
  });
});

it("tells terms apart whose sums are the same", () => {
  // "Aa" and "BB" have the same sum, and so has each pair made of them.
  expect(scan(["AaBB", "BBBB"], "AaAa AaBB BBAa BBBB").found).toEqual([
    ["AaBB", 1],
    ["BBBB", 3],
  ]);
});

it("finds nothing for no terms, and terms of any script", () => {
  expect(scan([], "a b")).toEqual({ found: [], length: 2 });
  expect(scan(["水泵", "🐝"], "水 水泵 🐝").found).toEqual([
    ["水泵", 1],
    ["🐝", 2],
  ]);
});

it("reads a passage of any length, also after a longer one", () => {
  const long = Array.from({ length: 5_000 }, (_, n) => `t${n}`).join(" ");
  expect(scan(["t4999"], long)).toEqual({ found: [["t4999", 4_999]], length: 5_000 });
  expect(scan(["t4999", "a"], "a")).toEqual({ found: [["a", 0]], length: 1 });
  expect(scan(["a"], "")).toEqual({ found: [], length: 0 });
});
