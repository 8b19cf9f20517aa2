import { describe, expect, it } from "@jest/globals";
import { gradeEvidence } from "../../src/grading/grade-evidence.js";
import { PROFILES } from "../../src/grading/profiles.js";
import { refusals } from "../../src/grading/judgement.js";
import { createReader } from "../../src/reader/create-reader.js";
import { item } from "./evidence.js";

const reader = createReader({ model: "lexical" });
const items = [
  { id: "founded", text: "Dunmore was founded in 1803 by Ada Byrne." },
  { id: "other", text: "Bread rises because yeast makes gas in the dough." },
];

describe("gradeEvidence, outside the graph", () => {
  it("keeps what a judge finds relevant, drops the rest with a reason, and returns an action", async () => {
    const graded = await gradeEvidence({
      question: "When was Dunmore founded?",
      items,
      judge: () => ({ judge: "mine", scores: { founded: 0.9, other: 0.1 } }),
    });
    expect(graded).toMatchObject({ action: "GENERATE", label: "CORRECT", score: 0.9 });
    expect(graded.kept.map(({ id }) => id)).toEqual(["founded"]);
    expect(graded.discarded).toMatchObject([
      { id: "other", text: items[1]?.text, reason: "relevance 0.10 is below 0.3" },
    ]);
  });

  it("judges with the reader, and with the signals of the reader", async () => {
    const question = "When was Dunmore founded?";
    const adaptive = await gradeEvidence({ question, items, reader });
    expect(adaptive.scores["founded"]).toBeGreaterThan(adaptive.scores["other"] ?? 1);
    const signals = await gradeEvidence({ question, items, reader, profile: PROFILES.signals });
    expect(signals.label).not.toBe("INCORRECT");
  });

  it("takes a profile's own judge and cut-offs", async () => {
    const profile = {
      ...PROFILES.adaptive,
      name: "mine",
      judge: () => ({ judge: "mine", scores: { founded: 0.6, other: 0.6 } }),
    };
    const question = "?";
    expect((await gradeEvidence({ question, items, profile })).label).toBe("AMBIGUOUS");
    const thresholds = { correct: 0.5 };
    expect((await gradeEvidence({ question, items, profile, thresholds })).label).toBe("CORRECT");
  });

  it("names what is missing if there is no judge", async () => {
    await expect(gradeEvidence({ question: "?", items })).rejects.toThrow(/needs a judge/);
  });
});

describe("refused evidence is recognized", () => {
  const at = (path: string, startLine: number, endLine: number) =>
    ({ kind: "file", path, start_line: startLine, end_line: endLine }) as const;
  const refused = [
    item("a", { text: "Alpha text.", source: at("a.md", 1, 10) }),
    item("b", { text: "Beta text.", source: at("a.md", 11, 20) }),
  ];
  const isRefused = (found: Parameters<ReturnType<typeof refusals>>[0]) =>
    refusals(refused)(found)?.id;

  it("by its id, its words, and lines of a refused passage", () => {
    expect(isRefused(item("a", { text: "whatever" }))).toBe("a");
    expect(isRefused(item("x", { text: "ALPHA,  text", source: at("a.md", 90, 91) }))).toBe("a");
    expect(isRefused(item("x", { source: at("a.md", 3, 5) }))).toBe("a");
  });

  it("unless a line of it is new, or it is in another document", () => {
    expect(isRefused(item("x", { source: at("a.md", 15, 21) }))).toBeUndefined();
    expect(isRefused(item("x", { source: at("b.md", 3, 5) }))).toBeUndefined();
    // Each sheet of a workbook counts its rows from 1.
    const sheet = { ...at("a.md", 3, 5), heading: "Contacts" };
    expect(isRefused(item("x", { source: sheet }))).toBeUndefined();
    expect(isRefused(item("x", { text: "Alpha text.", source: at("b.md", 3, 5) }))).toBeUndefined();
  });
});
