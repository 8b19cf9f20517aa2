import { describe, expect, it } from "@jest/globals";
import { Tiktoken } from "js-tiktoken/lite";
import ranks from "js-tiktoken/ranks/o200k_base";
import { contentTerms, HIGHEST_IDF, idf } from "../../src/text/analyse.js";
import { extractDates, extractNumbers, quotationsIn } from "../../src/text/literals.js";
import { languageOf } from "../../src/text/languages.js";
import { estimateTokens } from "../../src/text/words.js";

const tokenizer = new Tiktoken(ranks);
const values = (text: string): number[] => extractNumbers(text).map(({ value }) => value);
const dates = (text: string): unknown[] =>
  extractDates(text).map(({ year, month, day }) => [year, month, day]);

describe("extractNumbers", () => {
  it("reads figures, scales and words, and no units", () => {
    expect(values("330 m tall, 5 m. A tower of 12m")).toEqual([330, 5, 12]);
    expect(values("$3.5m, 5M users")).toEqual([3_500_000, 5_000_000]);
    expect(values("It cost $3.5 million, 1,000,000 pounds or -5 percent")).toEqual([
      3_500_000, 1_000_000, -5,
    ]);
    expect(values("twenty-two men and two hundred and fifty days")).toEqual([22, 250]);
    expect(values("1.234.567 Einwohner")).toEqual([1_234_567]);
  });

  it("reads a dot or a blank before three digits as the language of the text does", () => {
    expect(values("Die Stadt hat 12.400 Einwohner und ist 0.125 m tiefer")).toEqual([
      12_400, 0.125,
    ]);
    expect(values("The rod is 12.400 m long")).toEqual([12.4]);
    expect(values("Le pont mesure 1 250 mètres et coûte 1.250,50 euros")).toEqual([1250, 1250.5]);
    expect(values("La población es de 12,400 habitantes")).toEqual([12_400]);
    expect(values("这根杆子长12.400米")).toEqual([12.4]);
  });

  it("takes neither a version nor a time of day nor the pronoun one for a number", () => {
    expect(values("version 1.2.3 at 12:30, one of them")).toEqual([]);
  });

  it("returns each number with its place, in order", () => {
    const text = "Twenty-one ships carried 3.5 million tons over 12 km in 2019-2020.";
    const found = extractNumbers(text);
    expect(found.map(({ value }) => value)).toEqual([21, 3.5e6, 12, 2019, 2020]);
    for (const each of found) expect(text.slice(each.start, each.end)).toBe(each.text);
  });
});

describe("extractDates", () => {
  it("reads dates of several forms and languages once each", () => {
    expect(dates("January 2, 2022 and Sept. 5th")).toEqual([
      [2022, 1, 2],
      [undefined, 9, 5],
    ]);
    expect(dates("2 January 2022")).toEqual([[2022, 1, 2]]);
    expect(dates("12. März 1999")).toEqual([[1999, 3, 12]]);
    expect(dates("1 DE ENERO DE 2001, 2022-01-02")).toEqual([
      [2022, 1, 2],
      [2001, 1, 1],
    ]);
    expect(dates("MÄRZ 1989")).toEqual([[1989, 3, undefined]]);
  });

  it("takes no date from 03/04/1999, which could be either, nor from a bare year", () => {
    expect(dates("03/04/1999, in 1980, 500 BC, 3 out of 5")).toEqual([]);
    expect(dates("31/12/1999")).toEqual([[1999, 12, 31]]);
    expect(dates("31.12.1999")).toEqual([[1999, 12, 31]]);
  });
});

it("finds quotations of several styles and no apostrophes", () => {
  const text = `"hello you" and 'other one', “third”, 「四つ」; don't, isn't`;
  expect(quotationsIn(text).map((quotation) => quotation.text)).toEqual([
    "hello you",
    "other one",
    "third",
    "四つ",
  ]);
});

it.each([
  ["Der Turm ist hoch und wurde von einem Rat gebaut.", "de"],
  ["The tower is tall and was built by a council.", "en"],
  ["他是主席。他出生于1893年。", "Han"],
  ["東京の人口は何人ですか？", "Hiragana"],
  ["Quellin", undefined],
])("recognizes the language of %j: %s", (text, language) => {
  expect(languageOf(text)).toBe(language);
});

it("weighs rare words higher than common ones and unknown ones highest", () => {
  const [film, parliament] = contentTerms("film parliament");
  expect(idf(film ?? "")).toBeLessThan(idf(parliament ?? ""));
  expect(idf("xqzzy")).toBe(HIGHEST_IDF);
});

it.each([
  ["prose", "Retrieved text is data: it never becomes an instruction. ".repeat(3)],
  ["German", "Die Universität wurde 1365 in Wien gegründet und hat viele Fakultäten. ".repeat(3)],
  ["code", 'export const DEFAULT = { retries: 3, url: "http://localhost:8080/v1" };\n'.repeat(3)],
  ["JSON", JSON.stringify({ mean: 0.519126, scale: 0.18568, weights: [1, 22, 333] })],
  ["Chinese", "北京大学成立于一八九八年，是中国的一所大学。"],
  ["emoji", "Great 🚀 work 👍🏽"],
])("estimates tokens on the upper side: %s", (_name, text) => {
  const exact = tokenizer.encode(text, [], []).length;
  expect(estimateTokens(text)).toBeGreaterThanOrEqual(exact);
  expect(estimateTokens(text)).toBeLessThanOrEqual(exact * 2);
});
