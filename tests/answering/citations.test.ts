import { describe, expect, it } from "@jest/globals";
import { citedSentences, withoutMarkers } from "../../src/answering/citations.js";
import { languageMismatch, languageOf } from "../../src/answering/language.js";
import { isNoClaim } from "../../src/answering/no-claim.js";
import { plainText } from "../../src/answering/plain-text.js";

const markersOf = (answer: string): [string, number[]][] =>
  citedSentences(answer).map(({ text, markers }) => [text, markers]);

describe("citedSentences", () => {
  it("gives a marker to the sentence that it stands in or follows", () => {
    expect(markersOf("It is tall [1]. It is old. [2][3] It is grey [1, 4–6].")).toEqual([
      ["It is tall.", [1]],
      ["It is old.", [2, 3]],
      ["It is grey.", [1, 4, 5, 6]],
    ]);
  });

  it("lets a marker at the end speak for the sentences before it, but not across paragraphs", () => {
    expect(markersOf("One thing. Another thing. [2]\n\nA third thing.")).toEqual([
      ["One thing.", [2]],
      ["Another thing.", [2]],
      ["A third thing.", []],
    ]);
  });

  it("takes an index in code for what it is", () => {
    expect(markersOf("Use `items[3]` for the fourth. [1]")).toEqual([
      ["Use `items[3]` for the fourth.", [1]],
    ]);
  });

  it("keeps offsets that include the markers", () => {
    const answer = "It is tall. [1] Next one. [2]";
    expect(citedSentences(answer).map(({ start, end }) => answer.slice(start, end))).toEqual([
      "It is tall. [1]",
      "Next one. [2]",
    ]);
  });
});

it("strips markers", () => {
  expect(withoutMarkers("It is tall [1]. Old. [2, 3]")).toBe("It is tall. Old.");
});

it("strips markup and footnotes from quotations, but no code", () => {
  expect(plainText("## The **big** [tower](https://x.y)[7] of _Paris_ ![a](b.png) `a_b*c`")).toBe(
    "The big tower of _Paris_ a `a_b*c`",
  );
  expect(plainText("| PORT | 8080 |")).toBe("PORT – 8080");
});

it("tells remarks from claims", () => {
  for (const remark of [
    "The documents do not mention its weight.",
    "I could not find anything about it.",
    "Here are the steps:",
    "Why is that?",
    "Yes.",
  ]) {
    expect([remark, isNoClaim(remark)]).toEqual([remark, true]);
  }
  for (const claim of [
    "No Huguenots fled to Spain.",
    "The documents do not mention 42 cases.",
    "I could not find it, but the tower is tall.",
    "Based on the documents, it is tall.",
  ]) {
    expect([claim, isNoClaim(claim)]).toEqual([claim, false]);
  }
});

it("notices another language, and stays silent about what is too short to tell", () => {
  expect(languageOf("Der Turm ist in Paris und er wurde im Jahr 1889 von der Firma gebaut.")).toBe(
    "German",
  );
  expect(languageOf("東京は日本の首都です。")).toBe("Japanese");
  expect(languageOf("Москва является столицей России")).toBe("Cyrillic");
  expect(languageOf("1889")).toBeUndefined();
  expect(
    languageMismatch("Paris.", ["The tower is in the city of Paris and was built for the fair."]),
  ).toBeUndefined();
});
