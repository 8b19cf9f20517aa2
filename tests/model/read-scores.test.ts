import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { readScores } from "../../src/model/read-json.js";

const READABLE: readonly [what: string, output: string, scores: number[]][] = [
  ["a plain array", "[0.1, 0.9]", [0.1, 0.9]],
  ["an object around it", '{"scores": [0.1, 0.9]}', [0.1, 0.9]],
  [
    "relevance_scores",
    '{"relevance_scores": [0.1, 0.9], "reasoning": "see [1] and {x}"}',
    [0.1, 0.9],
  ],
  [
    "fences and prose",
    'Sure, here you are:\n```json\n{"scores": [0.1, 0.9]}\n```\nAnything else?',
    [0.1, 0.9],
  ],
  ["thinking with other numbers in it", "<think>maybe [0.5, 0.5]?</think>[0.1, 0.9]", [0.1, 0.9]],
  ["strings", '["0.1", " 0.9 "]', [0.1, 0.9]],
  ["percentages", '["10%", "90 %"]', [0.1, 0.9]],
  ["bare percentages", "[10%, 90%]", [0.1, 0.9]],
  ["parts of ten", '["1/10", "9/10"]', [0.1, 0.9]],
  ["decimal commas in strings", '["0,1", "0,9"]', [0.1, 0.9]],
  ["trailing commas", "[0.1, 0.9,]", [0.1, 0.9]],
  ["single quotes", "{'scores': ['0.1', '0.9']}", [0.1, 0.9]],
  ["bare keys and comments", "{scores: [0.1, /* weak */ 0.9] // done\n}", [0.1, 0.9]],
  ["nesting", '{"result": {"scores": [0.1, 0.9]}}', [0.1, 0.9]],
  ["JSON in a string", '"[0.1, 0.9]"', [0.1, 0.9]],
  ["a cut end", '{"scores": [0.1, 0.9', [0.1, 0.9]],
  ["no JSON at all", "0.1, 0.9", [0.1, 0.9]],
  ["numbered lines", "Passage 1: 0.1 (weak)\n**Passage 2:** 0.9", [0.1, 0.9]],
  [
    "a reference before the answer",
    "Passage [1] is weak, [2] is good. Scores: [0.1, 0.9]",
    [0.1, 0.9],
  ],
  ["scores out of range", "[-3, 17]", [0, 1]],
  ["whole percentages without a sign", "[10, 90]", [0.1, 0.9]],
  ["marks out of ten", "[1, 9]", [0.1, 0.9]],
  ["whole numbers that are scores", "[0, 1]", [0, 1]],
  ["a numbered list (N10)", "1. 0.1\n2. 0.9", [0.1, 0.9]],
  [
    "confidences beside the scores (N10)",
    '{"scores": [0.1, 0.9], "confidence": [1, 1]}',
    [0.1, 0.9],
  ],
  [
    "confidences behind the scores (N10)",
    "1. 0.1 (confidence 0.9)\n2. 0.9 (confidence .8)",
    [0.1, 0.9],
  ],
  [
    "headings with a score below (N10)",
    "**Source 1**\nScore: 0.1\n\n**Source 2**\nScore: 0.9",
    [0.1, 0.9],
  ],
  ["decimals out of ten (N10)", "[1, 7.5]", [0.1, 0.75]],
  [
    "a Markdown table (N10)",
    "| Passage | Score | Why |\n|---|---|---|\n| 1 | 0.1 | no |\n| 2 | **0.9** | yes |",
    [0.1, 0.9],
  ],
];

const UNREADABLE: readonly [what: string, output: string][] = [
  ["too few", "[0.1]"],
  ["too many", "[0.1, 0.9, 0.5]"],
  ["NaN", "[0.1, NaN]"],
  ["Infinity", "[0.1, Infinity]"],
  ["null", "[0.1, null]"],
  ["words", "They are all quite relevant."],
  ["nothing", ""],
  ["null itself", "null"],
  ["objects with an id", '[{"id": 2, "score": 0.9}, {"id": 1, "score": 0.1}]'],
  ["a map by number", '{"1": 0.1, "2": 0.9}'],
  ["booleans", "[False, True]"],
  ["thinking without an end", "<think>[0.1, 0.9]"],
  ["confidences alone (N10)", '{"confidences": [0.9, 0.9]}'],
  ["lines of confidence (N10)", "confidence: .9\nconfidence: .8"],
  ["the scale in a refusal (N10)", "I cannot grade them from 0 to 1."],
  ["values that the passages state (N10)", "The first says 0.5 litres, and the second 0.7."],
  ["confidences in prose (N10)", "I would rate my confidence at 0.9 that neither fits, or 0.8."],
  [
    "running prose (N10)",
    "I would rate the first passage about 0.1 because it only names the year, and the second 0.9.",
  ],
  ["a missing score in prose (N10)", "I would rate the first 0.9 and the second higher."],
];

describe("readScores", () => {
  it.each(READABLE)("reads %s", (_what, output, scores) =>
    expect(readScores(output, 2)).toEqual({ success: true, value: scores }),
  );

  it.each(UNREADABLE)("does not read %s", (_what, output) =>
    expect(readScores(output, 2)).toMatchObject({
      success: false,
      error: expect.stringContaining("2 scores"),
    }),
  );

  it("reads one score from a judge of single documents, and takes no reference for it", () => {
    for (const output of [
      '{"relevance_score": 0.7}',
      "0.7",
      "Passage [1] is about X. Relevance score: 0.7.",
      '```json\n{"score": "70%"}\n```',
    ])
      expect(readScores(output, 1)).toEqual({ success: true, value: [0.7] });
    expect(readScores("Passage [1] is relevant.", 1).success).toBe(false);
  });

  it.each([
    ['{"score": 3}', 0.3],
    ['{"score": 80}', 0.8],
    ["relevance_score: 0.7\nconfidence: 0.9", 0.7],
    ["With high confidence, score: 0.7", 0.7],
    ["Score: 8/10", 0.8],
    ["**Score:** 0.7", 0.7],
    ["Relevance score (0.0 to 1.0): 0.7", 0.7],
    ["The relevance score is 0.9.", 0.9],
  ])("reads %s from a judge of single documents as %d (N10)", (output, score) =>
    expect(readScores(output, 1)).toEqual({ success: true, value: [score] }),
  );

  it.each([
    "No, not relevant (confidence 0.9).",
    "100% sure that this is irrelevant.",
    "Confidence score: 0.9",
    "I cannot give a number from 0 to 1.",
    '{"foo": 1}',
    '{"relevant": false, "confidence": 0.95}',
    "I would rate this passage about 0.8, because it names the year.",
  ])("takes no number of %s for a grade (N10)", (output) =>
    expect(readScores(output, 1).success).toBe(false),
  );
});

describe("mutated outputs", () => {
  const seeds = [...READABLE, ...UNREADABLE]
    .map(([, output]) => output)
    .concat(
      '{"relevance_score": 0.4, "relevance_label": "ambiguous", "confidence": "80%", "reasoning": "x"}',
      '{"score": 0.9, "adequate": true, "hints": ["a"]}',
    );
  const edit = fc.record({
    at: fc.nat(200),
    remove: fc.nat(6),
    insert: fc.oneof(
      fc.constantFrom(
        "[",
        "]",
        "{",
        "}",
        '"',
        "'",
        ",",
        ":",
        "\\",
        "NaN",
        "-",
        "1e999",
        "%",
        "/0",
        "```",
        "<think>",
        "</think>",
        "\u0000",
        "[[[[",
      ),
      fc.string({ maxLength: 5 }),
    ),
  });

  it("10,000 of them never crash a parser, nor yield a number outside 0–1, nor another number of scores", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...seeds),
        fc.array(edit, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 4 }),
        (seed, edits, n) => {
          const output = edits.reduce((text, { at, remove, insert }) => {
            const place = at % (text.length + 1);
            return text.slice(0, place) + insert + text.slice(place + remove);
          }, seed);
          const parsed = readScores(output, n);
          if (parsed.success) {
            expect(parsed.value).toHaveLength(n);
            expect(parsed.value.every((each) => each >= 0 && each <= 1)).toBe(true);
          }
        },
      ),
      { seed: 20261121, numRuns: 10_000 },
    );
  });

  it("takes JSON of any shape", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.nat(4), (value, n) => {
        const parsed = readScores(value, n);
        expect(!parsed.success || parsed.value.every((each) => each >= 0 && each <= 1)).toBe(true);
      }),
      { seed: 7, numRuns: 2_000 },
    );
  });

  it("reads a hostile megabyte in a moment", () => {
    for (const text of [
      "[".repeat(1_000_000),
      "{".repeat(1_000_000),
      "[{".repeat(500_000),
      "[".repeat(25_000) + "}".repeat(25_000),
      '"'.repeat(1_000_000),
      "<think>".repeat(150_000),
      "```".repeat(300_000),
      "1".repeat(1_000_000),
    ])
      readScores(text, 3);
  });
});
