import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { figuresOf, runUsersEval } from "../../evals/users.js";

let folder: string;
const before = process.env["CRAG_READER"];
const lines = (rows: readonly object[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join("");

beforeAll(async () => {
  process.env["CRAG_READER"] = "lexical";
  folder = await mkdtemp(join(tmpdir(), "users-"));
  const passage = (id: string, title: string, text: string, position: number) => ({
    ...{ id, source: "towns", path: "towns.md", position, title, heading: null, text },
    sentences: [text],
  });
  const tower = "The tower of Quellin is 61 metres high.";
  await writeFile(
    join(folder, "passages.jsonl"),
    lines([
      passage("a", "Tower", tower, 0),
      passage("b", "Harbor", "The harbor of Quellin has four piers.", 1),
      passage("c", "Market", "Fish is sold at the market on Fridays.", 2),
    ]),
  );
  const question = { source: "towns", passage: "a", words: "user" };
  await writeFile(
    join(folder, "questions.jsonl"),
    lines([
      {
        ...question,
        question: "How high is the tower of Quellin?",
        answerable: true,
        sentences: [0],
      },
      { ...question, question: "Who painted the ceiling?", answerable: false, sentences: [] },
    ]),
  );
  await writeFile(
    join(folder, "pool.jsonl"),
    lines([
      {
        source: "towns",
        kind: "q",
        question: "How high is the tower of Quellin?",
        answers: { a: 2 },
      },
      { source: "towns", kind: "u", question: "How many piers are there?", answers: { b: 1 } },
    ]),
  );
});
afterAll(async () => {
  if (before === undefined) delete process.env["CRAG_READER"];
  else process.env["CRAG_READER"] = before;
  await rm(folder, { recursive: true });
});

it("asks each source without a model, beside plain BM25", async () => {
  const report = await runUsersEval({ directory: folder });
  expect(report).toMatchObject({ n: 2, unanswerable: 1, truth_at_1: 1, truth_on_screen: 1 });
  expect(report.plain).toEqual({ truth_at_1: 1, truth_at_3: 1, truth_at_5: 1 });
  expect(Object.keys(report.by_source)).toEqual(["towns"]);
});

it("counts by the judged pools if told to: a part of an answer is none", async () => {
  const report = await runUsersEval({ directory: folder, pool: true });
  expect(report).toMatchObject({ n: 2, unanswerable: 1, truth_at_5: 1 });
});

it("takes so many questions a source as it is told", async () => {
  expect((await runUsersEval({ directory: folder, limit: 1 })).n).toBe(1);
});

it("shares what was asserted and right among the answerable ones", () => {
  const one = { source: "s", plainRank: Infinity, nothing: false, tookMs: 1 };
  const right = { ...one, answerable: true, rank: 0, onScreen: true, asserted: true, right: true };
  const figures = figuresOf([
    right,
    { ...right, rank: 3, onScreen: false, right: false },
    { ...right, rank: 4, asserted: false, right: false },
    { ...right, answerable: false, rank: Infinity, right: false },
  ]);
  expect(figures).toMatchObject({ truth_at_1: 1 / 3, truth_at_3: 1 / 3, truth_at_5: 1 });
  expect(figures).toMatchObject({
    asserted: 2 / 3,
    asserted_right: 1 / 2,
    unanswerable_asserted: 1,
  });
});
