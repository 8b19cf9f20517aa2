import { describe, expect, it } from "@jest/globals";
import { auc } from "../../evals/metrics.js";
import { macroF1 } from "../../evals/statistics.js";
import { pairedBootstrap } from "../../evals/paired-bootstrap.js";
import {
  containsAnswer,
  exactMatch,
  isHallucination,
  normaliseAnswer,
  qaMetrics,
  wordF1,
} from "../../evals/qa-metrics.js";

it("normalises as SQuAD does", () => {
  expect(normaliseAnswer("The  Eiffel-Tower, a “landmark”!")).toBe("eiffeltower landmark");
});

describe("metrics of one answer", () => {
  it("finds a gold answer as whole words within the first forty words only", () => {
    expect(containsAnswer("**1889** — It was completed in 1889. [1]", ["1889"])).toBe(true);
    expect(containsAnswer("It cost 18899 francs. [1]", ["1889"])).toBe(false);
    expect(containsAnswer(`${"word ".repeat(40)}1889`, ["1889"])).toBe(false);
    expect(containsAnswer(`${"word ".repeat(39)}1889`, ["1889"])).toBe(true);
    expect(containsAnswer("Anything", [""])).toBe(false);
  });

  it("compares the direct answer for EM and F1, else the first forty words", () => {
    expect(
      exactMatch("**the 10th century** — It began in the 10th century. [1]", ["10th century"]),
    ).toBe(true);
    expect(exactMatch("It began in the 10th century. [1]", ["10th century"])).toBe(false);
    expect(
      wordF1("**William of Normandy** — He came. [1]", ["William", "Duke William"]),
    ).toBeCloseTo(0.5);
    expect(wordF1("nothing", ["else"])).toBe(0);
  });
});

it("counts hallucinations among the answered and among all, and false answers among the unanswerable", () => {
  const right = {
    answer: "Paris. [1]",
    abstained: false,
    goldAnswers: ["Paris"],
    answerable: true,
  };
  const wrong = { ...right, answer: "London. [1]" };
  const withheld = { ...right, answer: "", abstained: true };
  const invented = { answer: "Rome. [1]", abstained: false, goldAnswers: [], answerable: false };
  const silent = { ...invented, abstained: true };
  expect([right, wrong, withheld, invented, silent].map(isHallucination)).toEqual([
    false,
    true,
    false,
    true,
    false,
  ]);
  const metrics = qaMetrics([right, wrong, withheld, invented, silent]);
  expect(metrics.answered_share).toBeCloseTo(3 / 5);
  expect(metrics.false_answer_rate).toBeCloseTo(1 / 2);
  expect(metrics.false_abstain_rate).toBeCloseTo(1 / 3);
  expect(metrics.hallucination_rate).toBeCloseTo(2 / 3);
  expect(metrics.hallucinated_share).toBeCloseTo(2 / 5);
  expect(metrics.contains).toBeCloseTo(1 / 3);
  expect(metrics.on_screen).toBeCloseTo(1 / 3);
  const shown = { ...withheld, passages: ["Of all cities Paris is the largest."] };
  expect(qaMetrics([right, wrong, shown]).on_screen).toBeCloseTo(2 / 3);
  expect(Object.values(qaMetrics([])).every((value) => value === 0)).toBe(true);
});

it("computes the area under the curve with ties, and an interval that is the same every time", () => {
  const items = [0.9, 0.8, 0.8, 0.1].map((score, index) => ({ score, positive: index < 2 }));
  expect(auc(items)).toBeCloseTo(3.5 / 4);
  // Called: two of two positives and one of two negatives.
  expect(macroF1(items, 0.8)).toBeCloseTo((4 / 5 + 2 / 3) / 2);
  const mean = (sample: readonly number[]): number =>
    sample.reduce((sum, value) => sum + value, 0) / sample.length;
  const values = Array.from({ length: 50 }, (_, index) => index % 5);
  const interval = pairedBootstrap(values, mean);
  expect(interval).toEqual(pairedBootstrap(values, mean));
  expect(interval.low).toBeLessThan(2);
  expect(interval.high).toBeGreaterThan(2);
});
