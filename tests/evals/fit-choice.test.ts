import { expect, it } from "@jest/globals";
import { fitChoice } from "../../evals/fit-choice.js";
import { linearScore } from "../../src/grading/logistic.js";

const option = (right: boolean, ...features: number[]) => ({ right, features: Float64Array.from(features) });

it("learns which feature tells the right option from the others of its question", () => {
  // The second feature differs between questions only, so it chooses nothing.
  const questions = Array.from({ length: 40 }, (_, index) => [
    option(true, 1, index % 7),
    option(false, 0, index % 7),
    option(false, 0.2, index % 7),
  ]);
  const model = fitChoice(questions, ["telling", "common"], 1);
  expect(model.features["telling"]?.weight).toBeGreaterThan(0.5);
  expect(model.features["common"]?.weight).toBeCloseTo(0, 6);
  expect(linearScore({ telling: 1, common: 3 }, model)).toBeGreaterThan(linearScore({ telling: 0, common: 3 }, model));
});

it("gives the same weights each time, and learns nothing from questions without a right option", () => {
  const questions = [
    [option(true, 1), option(false, 0)],
    [option(false, 1), option(false, 0)],
  ];
  expect(fitChoice(questions, ["x"], 1)).toEqual(fitChoice(questions, ["x"], 1));
  expect(fitChoice(questions, ["x"], 1)).toEqual(fitChoice(questions.slice(0, 1), ["x"], 1));
});
