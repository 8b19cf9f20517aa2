import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  blocksOf,
  joinBlocks,
  readBlocks,
  sliceBlocks,
  type BlockText,
} from "../../src/text/passage-blocks.js";

const told = (passage: BlockText): [string, string][] =>
  blocksOf(passage).map(({ form, start, end }) => [form, passage.text.slice(start, end)]);

describe("the blocks of a passage", () => {
  it("are kept with it, each with its form and place", () => {
    const blocks = [
      { text: "### Limits", form: "heading" },
      { text: "They are:", form: "paragraph" },
      { text: "- by day\n  - at noon", form: "item" },
      { text: "10. by night", form: "item" },
      { text: "```\nrun\n```", form: "code" },
      { text: "day: Monday; limit: 3.", form: "row" },
      { text: "day: Sunday; limit: 0.", form: "row" },
    ] as const;
    const passage = joinBlocks(blocks);
    expect(passage.blocks).toBe("h0 p12 i25 i36 i48 c58 r71 r94");
    expect(told(passage)).toEqual([
      ["heading", "### Limits"],
      ["paragraph", "They are:"],
      ["item", "by day"],
      ["item", "at noon"],
      ["item", "by night"],
      ["code", "```\nrun\n```"],
      ["row", "day: Monday; limit: 3."],
      ["row", "day: Sunday; limit: 0."],
    ]);
  });

  it("are those that ingestion found, whatever the text looks like", () => {
    const text = "# no heading\n250. no item\n    no code";
    expect(told({ text, blocks: "p0" })).toEqual([["paragraph", text]]);
    expect(told({ text: "| no | table |", blocks: "p0" })).toEqual([
      ["paragraph", "| no | table |"],
    ]);
  });

  it("are read as Markdown where they are unknown, unreadable, or of a longer text", () => {
    const text = "# Limits\n\nThey are three.";
    const read = [
      ["heading", "# Limits"],
      ["paragraph", "They are three."],
    ];
    for (const blocks of [undefined, "", "x", "?0 ?9", "p400", "p-1", "p1.5"])
      expect(told({ text, blocks })).toEqual(read);
    expect(told({ text, blocks: "h0 p10 p300" })).toEqual(read);
    expect(told({ text: "" })).toEqual([]);
  });

  it("go with a part of the text, without the head of a table that is cut off", () => {
    const table = "| id | value |\n|---|---|\n| 1 | one |\n| 2 | two |";
    const whole = joinBlocks([
      { text: "Values:", form: "paragraph" },
      { text: table, form: "table" },
    ]);
    const from = whole.text.indexOf("| 1");
    expect(told(sliceBlocks(whole, from, whole.text.length))).toEqual([
      ["lines", "| 1 | one |\n| 2 | two |"],
    ]);
    expect(told(sliceBlocks(whole, 0, from))).toEqual([
      ["paragraph", "Values:"],
      ["table", "| id | value |\n|---|---|"],
    ]);
  });

  it("survive any letters and numbers from outside", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.string({ unit: fc.constantFrom(...Array.from("phictrl 0123456789-.e")) }),
        (text, blocks) => {
          for (const { start, end } of blocksOf({ text, blocks })) {
            expect(Number.isInteger(start)).toBe(true);
            expect(end).toBeGreaterThanOrEqual(start);
            expect(end).toBeLessThanOrEqual(text.length);
          }
        },
      ),
    );
  });
});

describe("a text of unknown origin", () => {
  it("is read as Markdown: headings, lists, code, tables", () => {
    const text =
      "# Title\n\nThey are:\n- [x] done\n- 3 left\n  goes on\n\n  More of it.\n\n~~~sh\n# run\n~~~\n\n" +
      "| a | b |\n|---|---|\n| 1 | 2 |\nRight below.\n\n> Said by\n> somebody.";
    expect(told({ text })).toEqual([
      ["heading", "# Title"],
      ["paragraph", "They are:"],
      ["item", "done"],
      ["item", "3 left\n  goes on"],
      ["paragraph", "More of it."],
      ["code", "~~~sh\n# run\n~~~"],
      ["table", "| a | b |\n|---|---|\n| 1 | 2 |"],
      ["paragraph", "Right below."],
      ["paragraph", "Said by\n> somebody."],
    ]);
  });

  it("keeps for text what only looks like Markdown", () => {
    const paragraphs = [
      "The limit for a trip is\n250. The card is blocked above.",
      "    An indented paragraph is no code.",
      "[1]: https://example.com/ is a source",
      "1889. The tower opened.",
      "The tower is tall.\n===",
      "A sentence above a rule.",
    ];
    for (const text of paragraphs) expect(told({ text })).toEqual([["paragraph", text.trim()]]);
    expect(told({ text: "A sentence above a rule.\n---\nAnother." })).toEqual([
      ["paragraph", "A sentence above a rule."],
      ["paragraph", "Another."],
    ]);
  });

  it("may be a list of another program, rows without a head, or values line by line", () => {
    expect(told({ text: "Bring:\n• a tent\n• a stove" }).slice(1)).toEqual([
      ["item", "a tent"],
      ["item", "a stove"],
    ]);
    expect(told({ text: "| tent | 3 |\n| stove | 1 |" })).toEqual([
      ["row", "| tent | 3 |"],
      ["row", "| stove | 1 |"],
    ]);
    // Bars in code make this head wider than its rule.
    expect(told({ text: "| `a|b` | c |\n|---|---|\n| 1 | 2 |" })).toHaveLength(1);
    expect(told({ text: "a|b\n-|-\n1|2\nText, then\n3|4" })).toEqual([
      ["table", "a|b\n-|-\n1|2"],
      ["paragraph", "Text, then\n3|4"],
    ]);
    expect(told({ text: "name: Tent; price: 3\nname: Stove; price: 1" })).toHaveLength(2);
  });

  it("loses no word and no order, however deep or odd its marks are", () => {
    const deep = `${"> ".repeat(300)}The last word.`;
    expect(told({ text: deep }).at(-1)?.[1]).toContain("The last word.");
    const pieces =
      "> |- |1. |1889. |# |``` |~~~|| a | b |||---|---|\n|\n\n|  |    |word|9|[1]: x|===|---|•";
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces.split("|"), "|", "\n", "\r\n")), (parts) => {
        const text = parts.join("");
        let reached = 0;
        for (const { start, end } of readBlocks(text)) {
          expect(start).toBeGreaterThanOrEqual(reached);
          // Marks of lists alone, such as "1.", are no words.
          expect(text.slice(reached, start)).not.toMatch(/word|x|1889/u);
          reached = end;
        }
        expect(text.slice(reached)).not.toMatch(/word|x|1889/u);
      }),
      { numRuns: 500 },
    );
  });

  it("takes time that grows with its length", () => {
    for (const piece of ["> ", "- ", "1. ", "| a ", "```\n", "# x\n", "a\n---\n", "  - b\n"]) {
      const started = performance.now();
      readBlocks(piece.repeat(12_000 / piece.length));
      expect(performance.now() - started).toBeLessThan(1_000);
    }
  });
});
