import { expect, it } from "@jest/globals";
import { align } from "../../src/answering/quoting/alignment.js";
import { questionForm } from "../../src/answering/quoting/question-form.js";
import { analyse } from "../../src/text/analyse.js";

it("finds where a question lies along a sentence, and how well", () => {
  const sentence = analyse("In 1698 Thomas Savery built the first steam pump for mines.");
  const whole = align(analyse("built the first steam pump"), sentence);
  expect(sentence.slice(whole.first, whole.last + 1).map(({ text }) => text)).toEqual([
    "built",
    "the",
    "first",
    "steam",
    "pump",
  ]);
  expect(align(analyse("built the last steam pump"), sentence).score).toBeLessThan(whole.score);
  expect(align(analyse("pump steam first the built"), sentence).score).toBeLessThan(whole.score);
});

it("finds nothing where no word is shared", () => {
  expect(align(analyse("purple cats"), analyse("A dog barked."))).toEqual({
    score: 0,
    first: 0,
    last: -1,
  });
  expect(align([], [])).toMatchObject({ score: 0 });
});

it("takes words of one family for the same", () => {
  expect(align(analyse("governor"), analyse("government")).score).toBeGreaterThan(0);
});

it("reads how a question is built", () => {
  expect(questionForm("What did James Watt add to the engine?", [])).toMatchObject({
    asksForObject: true,
    asksForPart: true,
  });
  expect(questionForm("In what year was it built?", ["year"])).toMatchObject({
    preposition: "in",
    head: "year",
    asksForPart: true,
  });
  expect(questionForm("Which treaty ended the war?", [])).toMatchObject({
    head: "treati",
    asksForObject: false,
  });
  expect(
    ["Was kostet der Turm?", "Wer will die Namen?", "长城有多长？"].map(
      (question) => questionForm(question, []).isEnglish,
    ),
  ).toEqual([false, false, false]);
  expect(questionForm("Was it built in the north?", []).isEnglish).toBe(true);
  expect(questionForm("", [])).toMatchObject({ tokens: [], behind: [], asksForPart: false });
});
