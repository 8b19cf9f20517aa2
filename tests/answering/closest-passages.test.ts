import { describe, expect, it } from "@jest/globals";
import { closestPassages, closestPassagesText } from "../../src/answering/closest-passages.js";
import type { Evidence } from "../../src/state/evidence.js";
import { passage } from "./passage.js";
import { lexical, scriptedReader } from "./readers.js";

const question = "How tall is the tower?";
const tower = passage(
  "tower",
  "Eiffel Tower",
  "The tower stands in Paris.\n\nIt is 330 metres tall. It is repainted every seven years.",
);
const others = ["a", "b", "c", "d", "e"].map((id) => passage(id, id, `Passage ${id} says little.`));
const finding = (word: string, elsewhere = 0.2) =>
  scriptedReader({ relevance: (text) => (text.includes(word) ? 0.9 : elsewhere) });

describe("the closest passages", () => {
  const closest = (evidence: readonly Evidence[], reader = finding("330")) =>
    closestPassages({ question, evidence, reader });

  it("are whole, best first, with place, headings and the best sentence", async () => {
    const item: Evidence = {
      ...tower,
      source: { kind: "file", path: "tower.md", start_line: 3, heading: "Facts > Size" },
    };
    const [first] = await closest([...others, item]);
    expect(first).toMatchObject({
      evidence_id: "tower",
      source: { path: "tower.md", start_line: 3 },
      headings: ["Eiffel Tower", "Facts", "Size"],
      text: tower.text,
    });
    expect(first?.text.slice(...(first.best ?? []))).toBe("It is 330 metres tall.");
  });

  it("of a list are all, each with a sentence that mentions what it is about", async () => {
    const evidence = [...others, tower];
    const reader = finding("330");
    const all = await closestPassages({ question, evidence, reader, listed: "Paris" });
    expect(all).toHaveLength(evidence.length);
    const [start, end] = all.find((each) => each.evidence_id === "tower")?.best ?? [0, 0];
    expect(tower.text.slice(start, end)).toBe("The tower stands in Paris.");
  });

  it("are three, and up to five where more are nearly as good", async () => {
    expect(await closest([tower, ...others])).toHaveLength(3);
    expect(await closest([tower, ...others], finding("330", 0.8))).toHaveLength(5);
    expect(await closest([tower])).toHaveLength(1);
    expect(await closest([])).toEqual([]);
  });

  it("show what stands in two places once, and nothing without text", async () => {
    const twin = { ...tower, id: "twin" };
    expect(await closest([tower, twin, passage("n", "Named", "")])).toHaveLength(1);
  });

  it("survive a reader that fails", async () => {
    const broken = scriptedReader({
      relevance: () => {
        throw new Error("no runtime");
      },
    });
    expect(await closest([tower], broken)).toMatchObject([{ text: tower.text, best: null }]);
  });

  it("are numbered quotations in a text, with the best sentence in bold", async () => {
    const passages = await closestPassages({ question, evidence: [tower], reader: lexical });
    expect(closestPassagesText("These come closest.", passages)).toBe(
      [
        "These come closest.",
        "**1. Eiffel Tower** (tower.md)",
        "> The tower stands in Paris.\n> \n> **It is 330 metres tall.** It is repainted every seven years.",
      ].join("\n\n"),
    );
  });

  it("leave a row or a block of code as it is written", () => {
    const text = "| tower | height |\n|---|---|\n| Eiffel | 330 |";
    const shown = closestPassagesText("", [
      {
        evidence_id: "t",
        source: { kind: "file", path: "t.md" },
        headings: [],
        text,
        best: [text.indexOf("| Eiffel"), text.length],
      },
    ]);
    expect(shown).toContain("> | Eiffel | 330 |");
    expect(shown).not.toContain("**|");
  });
});
