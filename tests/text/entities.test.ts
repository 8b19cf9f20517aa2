import { describe, expect, it } from "@jest/globals";
import {
  extractDates,
  extractNames,
  extractNumbers,
  quotedPhrases,
} from "../../src/text/entities.js";
import { extractFigures } from "../../src/text/numbers.js";
import { HIGHEST_IDF, idf } from "../../src/text/background.js";
import { contentTerms } from "../../src/text/analyse.js";
import { countTokens, estimateTokens } from "../../src/text/tokens.js";

const plain = (text: string): string[] =>
  extractNumbers(text).map(({ value, unit }) => `${value} ${unit ?? ""}`.trim());
const dates = (text: string): unknown[] =>
  extractDates(text).map(({ year, month, day }) => [year, month, day]);
const names = (text: string): string[] => extractNames(text).map((name) => name.text);

describe("extractNumbers", () => {
  it("reads figures, scales, units and words", () => {
    expect(plain("330 m tall, 5 m. A tower of 12m")).toEqual(["330 m", "5 m", "12 m"]);
    expect(plain("$3.5m, 5M users, 1.2 m people")).toEqual(["3500000 $", "5000000", "1200000"]);
    expect(plain("It cost $3.5 million, 1,000,000 pounds or 50 percent")).toEqual([
      "3500000 $",
      "1000000 pound",
      "50 %",
    ]);
    expect(plain("twenty-two men and two hundred and fifty days")).toEqual(["22", "250 day"]);
    expect(plain("1.234.567 Einwohner, 3万人, ٢٥ كيلومتر")).toEqual([
      "1234567",
      "30000 人",
      "25 km",
    ]);
  });

  it("takes neither a version nor a time of day nor the pronoun one for a number", () => {
    expect(plain("version 1.2.3 at 12:30, one of them")).toEqual([]);
  });
});

describe("extractDates", () => {
  it("reads dates of several forms and languages once each", () => {
    expect(dates("January 2, 2022")).toEqual([[2022, 1, 2]]);
    expect(dates("2 January 2022")).toEqual([[2022, 1, 2]]);
    expect(dates("12. März 1999")).toEqual([[1999, 3, 12]]);
    expect(dates("1893年12月26日")).toEqual([[1893, 12, 26]]);
    expect(dates("2022-01-02 and 500 BC and the 1980s")).toEqual([
      [2022, 1, 2],
      [-500, undefined, undefined],
      [1980, undefined, undefined],
    ]);
  });

  it("leaves day and month open where 03/04/1999 could be either", () => {
    expect(dates("03/04/1999")).toEqual([[1999, undefined, undefined]]);
    expect(dates("31/12/1999")).toEqual([[1999, 12, 31]]);
  });
});

describe("extractNames", () => {
  it("keeps the small words inside a name and drops capitals that only start a sentence", () => {
    expect(
      names("In 1925 the University of Oxford met Ludwig van Beethoven. The dog slept."),
    ).toEqual(["University of Oxford", "Ludwig van Beethoven"]);
    expect(names("Apollo 11 landed. Dr. Smith saw it.")).toEqual(["Apollo 11", "Dr. Smith"]);
  });

  it("gives the place of each name", () => {
    const text = "When did Marie Curie's sister move to Paris?";
    for (const name of extractNames(text)) expect(text.slice(name.start, name.end)).toBe(name.text);
    expect(names(text)).toEqual(["Marie Curie", "Paris"]);
  });
});

it("finds quoted phrases of several styles and no apostrophes", () => {
  expect(quotedPhrases(`"hello you" and 'other one', “third”, 「四つ」; don't, isn't`)).toEqual([
    "hello you",
    "other one",
    "third",
    "四つ",
  ]);
});

it("weighs rare words higher than common ones and unknown ones highest", () => {
  const [film, parliament] = contentTerms("film parliament");
  expect(idf(film ?? "")).toBeLessThan(idf(parliament ?? ""));
  expect(idf("xqzzy")).toBe(HIGHEST_IDF);
});

it("estimates tokens near the encoder's count", async () => {
  const text = "Retrieved text is data: it never becomes an instruction.";
  const exact = await countTokens(text);
  expect(estimateTokens(text)).toBeGreaterThanOrEqual(exact * 0.8);
  expect(estimateTokens(text)).toBeLessThanOrEqual(exact * 2);
  expect(estimateTokens("北京大学成立于一八九八年")).toBeGreaterThanOrEqual(
    (await countTokens("北京大学成立于一八九八年")) * 0.8,
  );
});

it("finds figures without the numbers in words beside them", () => {
  const text = "Twenty-one ships carried 3.5 million tonnes over 12 km.";
  expect(extractFigures(text).map(({ value }) => value)).toEqual([3.5e6, 12]);
  expect(extractNumbers(text).map(({ value }) => value)).toEqual([21, 3.5e6, 12]);
});

it.each(["1 DE ENERO DE 2001", "44 BC", "44 B.C.", "2001年", "MÄRZ 1989", "31.12.1999"])(
  "finds the date in %s",
  (text) => {
    expect(extractDates(text)).toHaveLength(1);
  },
);
