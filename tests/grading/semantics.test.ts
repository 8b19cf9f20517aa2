import { describe, expect, it } from "@jest/globals";
import { measure } from "../../src/grading/judge/features.js";
import { judgeEvidence } from "../../src/grading/judge/judge.js";
import { analyseQuestion } from "../../src/grading/judge/question.js";
import { plainWord, semanticMatches } from "../../src/grading/judge/semantics.js";
import { analyse } from "../../src/text/analyse.js";

const matchesOf = (terms: readonly (string | undefined)[], word: string) =>
  semanticMatches(terms)({ text: word, term: word.toLowerCase(), stop: false });
const setOf = (question: string, text: string): number =>
  judgeEvidence({ question, passages: [{ title: "", text }] }).set;

describe("semanticMatches", () => {
  it("counts a word for the term that is used like it, less than the term itself, and for no other", () => {
    const matches = matchesOf(["vessel", "religion"], "Ship");
    expect(matches.map(({ index }) => index)).toEqual([0]);
    expect(matches[0]?.credit).toBeGreaterThan(0.2);
    expect(matches[0]?.credit).toBeLessThanOrEqual(0.65);
  });

  it("says nothing of words that the table lacks, other languages among them", () => {
    expect(matchesOf(["vessel"], "Zugspitze")).toEqual([]);
    expect(matchesOf(["vessel"], "船")).toEqual([]);
    expect(matchesOf(["zugspitze", "船", undefined], "ship")).toEqual([]);
  });

  it("lets the words of a name and numbers stand for themselves alone", () => {
    const asked = analyseQuestion("How many rowers has Cambridge had since 1950?");
    const indexesFor = (word: string) =>
      analyse(word).flatMap((token) =>
        asked.usedAlike(token).map(({ index }) => asked.terms[index]?.term),
      );
    expect(indexesFor("Oxford")).not.toContain("cambridg");
    expect(indexesFor("1951")).not.toContain("1950");
  });

  it("reads a possessive as the word", () => {
    expect(plainWord("Ship’s")).toBe("ship");
    expect(plainWord("ship's")).toBe("ship");
    expect(plainWord("s")).toBe("s");
  });
});

describe("judgeEvidence", () => {
  it("finds evidence in words that are used like those of the question", () => {
    const question = "Which vessel carried the mission to Samoa?";
    const alike = setOf(question, "The mission went to Samoa on the ship Morning Star.");
    expect(alike).toBeGreaterThan(
      setOf(question, "The mission went to Samoa past the hill Morning Star.") + 0.02,
    );
    expect(alike).toBeLessThan(
      setOf(question, "The mission went to Samoa on the vessel Morning Star."),
    );
  });

  it("counts nearness to a word that only stands for the question's less than to the word itself", () => {
    const proximity = (text: string) =>
      measure("Which vessel carried the mission?", [{ title: "", text }]).set.proximity;
    const [itself, alike, none] = ["vessel", "ship", "hill"].map((word) =>
      proximity(`A ${word} carried it. The mission of the ${word} failed.`),
    );
    expect(alike).toBeLessThan(itself ?? 0);
    expect(alike).toBeGreaterThan(none ?? 1);
  });
});
