import { describe, expect, it } from "@jest/globals";
import { joinBlocks } from "../../src/text/passage-blocks.js";
import { unitsOf } from "../../src/text/sentences.js";

const kindsOf = (passage: string): [string, string][] =>
  unitsOf({ text: passage }).map(({ kind, text }) => [kind, text]);

describe("the parts of a passage", () => {
  it("begin behind the fence of a block of code that was cut off above", () => {
    expect(kindsOf("```\n\n## Growing\n\nRun a cluster.\nThen wait.")).toEqual([
      ["heading", "## Growing"],
      ["sentence", "Run a cluster."],
      ["sentence", "Then wait."],
    ]);
    expect(kindsOf("```\nnpm test\n```\nIt runs.")).toEqual([
      ["code", "```\nnpm test\n```"],
      ["sentence", "It runs."],
    ]);
  });

  it("are those of the blocks that ingestion found", () => {
    const { text, blocks } = joinBlocks([
      { text: "Prices", form: "heading" },
      { text: "# A comment.", form: "paragraph" },
      { text: "| item | price |\n|---|---|\n| tent | 3 |", form: "table" },
      { text: "item: stove; price: 1. Used.", form: "row" },
      { text: "a.b: 1\na.c: 2", form: "lines" },
    ]);
    expect(unitsOf({ text, blocks }).map(({ kind, text: own }) => [kind, own])).toEqual([
      ["heading", "Prices"],
      ["sentence", "# A comment."],
      ["columns", "| item | price |"],
      ["row", "| tent | 3 |"],
      ["sentence", "item: stove; price: 1. Used."],
      ["sentence", "a.b: 1"],
      ["sentence", "a.c: 2"],
    ]);
  });

  it("keep the steps of a list apart, whatever is nested in them", () => {
    const steps =
      "1. Open it\n2. Call it\n   - from a form\n   1. deeper\n3. Reload the page\n- [x] done";
    expect(unitsOf({ text: steps }).map(({ text }) => text)).toEqual([
      "Open it",
      "Call it",
      "from a form",
      "deeper",
      "Reload the page",
      "done",
    ]);
  });
});
