import { expect, it } from "@jest/globals";
import { termScanner } from "../../src/retrieval/term-scanner.js";

function scan(wanted: readonly string[], passage: string) {
  const found: [string | undefined, number][] = [];
  const length = termScanner(wanted)(passage, (place, position) => found.push([wanted[place], position]));
  return { found, length };
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
