import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { assembleWindow } from "../../src/answering/context-window.js";
import { readPassages } from "../../src/answering/readable-units.js";
import {
  decompose,
  excerpts,
  refine,
  wholePassages,
  type Strip,
} from "../../src/answering/strips.js";
import type { Reader } from "../../src/reader/reader.js";
import type { Evidence } from "../../src/state/evidence.js";
import { passage } from "./passage.js";
import { lexical, scriptedReader } from "./readers.js";

const text =
  "The Normans came from Denmark. They settled in the north of France. Their leader was Rollo. He swore fealty to King Charles III. " +
  "The duchy was founded in 911. Its capital was Rouen.\n\n## Castles\n\nNormans built castles of stone. They used:\n\n- towers\n- keeps\n\n```sh\nbuild --castle\nrun\n```\n";
const graded = (value: number) => ({
  scores: [{ value, scale: "relevance" as const, by: "judge:batch" }],
});

describe("decompose", () => {
  it("cuts a passage in strips of at most three sentences with exact offsets, in reading order", () => {
    const strips = decompose({ id: "a", text });
    for (const strip of strips) expect(text.slice(strip.start, strip.end)).toBe(strip.text);
    expect(strips[0]?.text).toBe(
      "The Normans came from Denmark. They settled in the north of France. Their leader was Rollo.",
    );
    const starts = strips.map(({ start }) => start);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
  });

  it("keeps a heading with what follows it and never cuts a code block", () => {
    const strips = decompose({ id: "a", text });
    expect(strips.find((strip) => strip.text.includes("## Castles"))?.text).toContain(
      "Normans built castles of stone.",
    );
    const whole = strips.filter(({ text: own }) => /build --castle[^]*run\n```/u.test(own));
    expect(whole).toHaveLength(1);
  });

  it("holds for any text: offsets are exact, strips do not overlap", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), (any) => {
        let at = 0;
        for (const strip of decompose({ id: "x", text: any })) {
          expect(any.slice(strip.start, strip.end)).toBe(strip.text);
          expect(strip.start).toBeGreaterThanOrEqual(at);
          at = strip.end;
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** The strips of what a reader reads. */
async function refined({
  question = "q",
  evidence,
  reader,
}: {
  question?: string;
  evidence: readonly Evidence[];
  reader: Reader;
}): Promise<Strip[]> {
  const { readings } = await readPassages({ question, items: evidence, reader });
  return refine(evidence, readings);
}

describe("refine", () => {
  const cats = "Cats sleep a lot. They hunt at night. Some like Rollo.";

  it("shows the passage that a model graded 1.0 before one that got 0.5", async () => {
    const evidence = [
      passage("look-alike", "A", "Words of the question everywhere.", graded(0.5)),
      passage("answer", "B", "Said in other words.", graded(1)),
    ];
    const reader = scriptedReader({ relevance: (own) => (own.includes("question") ? 0.9 : 0.05) });
    const strips = await refined({ evidence, reader });
    expect(strips.map(({ evidenceId }) => evidenceId)).toEqual(["answer", "look-alike"]);
  });

  it("keeps strips above 0.5, the most relevant passage first, then in reading order", async () => {
    const evidence = [
      passage("a", "Normans", text, graded(0.8)),
      passage("b", "Cats", cats, graded(0.95)),
    ];
    const reader = scriptedReader({
      relevance: (own) => (/Cats|Rollo|Rouen/u.test(own) ? 0.8 : 0.2),
    });
    const strips = await refined({ evidence, reader });
    expect(strips.map(({ evidenceId }) => evidenceId)).toEqual(["b", "a", "a"]);
    expect(strips[1]?.start).toBeLessThan(strips[2]?.start ?? 0);
  });

  it("keeps a strip of every passage, however its grade compares with the best (N3, N4)", async () => {
    const evidence = [0.9, 0.5, 0.38, 0.3].map((value, at) =>
      passage(`p${at}`, "A", cats, graded(value)),
    );
    const reader = scriptedReader({ relevance: () => 0.2 });
    const strips = await refined({ evidence, reader });
    expect(strips.map(({ evidenceId }) => evidenceId)).toEqual(["p0", "p1", "p2", "p3"]);
  });

  it("over budget, leaves out second strips before the best one of any passage (N4)", async () => {
    const long = `Rollo came. It rained. It snowed. It froze. ${"Rollo went by boat. ".repeat(12)}`;
    const evidence = [
      passage("a", "A", long, graded(1)),
      passage("b", "B", "Rollo stayed.", graded(0.3)),
    ];
    const reader = scriptedReader({ relevance: (own) => (own.includes("came") ? 0.9 : 0.8) });
    const strips = await refined({ evidence, reader });
    const budgetInTokens = assembleWindow({ evidence, strips }).tokens - 20;
    const { sources } = assembleWindow({ evidence, strips, budgetInTokens });
    expect(sources.map(({ evidenceId }) => evidenceId)).toEqual(["a", "b"]);
  });

  it("stays inside the budget, dropping the weakest strips whole", async () => {
    const evidence = [passage("a", "Normans", text, graded(1))];
    const reader = scriptedReader({ relevance: (own) => 0.9 - own.length / 1000 });
    const strips = await refined({ evidence, reader });
    const whole = assembleWindow({ evidence, strips });
    const budgetInTokens = whole.tokens - 10;
    const window = assembleWindow({ evidence, strips, budgetInTokens });
    expect(window.tokens).toBeLessThanOrEqual(budgetInTokens);
    const kept = window.sources.flatMap((source) => source.strips);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.every((strip) => strips.includes(strip))).toBe(true);
  });

  it("survives a reader that returns nonsense, and no evidence", async () => {
    const evidence = [passage("b", "Cats", cats)];
    const reader = scriptedReader({ relevance: () => Number.NaN });
    await refined({ evidence, reader });
    expect(await refined({ evidence: [], reader })).toEqual([]);
  });

  it("shows a judge what the writer would be shown of each passage, whatever it is worth", async () => {
    const evidence = [
      passage("a", "A", `${cats} Elsewhere it rains. It snows. It pours. Cats hunt mice.`),
      passage("b", "B", "Dogs do not hunt mice."),
      passage("c", "C", "They are:\n\n1. Cats\n2. Cats\n3. Cats\n4. Cats"),
    ];
    const reader = scriptedReader({
      relevance: (own) => (own.includes("rains") ? 0.01 : own.includes("Cats") ? 0.8 : 0.2),
    });
    const { readings } = await readPassages({ question: "q", items: evidence, reader });
    const shown = excerpts(evidence, readings);
    expect(Object.fromEntries(shown)).toEqual({
      a: `${cats}\n[…]\nCats hunt mice.`,
      b: "Dogs do not hunt mice.",
      c: "They are:\n\n1. Cats\n2. Cats\n3. Cats\n4. Cats",
    });
  });

  it("does not lose the strip that holds the answer", async () => {
    const item = passage(
      "t",
      "History",
      "Marie Curie studied physics in Paris. She was born in Warsaw. Her teachers praised her. She won the Nobel Prize in 1903. The prize was shared. It brought fame.",
    );
    const strips = await refined({
      question: "When did Marie Curie win the Nobel Prize?",
      evidence: [item],
      reader: lexical,
    });
    expect(strips.some((strip) => strip.text.includes("1903"))).toBe(true);
  });
});

it("takes whole passages if refinement is off", () => {
  expect(wholePassages([passage("a", "t", "One. Two.")])).toEqual([
    { evidenceId: "a", text: "One. Two.", start: 0, end: 9, score: 0 },
  ]);
});
