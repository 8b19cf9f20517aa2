import { describe, expect, it } from "@jest/globals";
import { normalizeMarkers } from "../../src/answering/citations.js";
import { createNumberedStream, createNumbering, numbered } from "../../src/answering/numbering.js";
import { foreignLinks } from "../../src/answering/links.js";

const sources = [1, 2, 3, 4, 5, 6, 7].map((marker) => ({ marker, id: `s${marker}` }));

describe("the numbers of an answer", () => {
  it("count from 1 in the order in which the answer names its sources, in text, citations and sources alike", () => {
    expect(
      numbered({
        text: "First. [7] Second. [3, 7] Third. [2]",
        citations: [7, 3, 7, 2].map((marker) => ({ marker, quote: `of ${marker}` })),
        sources: [2, 3, 7].map((marker) => ({ marker, id: `s${marker}` })),
      }),
    ).toEqual({
      text: "First. [1] Second. [2, 1] Third. [3]",
      citations: [
        { marker: 1, quote: "of 7" },
        { marker: 2, quote: "of 3" },
        { marker: 1, quote: "of 7" },
        { marker: 3, quote: "of 2" },
      ],
      sources: [
        { marker: 1, id: "s7" },
        { marker: 2, id: "s3" },
        { marker: 3, id: "s2" },
      ],
    });
  });

  it("leave alone what is code, and what names no source", () => {
    const text = "Take `items[7]`. [7] See [12].\n\n```js\nargs[2]\n```\n[2]";
    expect(numbered({ text, citations: [], sources }).text).toBe(
      "Take `items[7]`. [1] See [12].\n\n```js\nargs[2]\n```\n[2]",
    );
  });

  it("write out ranges, and name a source once in a group", () => {
    expect(numbered({ text: "All. [5-7] Again. [6,6]", citations: [], sources }).text).toBe(
      "All. [1, 2, 3] Again. [2]",
    );
  });

  it.each([
    ["All. [5][5] Again. [5] [5].", "All. [1] Again. [1]."],
    ["All. [5][6][5] Again.", "All. [1][2] Again."],
    ["All. [5] [6] [5, 6] Again.", "All. [1] [2] Again."],
    ["All. [5][6]\n[6] Again.", "All. [1][2]\n[2] Again."],
  ])("name a source once where they stand side by side: %j", (text, shown) => {
    expect(numbered({ text, citations: [], sources }).text).toBe(shown);
  });

  it("are the same in a stream, wherever it is cut", () => {
    const text =
      "First. [7][7] [7] Old.\n[5][6] [5] New. [5] [6] [5] Code `a[1]` and\n```\nb[2]\n```\nthen [3, 7], an open [ bracket and [1-2]";
    const sourcesOf = (): ReturnType<typeof createNumbering> =>
      createNumbering([1, 2, 3, 4, 5, 6, 7]);
    const whole = normalizeMarkers(text, sourcesOf().numberOf);
    for (const size of [1, 2, 3, 5, 8]) {
      const stream = createNumberedStream(sourcesOf());
      let out = "";
      for (let at = 0; at < text.length; at += size) out += stream.push(text.slice(at, at + size));
      expect(out + stream.end()).toBe(whole);
    }
    expect(whole).toContain("then [4, 1], an open [ bracket and [5, 6]");
  });

  it("come in whole sentences, each with its citations", () => {
    const stream = createNumberedStream(createNumbering([1, 7]));
    const pieces = ["It is 3", ".5 m tall", ". [7] It", " is old [1", "]. It", " stands."];
    expect([...pieces.map((piece) => stream.push(piece)), stream.end()]).toEqual([
      ...["", "", "It is 3.5 m tall. [1] ", "", "It is old [2]. ", "", "It stands."],
    ]);
  });

  it("that name no source are not shown in a stream", () => {
    const stream = createNumberedStream(createNumbering([7]));
    expect(stream.push("It is so [12] and so [7, 8]. ") + stream.end()).toBe(
      "It is so  and so [1]. ",
    );
  });

  it.each([
    ["one line without end", "It is so `a[1]` and $x$ so. [7] "],
    ["a code block", "```\nb[2] = c\n"],
    ["a formula without end", "$x + [1] "],
    ["text without spaces", "字。[7]"],
  ])("are the same in a stream of 20,000 characters: %s", (_, part) => {
    const text = `${part.repeat(Math.ceil(20_000 / part.length))}\n\`\`\`\n\nAt last. [3] https://e.example`;
    const sourcesOf = () => createNumbering([1, 2, 3, 4, 5, 6, 7]);
    const stream = createNumberedStream(sourcesOf(), ["https://e.example"]);
    let out = "";
    for (let at = 0; at < text.length; at += 7) out += stream.push(text.slice(at, at + 7));
    expect(out + stream.end()).toBe(normalizeMarkers(text, sourcesOf().numberOf));
  });

  it.each([
    "![i](https://evil.example/?d=1)* and on",
    "[1]: https://evil.example\nand on",
    "It is so. _https://evil.example/a(Source 3) and on",
    "https://evil.example/a![i](https://evil.example/b) and on",
    `![i](https://evil.example/${"a".repeat(2_000)}) and on`,
    "请看https://evil.example/a and on",
    "![i\nj](//evil.example/x) and on",
    "![i](\n//evil.example/x) and on",
    '<img alt=">" src=//evil.example/x> and on',
    "See ftp://evil.example and on",
    "See [this. And that](https://evil.example/a) and on. And on.",
    "See ![this. And that](//evil.example/a). And on.",
    '<img alt="A. B" src=//evil.example/x>. And on',
    "<div\n# a\nsrc=//evil.example/x>. And on",
    "See [a](\nhttps://evil.example/a). And on.",
  ])("let no foreign address through in a stream, wherever it is cut: %s", (text) => {
    for (let size = 1; size < 30; size += 1) {
      const stream = createNumberedStream(createNumbering([1, 2, 3]));
      let out = "";
      for (let at = 0; at < text.length; at += size) out += stream.push(text.slice(at, at + size));
      expect(out + stream.end()).not.toMatch(/(?<!`)(?:https?:|ftp:)|\]\(\s*\/\/|<img/);
    }
  });
});

it("finds links in a long hostile text in linear time", () => {
  for (const piece of ["![x](", "[x](a ", "<a ", "//a.", "a@"])
    expect(foreignLinks(piece.repeat(20_000), [])).toBeDefined();
});
