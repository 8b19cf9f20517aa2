import { describe, expect, it } from "@jest/globals";
import { collate, layOut, type JointPair } from "../../src/reader/joint-layout.js";
import { readPassagesTogether, scoreIn, withoutExamples } from "../../src/reader/joint-reading.js";

const limits = { queryTokens: 4, aboveTokens: 3, passageTokens: 12, sentenceTokens: 5 };
const tokens = (text: string): number[] => text.split(" ").map((word) => word.length);
const lay = (pair: JointPair) => layOut(pair, tokens, [101, 102], limits);

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

  it("cuts each part at its limit and leaves out sentences that no longer fit", () => {
    const long = "a a a a a a a a";
    const { ids, query, sentences } = lay({
      query: long,
      above: long,
      sentences: [long, long, long],
    });
    expect(query).toEqual([1, 5]);
    expect(sentences.map(([start, end]) => end - start)).toEqual([5, 5]);
    expect(ids).toHaveLength(1 + 4 + 1 + 3 + 1 + 6 + 6);
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

  it("reads a long passage in windows and takes the best of them", async () => {
    const text = Array.from({ length: 60 }, (_, at) => `Sentence ${at} says a little more.`).join(
      " ",
    );
    let calls = 0;
    const [reading] =
      (await readPassagesTogether("q", [passage(text)], async (pairs) => {
        calls = pairs.length;
        return pairs.map(({ sentences }, at) => ({
          passage: at,
          sentences: sentences.map(() => -at),
          support: -at,
        }));
      })) ?? [];
    expect(calls).toBe(2);
    expect(reading?.passage).toBe(1);
    expect(reading?.support).toBeCloseTo(0);
    expect(reading?.sentences).toHaveLength(60);
    expect(text.slice(reading?.sentences[59]?.start)).toBe("Sentence 59 says a little more.");
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
