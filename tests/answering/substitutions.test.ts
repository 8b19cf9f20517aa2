import { describe, expect, it } from "@jest/globals";
import { factOf, statementsOf } from "../../src/answering/figures.js";
import { substitutionsIn } from "../../src/answering/substitutions.js";

const near = [
  statementsOf(
    [
      "Store the paste below 5 degrees.",
      "The tower of Dunmore was designed by Anna Reed in 1871.",
      "Its lamp was lit by Tom Hale before the harbour opened.",
      "The Bureau of Labor Statistics counts the ships each year.",
    ].map((text) => factOf(text)),
  ),
];
const found = (claim: string): string[] => substitutionsIn(factOf(claim), near);

describe("a claim beside the sentence nearest to it", () => {
  it.each([
    ["Store the paste above 5 degrees.", "above: a source says below"],
    ["Its lamp was lit by Tom Hale after the harbour opened.", "after: a source says before"],
    ["The tower of Dunmore was designed by Bertram Reed in 1871.", "Bertram: a source says Anna"],
  ])("has another name or the opposite in its place: %s", (claim, doubt) =>
    expect(found(claim)).toEqual([doubt]),
  );

  it.each([
    ["the sentence itself", "Store the paste below 5 degrees."],
    ["other words for the same", "The paste is to be stored at less than 5 degrees."],
    ["a name from the sentence behind", "The tower of Dunmore was designed by Tom Hale in 1871."],
    ["a pronoun", "She designed the tower of Dunmore in 1871."],
    ["initials", "The BLS counts the ships each year."],
    ["a sentence that shares few words", "Above the harbour stands a tower by Bertram Mallory."],
    ["nothing", ""],
  ])("differs in no such way: %s", (_what, claim) => expect(found(claim)).toEqual([]));

  it("is compared with nothing where there is no source", () =>
    expect(substitutionsIn(factOf("Store it above 5 degrees."), [])).toEqual([]));
});
