import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { decompose, refine, wholePassages, type StripScorer } from "../../src/answering/strips.js";
import { countTokens } from "../../src/text/tokens.js";
import { passage } from "./passage.js";

const text =
  "The Normans came from Denmark. They settled in the north of France. Their leader was Rollo. He swore fealty to King Charles III. " +
  "The duchy was founded in 911. Its capital was Rouen.\n\n## Castles\n\nNormans built castles of stone. They used:\n\n- towers\n- keeps\n\n```sh\nbuild --castle\nrun\n```\n";
const byWord =
  (word: string, hit = 0.9, miss = 0.1): StripScorer =>
  (_question, strips) =>
    strips.map((strip) => (strip.text.includes(word) ? hit : miss));

describe("decompose", () => {
  it("cuts a passage in strips of at most three sentences with exact offsets, in reading order", () => {
    const strips = decompose({ id: "a", text });
    for (const strip of strips) expect(text.slice(strip.start, strip.end)).toBe(strip.text);
    expect(strips[0]?.text).toBe(
      "The Normans came from Denmark. They settled in the north of France. Their leader was Rollo.",
    );
    expect(strips.map(({ start }) => start)).toEqual(
      [...strips.map(({ start }) => start)].sort((a, b) => a - b),
    );
  });

  it("keeps a heading with what follows it and never cuts a code block", () => {
    const strips = decompose({ id: "a", text });
    expect(strips.find((strip) => strip.text.includes("## Castles"))?.text).toContain(
      "Normans built castles of stone.",
    );
    expect(
      strips.filter(
        (strip) => strip.text.includes("build --castle") && strip.text.includes("run\n```"),
      ),
    ).toHaveLength(1);
  });

  it("holds for any text: offsets are exact, strips do not overlap", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), (any) => {
        const strips = decompose({ id: "x", text: any });
        let at = 0;
        for (const strip of strips) {
          expect(any.slice(strip.start, strip.end)).toBe(strip.text);
          expect(strip.start).toBeGreaterThanOrEqual(at);
          at = strip.end;
        }
      }),
      { numRuns: 60 },
    );
  });

  it("cuts what has no sentences, so that no strip outgrows a budget", () => {
    const strips = decompose({ id: "x", text: "word ".repeat(3000) });
    expect(Math.max(...strips.map((strip) => strip.text.length))).toBeLessThan(2000);
  });
});

describe("refine", () => {
  const evidence = [
    passage("a", "Normans", text),
    passage("b", "Cats", "Cats sleep a lot. They hunt at night. Some like Rollo."),
    passage("c", "Nothing", "  "),
  ];

  it("keeps strips above 0.5, the best passage first, then in reading order", async () => {
    const score: StripScorer = (_question, strips) =>
      strips.map((strip) =>
        strip.text.includes("Cats")
          ? 0.95
          : strip.text.includes("Rollo") || strip.text.includes("Rouen")
            ? 0.8
            : 0.5,
      );
    const strips = await refine({ question: "q", evidence, score });
    expect(strips.map((strip) => strip.evidenceId)).toEqual(["b", "a", "a"]);
    expect(strips.slice(1).map(({ start }) => start)).toEqual(
      [...strips.slice(1).map(({ start }) => start)].sort((a, b) => a - b),
    );
  });

  it("keeps at least one strip of the best passage", async () => {
    const strips = await refine({ question: "q", evidence, score: byWord("Rouen", 0.4) });
    expect(strips).toHaveLength(1);
    expect(strips[0]?.text).toContain("Rouen");
  });

  it("stays inside the budget, dropping the weakest strips whole", async () => {
    const all = await refine({
      question: "q",
      evidence,
      score: () => new Array<number>(20).fill(0.9),
    });
    const some = await refine({
      question: "q",
      evidence,
      score: (_question, strips) => strips.map((_, index) => 0.9 - index / 100),
      budgetInTokens: 40,
    });
    expect(some.length).toBeLessThan(all.length);
    let tokens = 0;
    for (const strip of some) tokens += await countTokens(strip.text);
    expect(tokens).toBeLessThanOrEqual(40);
  });

  it("survives a scorer that gives nonsense, and no evidence at all", async () => {
    expect(
      await refine({ question: "q", evidence, score: () => [Number.NaN, 7] }),
    ).not.toHaveLength(0);
    expect(await refine({ question: "q", evidence: [] })).toEqual([]);
  });

  it("does not lose the strip whose pronoun points back to the one that names the subject", async () => {
    const item = passage(
      "t",
      "History",
      "Marie Curie studied physics in Paris. She was born in Warsaw. Her teachers praised her. She won the Nobel Prize in 1903. The prize was shared. It brought fame.",
    );
    const strips = await refine({
      question: "When did Marie Curie win the Nobel Prize?",
      evidence: [item],
    });
    expect(strips.some((strip) => strip.text.includes("1903"))).toBe(true);
  });
});

it("takes whole passages where refinement is switched off", () => {
  expect(wholePassages([passage("a", "t", "One. Two.")])).toEqual([
    { evidenceId: "a", text: "One. Two.", start: 0, end: 9, score: 0 },
  ]);
});
