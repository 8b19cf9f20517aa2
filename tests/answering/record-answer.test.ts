import { describe, expect, it } from "@jest/globals";
import { questionFocus } from "../../src/answering/quoting/question-focus.js";
import { recordAnswer } from "../../src/answering/quoting/short-answer/record-answer.js";

const ROW =
  "sku: T-202; name: Ridge Tent 4P; category: Tents; price_eur: 379.00; stock: 3; note: Sold out; colour: orange";
const answerOf = (question: string): string | undefined =>
  recordAnswer(ROW, questionFocus(question))?.value;

describe("the answer in a row of a table", () => {
  it("is what stands in the column that the question names, also by a part of its name or a related word", () => {
    expect(answerOf("What colour is the Ridge Tent 4P?")).toBe("orange");
    expect(answerOf("What is the price of the Ridge Tent 4P?")).toBe("379.00");
    expect(answerOf("What does the Ridge Tent 4P cost?")).toBe("379.00");
  });

  it("is left open where no column is named, or several are", () => {
    expect(answerOf("How heavy is the Ridge Tent 4P?")).toBeUndefined();
    expect(answerOf("Which colour and price has the Ridge Tent 4P?")).toBeUndefined();
    expect(
      recordAnswer("The colour is orange.", questionFocus("What colour is it?")),
    ).toBeUndefined();
  });

  it("is left open where the question does not name the row", () => {
    expect(answerOf("Which products are out of stock?")).toBeUndefined();
    expect(answerOf("What stock is left?")).toBeUndefined();
  });

  it("is found at its place", () => {
    const field = recordAnswer(ROW, questionFocus("What colour is the tent?"));
    expect(ROW.slice(field?.start, field?.end)).toBe("orange");
  });
});
