import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import {
  citationMarkers,
  citedSentences,
  normalizeMarkers,
  withoutMarkers,
} from "../../src/answering/citations.js";

const named = (text: string): number[] =>
  citationMarkers(text).flatMap(({ numbers }) => [...numbers]);

/** How models write that they cite sources 1, or 1 and 2. Grow these lists. */
const ONE = [
  "[1]",
  "[^1]",
  "[^1^]",
  "[1, p. 3]",
  "【1】",
  "［1］",
  "[1†source]",
  "【1†source】",
  "【1†L3-L9】",
  "(Document 1)",
  "[Document 1]",
  "(document 1)",
  "[Doc 1]",
  "(Doc. 1)",
  "[Source 1]",
  "(Source 1)",
  "(source: 1)",
  "[Source: 1]",
  "[source #1]",
  "(Source no. 1)",
  "[Passage 1]",
  "(Reference 1)",
  "[Ref 1]",
  "[Ref. 1]",
  "(see Source 1)",
  "[see Document 1]",
  "（来源 1）",
  "【来源1】",
  "[Quelle 1]",
  "(Dokument 1)",
  "[Fuente 1]",
  "(Documento 1)",
  '(source id="1")',
  '<source id="1">',
  "[source id=1]",
];
const TWO = [
  "[1, 2]",
  "[1,2]",
  "[1; 2]",
  "[1][2]",
  "[1] [2]",
  "[1-2]",
  "[1–2]",
  "[1 and 2]",
  "[1 & 2]",
  "[^1][^2]",
  "【1】【2】",
  "【1, 2】",
  "(Sources 1 and 2)",
  "[source 1, source 2]",
  "[Source 1; Source 2]",
  '(source id="1", source id="2")',
  "(Documents 1, 2)",
  "[Sources 1-2]",
  "(Source 1)(Source 2)",
];
/** Where they put it: `@` stands for the marker. */
const PLACES = [
  "The tower is tall @.",
  "The tower is tall. @",
  "The tower is tall.@",
  "- The tower is tall @",
  "| tall | yes @ |",
  "In 1889 @ it was built.",
  "@ The tower is tall.",
  "**The tower** is tall @, and old.",
];

/** Brackets that cite nothing. */
const LEFT_ALONE = [
  "argv[2] is the file name.",
  "Use a[1] and b[2].",
  "matrix[1][2] is the cell.",
  "items[3].id is set.",
  "f(x)[1] returns it.",
  "process.argv[2] holds it.",
  "user_ids[1] = 4",
  "x[1] == y[2]",
  "row[2] += 1",
  "data[1] holds the name.",
  "A 401(k) plan.",
  "Section 501(c)(3) applies.",
  "It was founded in [1999].",
  "See (2004) for more.",
  "The interval [0, 1] is closed.",
  "A value in [0,5].",
  "[1](https://example.com)",
  "[the docs](https://example.com/1)",
  "![1](image.png)",
  "[[1]](https://example.com)",
  "[1]: https://example.com",
  "`items[3]` is code.",
  "``a[1] [2]`` is code.",
  "```js\nargs[2] [1]\n```",
  "~~~\nsee [1]\n~~~",
  "$x \\in [1,2]$ holds.",
  "\\(a_{[1]}\\) is a formula.",
  "$$\n[1] + [2]\n$$",
  "\\[1\\] is escaped.",
  "An array like arr[1].",
  "int c[10];",
  "const x = list[1];",
  "(a) first, (b) second",
  "step (1) and step (2)",
  "[x] done, [ ] open",
  "[sic] and [citation needed]",
  "[1.5] metres",
  "[10%] of them",
  "[ 1 ] is how evidence is fenced",
  "Document 1 says so.",
  "According to source 2, yes.",
  "(documented in 2)",
  "H[2]O",
  "Some 20 km^2^ or 10^6^ m^2^.",
  "It covers 20 square feet, or 2 metres^2^.",
  "The product is (a+b)^2^.",
  "The product is (a + 2b)^2^ times f(x)^3^.",
];

describe("citations in any style", () => {
  const one = ONE.flatMap((marker) => PLACES.map((place) => place.replace("@", () => marker)));
  it.each(one)("reads [1] in %j", (text) => expect(named(text)).toEqual([1]));

  const two = TWO.flatMap((marker) => PLACES.map((place) => place.replace("@", () => marker)));
  it.each(two)("reads [1] and [2] in %j", (text) => expect(named(text)).toEqual([1, 2]));

  it("reads the mark of a footnote with its colon", () => {
    expect(normalizeMarkers("It is tall.[^2]\n\n[^2]: A note.")).toBe(
      "It is tall.[2]\n\n[2] A note.",
    );
  });

  it.each(LEFT_ALONE)("leaves %j alone", (text) => {
    expect(citationMarkers(text)).toEqual([]);
    expect(normalizeMarkers(text)).toBe(text);
  });

  it.each([
    ["argv[2] [1].", [1]],
    ["argv[2] [1]", [1]],
    ["5 [1]", [1]],
    ["Yes [1].", [1]],
    ["It is tall[1].", [1]],
    ["It is tall[1][2].", [1, 2]],
    ["Built in 1889[1] by Eiffel[2].", [1, 2]],
    ["It costs $5 [1] and $6 [2].", [1, 2]],
    ["$AAPL rose [1].", [1]],
    ["Use `a[1]` [2].", [2]],
    ["YouTube[3].", [3]],
    ["The 401(k) is taxed [2].", [2]],
    ["All of it [1-3, 5].", [1, 2, 3, 5]],
    ["東京は首都です[1]。", [1]],
    ["“Quoted”[2].", [2]],
    ["(see above)[1]", [1]],
  ])("reads %j", (text, numbers) => expect(named(text)).toEqual(numbers));

  it("normalizes every style and changes nothing else", () => {
    expect(normalizeMarkers("A (Document 1). B【2†source】 `c[3]` argv[4] [^5].")).toBe(
      "A [1]. B[2] `c[3]` argv[4] [5].",
    );
  });

  it("reads a long hostile text in linear time", () => {
    for (const piece of ["[1, ", "(Source ", "[1†", "[[", "【1", "[^1"])
      expect(citationMarkers(piece.repeat(20_000))).toBeDefined();
  });
});

describe("citedSentences", () => {
  const markersOf = (answer: string): [string, number[]][] =>
    citedSentences(answer).map(({ text, markers }) => [text, [...markers]]);

  it("assigns a marker to the sentence that it stands in or follows", () => {
    expect(markersOf("It is tall [1]. It is old. [2][3] It is grey [1, 4–6].")).toEqual([
      ["It is tall.", [1]],
      ["It is old.", [2, 3]],
      ["It is grey.", [1, 4, 5, 6]],
    ]);
  });

  it("applies a marker to the sentences before it, but not across paragraphs", () => {
    expect(markersOf("One thing. Another thing. [2]\n\nA third thing.")).toEqual([
      ["One thing.", [2]],
      ["Another thing.", [2]],
      ["A third thing.", []],
    ]);
  });

  it("keeps what only looks like a marker as text", () => {
    expect(markersOf("Use `items[3]` and argv[2]. [1]")).toEqual([
      ["Use `items[3]` and argv[2].", [1]],
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

/** Answers as models wrote them; the data folder named by CRAG_DATA holds hundreds more. */
const WRITTEN = [
  "According to the passages, the tower is 330 metres tall (Passage 1), built 1887-1889.",
  "1. Preheat the oven to 375°F (190°C).\n2. Bake for 20 minutes.",
  "Yes, you can visit the law library.\n\nIt's open Monday [to] Friday, 9-5.",
];
const folder = join(process.env["CRAG_DATA"] ?? "no data", "answers");
const recorded = existsSync(folder)
  ? ["ragtruth-qa.jsonl", "mtrag.jsonl"].flatMap((file) =>
      readFileSync(join(folder, file), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => (JSON.parse(line) as { answer: string }).answer),
    )
  : [];

it("changes nothing in recorded answers but recognized citations", () => {
  for (const answer of [...WRITTEN, ...recorded]) {
    const markers = citationMarkers(answer);
    let [at, changed] = [0, ""];
    for (const { start, end, numbers } of markers) {
      expect(answer.slice(start, end)).toMatch(
        /^(?:[[【［(（]\^?\d|[[(【（［](?:see )?(?:source|document|doc|passage|ref))/iu,
      );
      changed += `${answer.slice(at, start)}[${[...new Set(numbers)].join(", ")}]`;
      at = end;
    }
    expect(normalizeMarkers(answer)).toBe(changed + answer.slice(at));
  }
});
