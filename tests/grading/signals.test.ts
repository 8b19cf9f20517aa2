import { describe, expect, it } from "@jest/globals";
import { agreement } from "../../src/grading/agreement.js";
import { combineSignals, judgeBySignals, measureSignals } from "../../src/grading/signals.js";
import type { Score } from "../../src/state/evidence.js";
import { item } from "./evidence.js";

const rerank = (value: number): Score => ({ value, scale: "rerank", by: "test" });
const cosine = (value: number): Score => ({ value, scale: "cosine", by: "test" });

describe("combineSignals", () => {
  it("weighs reranking 0.4, coverage 0.3 and agreement 0.3", () => {
    expect(combineSignals({ rerank: 1, coverage: 0, agreement: 0 })).toBeCloseTo(0.4, 12);
    expect(combineSignals({ rerank: 0, coverage: 1, agreement: 0 })).toBeCloseTo(0.3, 12);
    expect(combineSignals({ rerank: 0, coverage: 0, agreement: 1 })).toBeCloseTo(0.3, 12);
  });

  it("renormalises over the signals at hand, and says 0.5 without any", () => {
    expect(combineSignals({ rerank: 1, coverage: 0 })).toBeCloseTo(0.4 / 0.7, 12);
    expect(combineSignals({ coverage: 0.8 })).toBeCloseTo(0.8, 12);
    expect(combineSignals({})).toBe(0.5);
  });
});

describe("the rerank signal", () => {
  const of = (...scores: Score[][]) =>
    measureSignals({
      question: "?",
      evidence: scores.map((each, index) => item(String(index), { scores: each })),
    }).rerank;
  it("is the mean of the three best", () =>
    expect(of([rerank(0.9)], [rerank(0.1)], [rerank(0.6)], [rerank(0.3)])).toBeCloseTo(0.6, 12));
  it("falls back on cosines where nothing was reranked, and never mixes the two", () => {
    expect(of([cosine(0.5)], [cosine(0.7)])).toBeCloseTo(0.6, 12);
    expect(of([cosine(1), rerank(0.2)], [cosine(1)])).toBeCloseTo(0.2, 12);
  });
  it("is absent where there is neither", () =>
    expect(of([{ value: 12, scale: "bm25", by: "fts5" }])).toBeUndefined());
});

describe("the coverage signal", () => {
  const of = (question: string, ...texts: string[]) =>
    measureSignals({
      question,
      evidence: texts.map((text, index) => item(String(index), { text, title: "" })),
    }).coverage;
  it("leaves stop words out and takes stems in", () => {
    expect(
      of("How are the documents graded?", "Grading a document is a matter of thresholds."),
    ).toBe(1);
    expect(of("How are the documents graded?", "The how of the are.")).toBe(0);
  });
  it("counts terms over all passages together", () =>
    expect(of("apples and pears", "An apple.", "A pear.")).toBe(1));
  it("works in scripts without spaces", () =>
    expect(of("東京の人口", "東京には多くの人口がある。")).toBe(1));
  it("is absent for a question of stop words", () =>
    expect(of("what is it?", "It is what it is.")).toBeUndefined());
});

describe("agreement", () => {
  it("is high where passages say the same of the same thing", () => {
    const texts = [
      "The Eiffel Tower stands 330 metres tall and was finished in 1889.",
      "The Eiffel Tower, 330 metres tall, was finished in March 1889.",
    ];
    expect(agreement(texts) ?? 0).toBeGreaterThan(0.8);
  });

  it("falls where they contradict one another on numbers, dates and names", () => {
    const says = (metres: number, year: number) =>
      `The Eiffel Tower stands ${metres} metres tall and was finished in ${year}.`;
    const same = agreement([says(330, 1889), says(330, 1889)]) ?? 0;
    const number = agreement([says(330, 1889), says(250, 1889)]) ?? 1;
    const both = agreement([says(330, 1889), says(250, 1901)]) ?? 1;
    expect(number).toBeLessThan(same);
    expect(both).toBeLessThan(number);
    const capital = (name: string) =>
      `In the treaty of union the capital city of the federal republic was called ${name} by both houses of parliament.`;
    expect(agreement([capital("Bonn"), capital("Weimar")])).toBe(0);
    expect(agreement([capital("Bonn"), capital("Bonn")])).toBe(1);
  });

  it("is absent where no two passages speak of the same thing", () => {
    expect(
      agreement(["Cats sleep 16 hours a day.", "The treaty was signed on 12 March 1921 in Riga."]),
    ).toBeUndefined();
    expect(agreement(["Only one."])).toBeUndefined();
    expect(agreement([])).toBeUndefined();
  });

  it("does not depend on the order of the passages", () => {
    const texts = [
      "The bridge is 500 m long and opened in 1932.",
      "The bridge, opened in 1932, is 503 m long.",
      "Opened in 1935, the bridge is long.",
    ];
    expect(agreement(texts)).toBe(agreement([...texts].reverse()));
  });
});

describe("judgeBySignals", () => {
  it("judges the set by its signals and each item by its own", () => {
    const evidence = [
      item("a", { text: "Graded documents.", scores: [rerank(0.9)] }),
      item("b", { text: "Nothing.", scores: [rerank(0.1)] }),
    ];
    const judgement = judgeBySignals({ question: "graded documents", evidence });
    expect(judgement).toMatchObject({
      judge: "signals",
      parseFailures: 0,
      signals: { rerank: 0.5, coverage: 1 },
    });
    expect(judgement.scores.a).toBeGreaterThan(judgement.scores.b ?? 1);
  });

  it("takes a few milliseconds for 20 passages of 100 words", () => {
    const words =
      "evidence passage retrieval grade threshold score question answer document search 1999 Berlin 42 metres agent".split(
        " ",
      );
    const text = (seed: number) =>
      Array.from({ length: 100 }, (_, index) => words[(index * 7 + seed * 3) % words.length]).join(
        " ",
      ) + ".";
    const evidence = Array.from({ length: 20 }, (_, index) =>
      item(String(index), { text: text(index), scores: [rerank(0.5)] }),
    );
    const times = Array.from({ length: 60 }, () => {
      const startedAt = performance.now();
      judgeBySignals({ question: "Which threshold does the agent use?", evidence });
      return performance.now() - startedAt;
    });
    // The bench holds it to 5 ms at p95; here the machine may be busy, so that the best of many runs is looked at.
    expect(Math.min(...times)).toBeLessThan(60);
  });
});
