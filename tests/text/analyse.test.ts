import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { analyse, contentTerms, partsOf, searchTerms } from "../../src/text/analyse.js";

describe("analyse", () => {
  it.each([
    "c++",
    "c#",
    "3.14",
    "node.js",
    "snake_case",
    "--dry-run",
    "src/a/b.ts",
    "re_retrieve",
    "@langchain/core",
    "config.json",
    "1.2.3",
  ])("keeps %s whole", (word) => {
    expect(contentTerms(`Please look at ${word}, then go on.`)).toContain(word);
  });

  it("keeps camelCase and constants whole and lets a search find their parts", () => {
    expect(contentTerms("getUserName RE_RETRIEVE")).toEqual(["getusernam", "re_retrieve"]);
    expect(searchTerms("getUserName")).toEqual(["getusernam", "get", "user", "name"]);
    expect(searchTerms("RE_RETRIEVE")).toContain("retriev");
    expect(partsOf("XMLParser")).toEqual(["xml", "parser"]);
  });

  it("ends a file name before the full stop of the sentence and splits words glued by a missing space", () => {
    expect(contentTerms("See config.json. Then the film.The cast")).toEqual([
      "see",
      "config.json",
      "film",
      "cast",
    ]);
  });

  it("folds case and diacritics, so that café and CAFE are one term", () => {
    expect(contentTerms("Café")).toEqual(contentTerms("CAFE"));
    expect(contentTerms("Straße")).toEqual(contentTerms("strasse"));
  });

  it("takes 1,000 and 1000 as one number and leaves decimals alone", () => {
    expect(contentTerms("1,000,000 3.14")).toEqual(["1000000", "3.14"]);
  });

  it("distinguishes the country from the pronoun", () => {
    expect(contentTerms("the U.S. and the US told us")).toEqual(["usa", "usa", "told"]);
  });

  it("drops possessives and elisions", () => {
    expect(contentTerms("Ireland's l'amour O’Brien")).toEqual(["ireland", "amour", "obrien"]);
  });

  it("finds the words of Chinese, Japanese, German, Arabic and Hindi text", () => {
    expect(contentTerms("北京大学成立于哪一年？")).toEqual(
      expect.arrayContaining(["北京", "大学", "成立"]),
    );
    expect(contentTerms("東京タワーはいつ")).toContain("東京タワー");
    expect(contentTerms("Wer war der erste Bundeskanzler?")).toContain("bundeskanzl");
    expect(contentTerms("في القاهرة")).toEqual(contentTerms("القاهرة"));
    expect(contentTerms("भारत की राजधानी")).toContain("राजधानी");
  });

  it("finds a Korean word with and without its particle by character pairs", () => {
    const shared = searchTerms("대한민국의").filter((term) =>
      searchTerms("대한민국").includes(term),
    );
    expect(shared.length).toBeGreaterThanOrEqual(3);
  });

  it("returns tokens whose offsets match their text, in order and without overlap, for any text", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "grapheme" }),
          fc.string({ unit: fc.constantFrom(...Array.from("aB1._-/+#'’ 北京é@ا\n")) }),
        ),
        (text) => {
          let reached = 0;
          for (const token of analyse(text)) {
            expect(text.slice(token.start, token.end)).toBe(token.text);
            expect(token.start).toBeGreaterThanOrEqual(reached);
            expect(token.term).not.toBe("");
            reached = token.end;
          }
        },
      ),
    );
  });

  it("analyses long runs of Chinese in time that grows with their length", () => {
    const started = performance.now();
    analyse("北京大学成立于一八九八年".repeat(5_000));
    expect(performance.now() - started).toBeLessThan(60_000);
  });
});
