import { expect, it } from "@jest/globals";
import { fitChoice, fitNone } from "../../evals/fit-choice.js";
import { linearScore } from "../../src/grading/logistic.js";

const option = (right: boolean, ...features: number[]) => ({
  right,
  features: Float64Array.from(features),
});

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
  expect(linearScore({ telling: 1, common: 3 }, model)).toBeGreaterThan(
    linearScore({ telling: 0, common: 3 }, model),
  );
});

it("gives the same weights each time, and learns nothing from questions without a right option", () => {
  const questions = [
    [option(true, 1), option(false, 0)],
    [option(false, 1), option(false, 0)],
  ];
  expect(fitChoice(questions, ["x"], 1)).toEqual(fitChoice(questions, ["x"], 1));
  expect(fitChoice(questions, ["x"], 1)).toEqual(fitChoice(questions.slice(0, 1), ["x"], 1));
});

it("lets a question count as often as is said", () => {
  const [one, other] = [
    [option(true, 1, 0), option(false, 0, 1)],
    [option(true, 0, 1), option(false, 1, 0)],
  ];
  const model = (...counts: number[]) =>
    fitChoice([one, other], ["x", "y"], 0.1, counts).features["x"]?.weight ?? 0;
  expect(model(1, 1)).toBeCloseTo(0, 6);
  expect(model(3, 1)).toBeGreaterThan(0.1);
  expect(model(3, 1)).toBeCloseTo(
    fitChoice([one, one, one, other], ["x", "y"], 0.1).features["x"]?.weight ?? 0,
    4,
  );
});

it("says that none of the options is right as often as none is", () => {
  const questions = Array.from({ length: 40 }, (_, index) => [
    option(index % 4 === 0, index % 4 === 0 ? 1 : 0.5),
    option(false, 0),
  ]);
  const model = fitNone(questions, ["x"], fitChoice(questions, ["x"], 1));
  const answered = questions.map((options) => {
    const odds = options.reduce(
      (sum, { features }) => sum + Math.exp(linearScore({ x: features[0] ?? 0 }, model)),
      0,
    );
    return odds / (1 + odds);
  });
  expect(answered.reduce((sum, p) => sum + p, 0)).toBeCloseTo(10, 3);
});
