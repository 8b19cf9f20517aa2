import { describe, expect, it } from "@jest/globals";
import { questionParts } from "../../src/reasoning/rules/question-parts.js";

describe("two questions in one", () => {
  it.each([
    [
      "Who founded the Rowing Club and when did it close?",
      ["Who founded the Rowing Club?", "When did the Rowing Club close?"],
    ],
    [
      "When and where was Ada Lovelace born?",
      ["When was Ada Lovelace born?", "Where was Ada Lovelace born?"],
    ],
    ["How tall is the tower and how heavy?", ["How tall is the tower?", "How heavy is the tower?"]],
    [
      "When was the church built and by whom?",
      ["When was the church built?", "By whom was the church built?"],
    ],
    ["What is REFINE? And when does it happen?", ["What is REFINE?", "When does REFINE happen?"]],
    [
      "How often does the night ferry leave and how fast does it travel?",
      ["How often does the night ferry leave?", "How fast does the night ferry travel?"],
    ],
    [
      "Combien coûte l'entrée et qui a fondé le musée ?",
      ["Combien coûte l'entrée?", "Qui a fondé le musée?"],
    ],
    ["谁创办了茶园?门票多少钱?", ["谁创办了茶园?", "门票多少钱?"]],
  ])("%s", (question, parts) => expect(questionParts(question)).toEqual(parts));

  it("leaves a pronoun that stands for the answer, with the question that asks for it", () =>
    expect(questionParts("Who wrote the book and how old was he?")).toEqual([
      "Who wrote the book?",
      "How old was he? (Who wrote the book)",
    ]));

  it.each([
    "Who was the king who won the war and who built the tower?",
    "What is the difference between what and which?",
    "Which towns have a harbour and a station?",
    "When does the agent search again?",
    "",
  ])("leaves %j as it is", (question) => expect(questionParts(question)).toEqual([question]));
});

describe("a comparison", () => {
  it.each([
    [
      "Which is heavier, the stove or the tent?",
      ["How much does the stove weigh?", "How much does the tent weigh?"],
    ],
    [
      "Which of the oak and the lime tree is older?",
      ["How old is the oak?", "How old is the lime tree?"],
    ],
    [
      "Is the Stove cheaper than the Kettle?",
      ["How much does the Stove cost?", "How much does the Kettle cost?"],
    ],
    [
      "Was ist höher, der Turm oder der Saal?",
      ["Wie hoch ist der Turm?", "Wie hoch ist der Saal?"],
    ],
  ])("asks for both measures: %s", (question, parts) =>
    expect(questionParts(question)).toEqual(parts),
  );

  it.each([
    "Which is better, the stove or the tent?",
    "Which river is longer?",
    "Is the manager taller?",
  ])("is none that can be measured, or of two things: %s", (question) =>
    expect(questionParts(question)).toEqual([question]),
  );
});
