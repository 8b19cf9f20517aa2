import { describe, expect, it } from "@jest/globals";
import { joinAnswers } from "../../src/answering/quoting/join-answers.js";
import { isNoClaim } from "../../src/answering/no-claim.js";

const found = (text: string, confidence = 0.6) => ({ text, unanswerable: false, confidence });
const nothing = {
  text: "",
  unanswerable: true,
  reason: "no sentence of the evidence bears on the question",
  confidence: 0,
};

describe("the answers to the parts of a question", () => {
  it("stand one below the other, each with its own short answer", () =>
    expect(
      joinAnswers([
        found("**20 minutes** — It takes 20 minutes. [1]"),
        found("**every week** — It is done every week. [2]"),
      ]).text,
    ).toBe(
      "**20 minutes** — It takes 20 minutes. [1]\n\n**every week** — It is done every week. [2]",
    ));

  it("quote a sentence once that answers both", () =>
    expect(
      joinAnswers([
        found("**Ann Lee** — Ann Lee built it in 1954. [1]"),
        found("**1954** — Ann Lee built it in 1954. [1]"),
      ]).text,
    ).toBe("**Ann Lee; 1954** — Ann Lee built it in 1954. [1]"));

  it("say which part found nothing, and claim nothing by it", () => {
    const { text, unanswerable } = joinAnswers([
      found("**Ann Lee** — It was built by Ann Lee. [1]"),
      nothing,
    ]);
    expect(unanswerable).toBe(false);
    const remark = text.split("\n\n").at(-1) ?? "";
    expect(remark).toBe("I could not find an answer to the second part of the question.");
    expect(isNoClaim(remark)).toBe(true);
  });

  it("are none when no part found anything", () =>
    expect(joinAnswers([nothing, nothing])).toMatchObject({ unanswerable: true, text: "" }));
});
