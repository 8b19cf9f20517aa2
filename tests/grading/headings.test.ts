/** What a passage is about often stands above it: the judge reads the headings, too. */
import { describe, expect, it } from "@jest/globals";
import { judgedPassage, judgeEvidence } from "../../src/grading/judge/judge.js";

const passage = (headings: readonly string[]) => ({
  title: "Acme D200 drill",
  headings,
  text: "The chuck is not closed.",
});
const probability = (question: string, headings: readonly string[]): number =>
  judgeEvidence({ question, passages: [passage(headings)] }).set;

describe("headings above a passage", () => {
  it("speak for it where the question names them", () => {
    const question = "What does error code E07 mean?";
    expect(probability(question, ["Error codes", "E07"])).toBeGreaterThan(
      2 * probability(question, []),
    );
  });

  it("change nothing where the question does not", () => {
    const question = "How much does the drill weigh?";
    expect(probability(question, ["Error codes", "E07"])).toBe(probability(question, []));
  });

  it("come from the source of a file, without one that repeats the title", () => {
    const source = { kind: "file", path: "drill.md", heading: "Error codes > E07" } as const;
    expect(judgedPassage({ title: "Acme D200 drill", source, text: "" }).headings).toEqual([
      "Error codes",
      "E07",
    ]);
    expect(
      judgedPassage({ title: "E07", source: { ...source, heading: "E07" }, text: "" }).headings,
    ).toEqual([]);
    expect(
      judgedPassage({
        title: "Page",
        source: { kind: "web", url: "https://example.org" },
        text: "",
      }).headings,
    ).toEqual([]);
  });
});
