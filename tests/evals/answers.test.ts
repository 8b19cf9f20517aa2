import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { runAnswersEval } from "../../evals/answers.js";
import { runReplayEval } from "../../evals/replay.js";

const evidence = [
  {
    title: "Tower",
    text: "The tower was opened in 1889. It stands in Paris. It is 330 metres tall.",
  },
];
const record = (id: string, answer: string, wrong?: string): string =>
  JSON.stringify({
    id,
    model: wrong === undefined ? "careful" : "careless",
    question: "How tall is the tower?",
    evidence,
    answer,
    faithful: wrong === undefined,
    unsupported:
      wrong === undefined ? [] : [[answer.indexOf(wrong), answer.indexOf(wrong) + wrong.length]],
  });

const file = join(mkdtempSync(join(tmpdir(), "answers-")), "answers.jsonl");
writeFileSync(
  file,
  [
    record("1", "The tower is 330 metres tall. It stands in Paris."),
    record("2", "The tower was opened in 1889."),
    record(
      "3",
      "The tower is 330 metres tall. It weighs 10,100 tonnes.",
      "It weighs 10,100 tonnes.",
    ),
  ].join("\n"),
);

describe("recorded answers", () => {
  it("are measured by sentence, by answer and by writer", async () => {
    const report = await runAnswersEval({ file });
    expect(report).toMatchObject({
      n: 3,
      sentences: 5,
      auc_answer: 1,
      auc_sentence: 1,
      clean_touched: 0,
      clean_withdrawn: 0,
      unsupported_caught: 1,
      withdrawn_precision: 1,
    });
    expect(Object.keys(report.by_writer)).toEqual(["careful", "careless"]);
  });

  it("are replayed through the compiled graph: nothing true is lost, nothing invented shown", async () => {
    const report = await runReplayEval({ file });
    expect(report).toMatchObject({
      n: 3,
      clean_touched: 0,
      clean_abstained: 0,
      unfaithful_caught: 1,
    });
  });
});
