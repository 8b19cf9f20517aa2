import { expect, it } from "@jest/globals";
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Run } from "../../evals/ask-question.js";
import { reportOf, runQaEval } from "../../evals/qa.js";
import { evenlySpread } from "../../evals/evenly-spread.js";
import { riskAt, riskCurve } from "../../evals/risk-coverage.js";

const METRICS = [
  "contains",
  "em",
  "f1",
  "answered_share",
  "false_answer_rate",
  "false_abstain_rate",
  "hallucination_rate",
  "hallucinated_share",
  "truthfulness",
];

function qaFolder(questions: readonly unknown[]): string {
  const directory = mkdtempSync(join(tmpdir(), "qa-"));
  const corpus = [
    {
      _id: "a",
      title: "Emma",
      text: "Emma is a novel written by Jane Austen. It was first published in December 1815.",
    },
    {
      _id: "b",
      title: "Normans",
      text: "Rollo was the Norse leader who settled in Normandy. The Normans spoke Norman French.",
    },
    {
      _id: "c",
      title: "Bats",
      text: "Bats are mammals of the order Chiroptera. They are the only mammals capable of true flight.",
    },
  ];
  const lines = (records: readonly unknown[]) =>
    records
      .map((record) => (typeof record === "string" ? record : JSON.stringify(record)))
      .join("\n");
  writeFileSync(join(directory, "corpus.jsonl"), lines(corpus));
  writeFileSync(join(directory, "questions.jsonl"), lines(questions));
  return directory;
}
const QUESTIONS = [
  {
    id: 1,
    question: "Who wrote the novel Emma?",
    answers: ["Jane Austen"],
    answerable: true,
    doc_id: "a",
  },
  {
    id: 2,
    question: "Who was the Norse leader who settled in Normandy?",
    answers: ["Rollo"],
    answerable: true,
    doc_id: "b",
  },
  {
    id: 3,
    question: "Who is the chief executive of Quantix Robotics?",
    answers: [],
    answerable: false,
  },
  {
    id: 4,
    question: "How many satellites did Quantix launch in 2019?",
    answers: [],
    answerable: false,
  },
];

it("answers each question plainly and correctively, and reports the agreed figures of both", async () => {
  const report = await runQaEval({ directory: qaFolder(QUESTIONS) });
  expect(report.n).toBe(4);
  for (const side of [report.plain, report.corrective])
    for (const metric of METRICS) expect(side).toHaveProperty(metric, expect.any(Number));
  expect(report.plain.contains).toBe(1);
  expect(report.corrective.false_answer_rate).toBeLessThanOrEqual(report.plain.false_answer_rate);
  expect(report.corrective).toMatchObject({
    model_calls: 0,
    tokens: 0,
    latency_ms: { p50: expect.any(Number), p95: expect.any(Number) },
  });
  expect(report.risk_at_equal_share.answered_share).toBeLessThanOrEqual(1);
  expect(report).not.toHaveProperty("ablation");
});

it("says by how much hallucinations are fewer, of the answered and of all questions", () => {
  const run = (said: boolean, answerable: boolean): Run => ({
    id: "1",
    question: "?",
    record: {
      answer: said ? "Rollo" : "",
      abstained: !said,
      goldAnswers: answerable ? ["Rollo"] : [],
      answerable,
    },
    judged: 0.5,
    coverage: 0.5,
    iterations: 0,
    webUsed: false,
    modelCalls: 0,
    tokens: 0,
    tookMs: 1,
  });
  const pair = (answerable: boolean, corrected: boolean) => ({
    plain: run(true, answerable),
    corrective: run(corrected, answerable),
  });
  const report = reportOf([
    pair(true, true),
    pair(true, true),
    pair(false, true),
    pair(false, false),
  ]);
  expect(report.hallucination_reduction.estimate).toBeCloseTo(1 - 1 / 3 / (2 / 4));
  expect(report.hallucinated_share_reduction.estimate).toBeCloseTo(1 - 1 / 2);
});

it("writes a report that needs nothing else, and a table of what each step changes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "report-"));
  const { ablation } = await runQaEval({
    directory: qaFolder(QUESTIONS),
    limit: 2,
    ablation: true,
    report: folder,
  });
  expect(ablation?.map(({ switched_off: name }) => name)).toEqual([
    "nothing",
    "grading",
    "filtering",
    "refinement",
    "web",
    "reranking",
    "guard",
    "plain RAG",
  ]);
  expect(ablation?.[1]?.gain?.hallucination_rate).toMatchObject({
    estimate: expect.any(Number),
    low: expect.any(Number),
    high: expect.any(Number),
  });
  expect(readdirSync(folder).sort()).toEqual(["qa-1.svg", "qa.html", "qa.md"]);
  const page = readFileSync(join(folder, "qa.html"), "utf8");
  expect(page).toMatch(/^<!doctype html>/u);
  expect(page).toContain("<svg");
  expect(page).not.toMatch(/<script|src="|href="/u);
  expect(readFileSync(join(folder, "qa.md"), "utf8")).toContain("| hallucination_rate |");
});

it("names file and line of what it cannot read", async () => {
  await expect(
    runQaEval({ directory: qaFolder([QUESTIONS[0], { id: 2, question: "no label" }]) }),
  ).rejects.toThrow(/questions\.jsonl, line 2: answerable/u);
  await expect(runQaEval({ directory: qaFolder(["{oops"]) })).rejects.toThrow(
    /questions\.jsonl, line 1: not JSON/u,
  );
  await expect(runQaEval({ directory: mkdtempSync(join(tmpdir(), "none-")) })).rejects.toThrow(
    /cannot read .*corpus\.jsonl|cannot read .*questions\.jsonl/u,
  );
});

it("samples at equal distances", () => {
  expect(evenlySpread([1, 2, 3, 4, 5, 6], 3)).toEqual([1, 3, 5]);
  expect(evenlySpread([1, 2], 5)).toEqual([1, 2]);
});

it("counts risk from the surest answer on, equal confidence in one step", () => {
  const attempts = [
    { confidence: 0.9, wrong: false },
    { confidence: 0.5, wrong: true },
    { confidence: 0.5, wrong: false },
    { confidence: -Infinity, wrong: false },
  ];
  expect(riskCurve(attempts)).toEqual([
    { coverage: 0.25, risk: 0 },
    { coverage: 0.75, risk: 1 / 3 },
  ]);
  expect(riskAt(attempts, 0.75)).toBeCloseTo(1 / 3);
  expect(riskAt(attempts, 0.5)).toBeCloseTo(0.25);
  expect(riskAt(attempts, 1)).toBeNaN();
});
