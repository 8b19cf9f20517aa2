import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ndcg, percentile, rankingMetrics } from "../../evals/ranking-metrics.js";
import { runRetrievalEval } from "../../evals/retrieval.js";
import { UserError } from "../../src/support/errors.js";

const wordsAlone = { embedder: null };

describe("metrics of a ranked list", () => {
  it("are what trec_eval gives", () => {
    const grades = new Map([
      ["a", 2],
      ["b", 1],
      ["c", 0],
    ]);
    // DCG 0/log2(2) + 2/log2(3) + 1/log2(4); ideal 2/log2(2) + 1/log2(3)
    expect(ndcg(["c", "a", "b"], grades, 10)).toBeCloseTo(
      (2 / Math.log2(3) + 1 / 2) / (2 + 1 / Math.log2(3)),
      10,
    );
    expect(rankingMetrics(["c", "a", "x"], grades)).toMatchObject({
      "recall@10": 0.5,
      "recall@100": 0.5,
      "mrr@10": 0.5,
    });
    expect(rankingMetrics([], grades)).toEqual({
      "ndcg@10": 0,
      "recall@10": 0,
      "recall@100": 0,
      "mrr@10": 0,
    });
    expect(percentile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(percentile([], 0.5)).toBe(0);
  });
});

describe("the retrieval evaluation", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "beir-"));
    await mkdir(path.join(directory, "qrels"));
    const corpus = [
      { _id: "d1", title: "Bees", text: "Honey bees dance." },
      { _id: "d2", title: "Glass", text: "Float glass on tin." },
      { _id: "d3", title: "Tides", text: "Spring tides." },
    ];
    await writeFile(
      path.join(directory, "corpus.jsonl"),
      corpus.map((record) => JSON.stringify(record)).join("\n"),
    );
    const queries = [
      { _id: "q1", text: "honey" },
      { _id: "q2", text: "float glass" },
      { _id: "q3", text: "unjudged" },
    ];
    await writeFile(
      path.join(directory, "queries.jsonl"),
      queries.map((record) => JSON.stringify(record)).join("\n"),
    );
    await writeFile(
      path.join(directory, "qrels", "test.tsv"),
      "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t2\nq2\td3\t0\n",
    );
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it("gives the agreed keys, with the ways to search beside each other in a table", async () => {
    const report = await runRetrievalEval({ ...wordsAlone, directory, split: "test" });
    expect(report).toMatchObject({
      n: 2,
      "ndcg@10": 1,
      "recall@10": 1,
      "recall@100": 1,
      "mrr@10": 1,
      documents: 3,
    });
    expect(report.latency_ms.p95).toBeGreaterThanOrEqual(report.latency_ms.p50);
    expect(report.table.map(({ search }) => search)).toEqual(["keyword"]);
    expect(report.filtered).toMatchObject([
      { search: "keyword", filter: "in the search", n: 2, "ndcg@10": 1 },
      { search: "keyword", filter: "afterwards", n: 2, "ndcg@10": 1 },
    ]);
    expect((await runRetrievalEval({ ...wordsAlone, directory, limit: 1 })).n).toBe(1);
  });

  it("looks on where the passages of one long document fill the list", async () => {
    const long = Array.from({ length: 300 }, (_, n) =>
      `${"honey ".repeat(100)}${`word${n} `.repeat(100)}`.trim(),
    ).join("\n\n");
    const corpus = [
      { _id: "long", title: "Long", text: long },
      { _id: "d1", title: "Bees", text: `Bees make ${"many other things and ".repeat(30)} honey.` },
    ];
    await writeFile(
      path.join(directory, "corpus.jsonl"),
      corpus.map((record) => JSON.stringify(record)).join("\n"),
    );
    const report = await runRetrievalEval({ ...wordsAlone, directory, limit: 1 });
    expect(report.passages).toBeGreaterThan(200);
    expect(report).toMatchObject({ n: 1, "recall@100": 1, "mrr@10": 0.5 });
  });

  it("says what is missing", async () => {
    await expect(
      runRetrievalEval({ ...wordsAlone, directory, split: "train" }),
    ).rejects.toMatchObject({
      name: "UserError",
      hint: expect.stringContaining("test"),
    });
    await expect(
      runRetrievalEval({ ...wordsAlone, directory: path.join(directory, "nowhere") }),
    ).rejects.toThrow(UserError);
  });
});
