import { describe, expect, it } from "@jest/globals";
import type { Block } from "../../src/text/block.js";
import { blocksOf } from "../../src/text/passage-blocks.js";
import { sentences } from "../../src/text/sentences.js";
import { loadFile } from "../../src/formats/document-formats.js";
import { countWords } from "../../src/text/words.js";
import { split } from "../../src/ingest/split.js";
import type { DocumentRecord } from "../../src/retrieval/knowledge-base.js";

const record: DocumentRecord = { path: "a.md", hash: "h", kind: "markdown", title: "A", bytes: 1 };
const paragraph = (text: string, startLine = 1, headings: string[] = []): Block => ({
  text,
  headings,
  form: "paragraph",
  startLine,
  endLine: startLine + text.split("\n").length - 1,
});
const prose = (sentences: number, from = 0) =>
  Array.from(
    { length: sentences },
    (_, index) => `Sentence number ${index + from} has exactly eight words here.`,
  ).join(" ");

describe("splitting", () => {
  it("packs paragraphs under one heading into passages of about 120 to 250 words", () => {
    const passages = split(
      record,
      Array.from({ length: 30 }, (_, index) => paragraph(prose(5, index * 5), index * 2 + 1)),
    );
    for (const { text } of passages) {
      expect(countWords(text)).toBeGreaterThanOrEqual(120);
      expect(countWords(text)).toBeLessThanOrEqual(290);
    }
    expect(passages.map(({ text }) => text).join("\n\n")).toBe(
      Array.from({ length: 30 }, (_, index) => prose(5, index * 5)).join("\n\n"),
    );
    expect(passages[0]?.startLine).toBe(1);
    expect(passages.at(-1)?.endLine).toBe(59);
  });

  it("never joins long sections under different headings", () => {
    const passages = split(record, [
      paragraph(prose(3), 1, ["H1"]),
      paragraph(prose(3, 3), 3, ["H1", "H2"]),
    ]);
    expect(passages.map(({ heading, text }) => [heading, text])).toEqual([
      ["H1", prose(3)],
      ["H1 > H2", prose(3, 3)],
    ]);
  });

  it("joins a short section without a sentence to the one above it, with its heading", () => {
    const passages = split(record, [
      paragraph(prose(3), 1, ["Log"]),
      paragraph("- ErrorLog", 5, ["Log", "See also"]),
      paragraph("- Import of MT940", 9, ["Import", "MT940"]),
      paragraph("- Import of MT942", 13, ["Import", "MT942"]),
      paragraph(prose(3), 17, ["Import", "CSV"]),
    ]);
    expect(
      passages.map(({ heading, text, startLine, endLine }) => [heading, text, startLine, endLine]),
    ).toEqual([
      ["Log", `${prose(3)}\n\n### See also\n\n- ErrorLog`, 1, 5],
      ["Import", "### MT940\n\n- Import of MT940\n\n### MT942\n\n- Import of MT942", 9, 13],
      ["Import > CSV", prose(3), 17, 17],
    ]);
  });

  it("makes no passage of a single word, unless there is nothing else", () => {
    const page = (text: string, number: number): Block => ({ ...paragraph(text), page: number });
    const textsOf = (blocks: Block[]) => split(record, blocks).map(({ text }) => text);
    expect(textsOf([page("Contents", 1), page("Bees cluster.", 2), page("東京都", 3)])).toEqual([
      "Bees cluster.",
      "東京都",
    ]);
    expect(textsOf([page("Contents", 1)])).toEqual(["Contents"]);
  });

  it("cuts a long paragraph at sentence ends and gives each part its own lines", () => {
    const text = Array.from(
      { length: 60 },
      (_, index) => `Line ${index} of a long paragraph has ten words in it.`,
    ).join("\n");
    const passages = split(record, [paragraph(text, 11)]);
    expect(passages.length).toBeGreaterThan(2);
    for (const passage of passages) {
      const first = Number(/Line (\d+)/.exec(passage.text)?.[1]);
      expect(passage.startLine).toBe(11 + first);
      expect(passage.endLine).toBe((passage.startLine ?? 0) + passage.text.split("\n").length - 1);
      expect(passage.text.endsWith(".")).toBe(true);
    }
  });

  it("keeps a code block whole if it fits, and cuts a larger one between lines", () => {
    const code = (lines: number): Block => ({
      ...paragraph(
        Array.from({ length: lines }, (_, index) => `const v${index} = call(${index});`).join("\n"),
      ),
      form: "code",
    });
    expect(split(record, [code(90)])).toHaveLength(1);
    const parts = split(record, [code(400)]);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.map(({ text }) => text).join("\n")).toBe(code(400).text);
  });

  it("repeats the header of a table that must be cut", async () => {
    const rows = Array.from({ length: 200 }, (_, index) => `| ${index} | value ${index} |`);
    const { blocks } = await loadFile(
      "t.md",
      Buffer.from(["| id | value |", "| --- | --- |", ...rows].join("\n")),
    );
    const passages = split(record, blocks);
    expect(passages.length).toBeGreaterThan(1);
    for (const { text } of passages)
      expect(text.startsWith("| id | value |\n| --- | --- |\n")).toBe(true);
    expect(passages[1]?.text.split("\n")[2]).toBe(rows[(passages[1]?.startLine ?? 0) - 3]);
    expect(passages.at(-1)?.endLine).toBe(202);
  });

  it("keeps an announcement with what it announces", () => {
    const passages = split(record, [
      paragraph(prose(21)),
      paragraph("The limits are:", 3),
      { ...paragraph(prose(12), 5), form: "code" },
    ]);
    expect(passages).toHaveLength(2);
    expect(passages[1]?.text.startsWith("The limits are:")).toBe(true);
  });

  it("cuts text without any sentence end, and text without spaces", () => {
    expect(split(record, [paragraph("word ".repeat(1000).trim())]).length).toBeGreaterThan(3);
    expect(split(record, [paragraph("漢字".repeat(2000))]).length).toBeGreaterThan(3);
  });

  it("cuts encoded data too, and never through a character", () => {
    for (const text of ["QUJD".repeat(100_000), `${"x".repeat(399)}😀`.repeat(200)]) {
      const passages = split(record, [paragraph(text)]);
      const together = passages.map((passage) => passage.text.replace(/\s+/g, "")).join("");
      // Not `toBe`, which would print half a megabyte.
      expect(together === text).toBe(true);
      for (const passage of passages) {
        expect(passage.text.length).toBeLessThan(15_000);
        expect(passage.text).not.toMatch(/\p{Surrogate}/u);
      }
    }
  });

  it("gives every passage of a long paragraph its own lines", () => {
    const lines = Array.from(
      { length: 5_000 },
      (_, index) => `Line ${index + 1} of the log says that the pump is running well.`,
    );
    for (const { text, startLine, endLine } of split(record, [paragraph(lines.join("\n"), 10)])) {
      expect(startLine).toBe(9 + Number(/^Line (\d+) /.exec(text)?.[1]));
      expect((endLine ?? 0) - (startLine ?? 0)).toBe(text.split("\n").length - 1);
    }
  });

  it("keeps the blocks of plain text, which is no Markdown", async () => {
    const text =
      "# a comment\n    x = 1\n\nBring:\n- a tent\n2) a stove\n\nThe limit is\n250. It holds.";
    const { blocks } = await loadFile("a.txt", Buffer.from(text));
    const [passage] = split(record, blocks);
    if (passage === undefined) throw new Error("there is a passage");
    const told = blocksOf(passage).map(({ form, start, end }) => [
      form,
      passage.text.slice(start, end),
    ]);
    expect(told).toEqual([
      ["paragraph", "# a comment\n    x = 1"],
      ["paragraph", "Bring:"],
      ["item", "a tent"],
      ["item", "a stove"],
      ["paragraph", "The limit is\n250. It holds."],
    ]);
  });

  it("keeps the rows of a file of values whole", async () => {
    const csv = await loadFile("a.csv", Buffer.from("name,note\nTent,Light. Dry.\nStove,Hot."));
    const json = await loadFile("a.json", Buffer.from('{"port": 8080, "host": "Local. Only."}'));
    const formsOf = (blocks: Block[]) =>
      split(record, blocks).flatMap(({ text, blocks: kept }) => sentences(text, kept));
    expect(formsOf(csv.blocks).map(({ text }) => text)).toEqual([
      "name: Tent; note: Light. Dry.",
      "name: Stove; note: Hot.",
    ]);
    expect(formsOf(json.blocks).map(({ text }) => text)).toEqual([
      "port: 8080",
      "host: Local. Only.",
    ]);
  });

  it("gives the same passage the same id each time, and others different ones", () => {
    const blocks = [paragraph("Same."), paragraph("Same.", 3, ["H"])];
    const ids = split(record, blocks).map(({ id }) => id);
    expect(split(record, blocks).map(({ id }) => id)).toEqual(ids);
    expect(new Set(ids).size).toBe(2);
  });
});
