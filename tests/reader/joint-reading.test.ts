import { describe, expect, it } from "@jest/globals";
import { collate, layOut, type JointPair } from "../../src/reader/joint-layout.js";
import {
  preferNearer,
  readExcerpts,
  readPassagesTogether,
  scoreIn,
  withoutExamples,
} from "../../src/reader/joint-reading.js";

const limits = { queryTokens: 4, aboveTokens: 3, passageTokens: 12, sentenceTokens: 5 };
const tokens = (text: string): number[] => text.split(" ").map((word) => word.length);
const windowsOf = (pair: JointPair) => layOut(pair, tokens, [101, 102], limits);
const lay = (pair: JointPair) => {
  const [only, ...others] = windowsOf(pair);
  if (only === undefined || others.length > 0) throw new Error("one window is expected");
  return only;
};

describe("the layout of a question with a passage", () => {
  it("puts question, title and sentences between marks and knows where each stands", () => {
    const { ids, query, body, sentences } = lay({
      query: "how long",
      above: "Guide",
      sentences: ["It takes days", "Or more"],
    });
    expect(ids).toEqual([101, 3, 4, 102, 5, 102, 2, 5, 4, 102, 2, 4, 102]);
    expect(query).toEqual([1, 3]);
    expect(body).toEqual([4, 13]);
    expect(sentences).toEqual([
      [6, 9],
      [10, 12],
    ]);
  });

  it("cuts question, title and each sentence at its limit", () => {
    const long = "a a a a a a a a";
    const { ids, query, sentences } = lay({ query: long, above: long, sentences: [long, long] });
    expect(query).toEqual([1, 5]);
    expect(sentences.map(([start, end]) => end - start)).toEqual([5, 5]);
    expect(ids).toHaveLength(1 + 4 + 1 + 3 + 1 + 6 + 6);
  });

  it("reads every sentence of a long passage once, in windows of like length, each below its head", () => {
    const sentences = ["a", "b b", "c c c", "d d d d", "e e e e e", "f"];
    const windows = windowsOf({ query: "q", above: "T", sentences });
    expect(windows.map((each) => each.sentences.length)).toEqual([3, 3]);
    for (const { ids, body, sentences: places } of windows) {
      expect(ids.slice(0, 5)).toEqual([101, 1, 102, 1, 102]);
      expect(body).toEqual([3, ids.length]);
      expect(ids.length - 5).toBeLessThanOrEqual(limits.passageTokens + 2);
      expect(places.at(-1)?.[1]).toBe(ids.length - 1);
    }
  });

  it("reads six windows at most, and a passage without sentences by its title", () => {
    const endless = Array.from({ length: 99 }, () => "a b c");
    expect(windowsOf({ query: "q", above: "T", sentences: endless })).toHaveLength(6);
    expect(lay({ query: "q", above: "T", sentences: [] }).sentences).toEqual([]);
  });

  it("pads a batch with zeros and gives each range weights that sum to one", () => {
    const rows = [
      lay({ query: "q", above: "", sentences: ["one two"] }),
      lay({ query: "q q", above: "", sentences: ["one", "two three"] }),
    ];
    const batch = collate(rows);
    const sum = (values: Float32Array): number => values.reduce((a, b) => a + b, 0);
    expect(batch.mask.slice(0, batch.width)).toContain(0n);
    expect(sum(batch.query)).toBeCloseTo(2);
    expect(sum(batch.body)).toBeCloseTo(2);
    expect(sum(batch.spans)).toBeCloseTo(3);
  });
});

describe("an example question", () => {
  const read = (text: string): string => withoutExamples({ title: "", text }).text;

  it("is blanked out where a command or a sentence quotes it; every offset stays", () => {
    const command = '```sh\nnpm run ask -- "When does it search again?"\n```\nIt makes a demo.';
    const left = read(command);
    expect(left).not.toContain("search again");
    expect(left).toHaveLength(command.length);
    expect(left.indexOf("It makes")).toBe(command.indexOf("It makes"));
    expect(read("Ask “Who wrote Emma?” or `How long is it?` first.")).not.toMatch(/Emma|long/u);
  });

  it.each(["When does it search again? When the evidence is poor.", 'Say "search again" to it.'])(
    "is not seen in %j",
    (text) => expect(read(text)).toBe(text),
  );
});

describe("reading whole passages", () => {
  const passage = (text: string) => ({ title: "T", headings: ["H", "T"], text });

  it("reads a passage with its title and headings, each once", async () => {
    const asked: JointPair[] = [];
    await readPassagesTogether("q", [passage("One. Two.")], async (pairs) => {
      asked.push(...pairs);
      return pairs.map(() => ({ passage: 0, sentences: [0, 0], support: 0 }));
    });
    expect(asked).toEqual([{ query: "q", above: "T. H", sentences: ["One.", "Two."] }]);
  });

  it("gives the joint reader no more of a huge text than it can see", async () => {
    let given = "";
    await readPassagesTogether("q", [passage("One more line. ".repeat(100_000))], async (pairs) => {
      given = pairs.flatMap(({ sentences }) => sentences).join("");
      return [];
    });
    expect(given.length).toBeGreaterThan(6_000);
    expect(given.length).toBeLessThan(12_001);
  });

  it("gives each sentence its score by its place, and the lowest to those that were not read", async () => {
    const [reading] = await readPassagesTogether("q", [passage("One. Two.")], async () => [
      { passage: 1, sentences: [2], support: 3 },
    ]);
    expect(reading).toEqual({
      passage: 1,
      support: 3,
      sentences: [
        { start: 0, end: 4, score: 2 },
        { start: 5, end: 9, score: -8 },
      ],
    });
  });

  it("finds the score of a unit by its place, and none for what was not read", () => {
    const reading = {
      passage: 0,
      support: 0,
      sentences: [
        { start: 0, end: 4, score: 1 },
        { start: 5, end: 9, score: 3 },
      ],
    };
    expect(scoreIn(reading, { start: 0, end: 9 })).toBe(3);
    expect(scoreIn(reading, { start: 1, end: 3 })).toBe(1);
    expect(scoreIn(reading, { start: 20, end: 30 })).toBe(-8);
  });
});

describe("reading excerpts", () => {
  const text = "One. Two. Three. Four. Five.";
  const spans = [...text.matchAll(/\S+/gu)].map(({ index, 0: word }) => [
    index,
    index + word.length,
  ]);
  /** A reading whose best sentence is the one named. */
  const reading = (passage: number, best: number, count = spans.length) => ({
    passage,
    support: 0,
    sentences: spans
      .slice(0, count)
      .map(([start = 0, end = 0], at) => ({ start, end, score: at === best ? -1 : -3 })),
  });
  const passage = { title: "T", headings: ["H"], text };
  /** Reads the readings given; returns what was asked and what came out. */
  const readAll = async (readings: ReturnType<typeof reading>[]) => {
    const asked: JointPair[] = [];
    const odds = await readExcerpts(
      "q",
      readings.map(() => passage),
      readings,
      async (pairs) => {
        asked.push(...pairs);
        return pairs.map((_, at) => ({ passage: at + 10, sentences: [], support: 0 }));
      },
    );
    return { asked, odds };
  };

  it.each([
    [0, ["One.", "Two."]],
    [2, ["Two.", "Three.", "Four."]],
    [4, ["Four.", "Five."]],
  ])(
    "reads the best sentence, here %i, with those beside it, below the headings",
    async (best, of) => {
      const { asked, odds } = await readAll([reading(1, best)]);
      expect(asked).toEqual([{ query: "q", above: "T. H", sentences: of }]);
      expect(odds).toEqual([10]);
    },
  );

  it("does not read again a passage that is its own excerpt", async () => {
    const { asked, odds } = await readAll([reading(1, 0, 2), reading(-2, 1, 3), reading(0, 0, 0)]);
    expect(asked).toEqual([]);
    expect(odds).toEqual([1, -2, 0]);
  });

  it("reads the eight likeliest passages; the others keep what the whole passage has", async () => {
    const { asked, odds } = await readAll(Array.from({ length: 10 }, (_, at) => reading(at, 2)));
    expect(asked).toHaveLength(8);
    expect(odds).toEqual([0, 1, 17, 16, 15, 14, 13, 12, 11, 10]);
  });

  it("gives the lowest value to an excerpt that was not read", async () => {
    const odds = await readExcerpts("q", [passage], [reading(1, 2)], async () => []);
    expect(odds).toEqual([-8]);
  });
});

describe("the choice among sentences", () => {
  const passage = {
    title: "Guard",
    text: "",
    units: ["It defaults to standard.", "With strict more is withdrawn.", "Nothing else."].map(
      (text) => ({ start: 0, end: 1, text }),
    ),
  };

  it("prefers the nearer one among those that are nearly as likely", async () => {
    const odds = [[1.5, 2, -3]];
    const asked: string[][] = [];
    const read = { question: "Zebras?", passages: [passage], order: [0], odds };
    const [lowered = []] = await preferNearer(read, async (texts) => {
      asked.push(texts.map(({ text }) => text));
      return [0.9, 0.3];
    });
    expect(asked).toEqual([["It defaults to standard.", "With strict more is withdrawn."]]);
    expect(lowered[0]).toBe(1.5);
    expect(lowered[1]).toBeCloseTo(2 - 1.5 * 0.6);
    expect(lowered[2]).toBe(-3);
    expect(odds).toEqual([[1.5, 2, -3]]);
  });

  it("asks for no cosine where one sentence is far the likeliest, and does without an encoder", async () => {
    const odds = [[5, 1, 1]];
    const read = { question: "Zebras?", passages: [passage], order: [0] };
    const far = await preferNearer({ ...read, odds }, () => {
      throw new Error("was asked");
    });
    expect(far).toEqual(odds);
    const close = [[2, 1.5, 1]];
    expect(await preferNearer({ ...read, odds: close }, async () => undefined)).toEqual(close);
  });

  it("lowers a sentence that names less of what was asked than another of its passage", async () => {
    const odds = [[2, 1, 1]];
    const choice = { question: "What does strict do?", passages: [passage], order: [0], odds };
    expect(await preferNearer(choice, async () => undefined)).toEqual([[1, 1, 0]]);
  });
});
