import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { sentenceEnds } from "../../src/text/sentence-ends.js";

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
const endsOfSegmenter = (text: string) =>
  Array.from(segmenter.segment(text), ({ index, segment }) => index + segment.length);

/** What is cut differently, for a message that says where. */
const differences = (texts: readonly string[]) =>
  texts.filter((text) => String(sentenceEnds(text)) !== String(endsOfSegmenter(text)));

describe("the ends of sentences", () => {
  it("are those of Intl.Segmenter on the paragraphs of these docs", () => {
    const paragraphs = readdirSync("docs", { withFileTypes: true })
      .filter((entry) => entry.name.endsWith(".md"))
      .flatMap(({ name }) => readFileSync(`docs/${name}`, "utf8").split(/\s*\n\s*/u));
    expect(paragraphs.length).toBeGreaterThan(500);
    expect(differences(paragraphs)).toEqual([]);
  });

  it("are those of Intl.Segmenter on 20,000 texts of stops, quotes, brackets, spaces, digits and letters thrown together", () => {
    const alphabet = Array.from("aAbZéÉ...!?,;:-–\"'()[]“”’ \t  1 2x$%&*");
    let state = 1;
    const random = (below: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const texts = Array.from({ length: 20_000 }, () =>
      Array.from({ length: 1 + random(14) }, () => alphabet[random(alphabet.length)] ?? "").join(
        "",
      ),
    );
    expect(differences(texts)).toEqual([]);
  });

  it("do not lie inside numbers, initials and before a small letter", () => {
    expect(sentenceEnds("Version 3.14 of e.g. this is U.S. law. It holds.")).toEqual([39, 48]);
  });

  it("are found in other scripts too, and an empty text has none", () => {
    expect(sentenceEnds("他走了。她留下。")).toEqual([4, 8]);
    expect(sentenceEnds("هل ذهب؟ نعم.")).toEqual([8, 12]);
    expect(sentenceEnds("")).toEqual([]);
  });
});
