import { expect, it } from "@jest/globals";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { evidenceFromQa } from "../../evals/evidence-from-qa.js";
import { runEvidenceEval } from "../../evals/evidence.js";

const folder = mkdtempSync(join(tmpdir(), "evidence-"));
const write = (name: string, lines: readonly unknown[]): string => {
  const path = join(folder, name);
  writeFileSync(
    path,
    lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"),
  );
  return path;
};
const AUSTEN = { title: "Emma", text: "Emma is a novel written by Jane Austen.", relevant: true };
const BAT = { title: null, text: "The bat is a mammal.", relevant: false };

it("reports exactly the agreed figures, also for a set without passages", async () => {
  const file = write("ok.jsonl", [
    {
      id: 1,
      question: "Which novel by Jane Austen is called Emma?",
      answers: null,
      answerable: true,
      passages: [AUSTEN, BAT],
    },
    {
      id: "2",
      question: "Who is the CEO of Quantix?",
      answers: ["x"],
      answerable: false,
      passages: [BAT],
    },
    { id: "3", question: "Who is the CEO of Quantix?", answerable: false, passages: [] },
  ]);
  for (const profile of ["adaptive", "signals", "adequacy"] as const) {
    const report = await runEvidenceEval({ file, profile });
    expect(Object.keys(report).sort()).toEqual(
      [
        "n",
        "auc_set",
        "auc_passage",
        "accuracy",
        "balanced_accuracy",
        "false_correct_rate",
        "false_incorrect_rate",
        "ambiguous_share",
        "latency_ms",
      ].sort(),
    );
    expect(report).toMatchObject({ n: 3, auc_set: 1, auc_passage: 1, false_correct_rate: 0 });
  }
  expect((await runEvidenceEval({ file, limit: 1 })).n).toBe(1);
});

it("names file and line of what it cannot read", async () => {
  await expect(
    runEvidenceEval({
      file: write("bad.jsonl", [
        { id: "1", question: "q", answerable: true, passages: [] },
        "{oops",
      ]),
    }),
  ).rejects.toThrow(/bad\.jsonl, line 2: not JSON/u);
  await expect(
    runEvidenceEval({ file: write("shape.jsonl", [{ id: "1", question: "q", passages: [] }]) }),
  ).rejects.toThrow(/line 1: answerable/u);
  await expect(runEvidenceEval({ file: join(folder, "none.jsonl") })).rejects.toThrow(
    /cannot read/u,
  );
});

it("makes sets with and without the paragraph that answers", () => {
  const corpus = [
    { _id: "a", title: "Normans", text: "Rollo was the Norse leader who settled in Normandy." },
    { _id: "b", title: "Normans", text: "The Norse came from Denmark." },
  ];
  const question = {
    id: "q",
    question: "Who was the Norse leader?",
    answers: ["Rollo"],
    answerable: true,
    doc_id: "a",
  };
  const sets = evidenceFromQa({ corpus, questions: [question] });
  expect(sets.map(({ answerable }) => answerable)).toEqual([true, false]);
  expect(sets[1]?.passages.every(({ relevant }) => !relevant)).toBe(true);
});
