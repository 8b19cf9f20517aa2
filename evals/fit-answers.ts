/**
 * Fits the three small models behind the embedded answer: which sentence answers a question, which of its words are the short answer, and whether
 * it answers at all. `node --import tsx evals/fit-answers.ts QA_DIR [EVIDENCE_FILE...] [--out src/answering/quoting]`
 *
 * QA_DIR holds `corpus.jsonl` and `questions.jsonl` with gold answers and unanswerable questions; each EVIDENCE_FILE holds questions with found
 * passages and answers. The short answer is fitted to QA_DIR alone, whose gold answers are certain; the other two models to all, so that they
 * mean something for questions of another style. The figures that are printed are for articles and files that were held out.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { auc } from "../src/grading/calibration/metrics.js";
import { probability, type LogisticModel } from "../src/grading/logistic.js";
import { readEvidenceItems, readQaItems, type AnswerItem } from "./answer-items.js";
import { answer, fitAnswerability, fitModels, type Answered } from "./answer-training.js";
import { exactMatch, wordF1 } from "./qa-metrics.js";

function scoreOf({ features, isMissing }: Answered, model: LogisticModel): number {
  return isMissing ? 0 : probability(features, model);
}

function report(scored: readonly (Answered & { score: number })[]): void {
  const answerable = scored.filter(({ item }) => item.answerable);
  const mean = (value: (answered: Answered) => number): string =>
    (answerable.reduce((sum, answered) => sum + value(answered), 0) / answerable.length).toFixed(3);
  const judged = (positive: (answered: Answered) => boolean): string =>
    auc(
      scored.map((answered) => ({ score: answered.score, positive: positive(answered) })),
    ).toFixed(3);
  console.log(
    `contains ${mean(({ right }) => Number(right))}, EM ${mean(({ text, item }) => Number(exactMatch(text, item.gold)))}, F1 ${mean(({ text, item }) => wordF1(text, item.gold))}; ` +
      `AUC answerable ${judged(({ item }) => item.answerable)}, right ${judged(({ right }) => right)}`,
  );
  const wrong = (of: readonly Answered[]): number =>
    of.filter(({ right }) => !right).length / Math.max(1, of.length);
  const ordered = answerable.map(({ score }) => score).sort((a, b) => a - b);
  for (const withheld of [0.1, 0.15, 0.2, 0.25]) {
    const threshold = Math.max(1e-9, ordered[Math.floor(withheld * ordered.length)] ?? 0);
    const said = scored.filter(({ score }) => score >= threshold);
    console.log(
      `  withholding ${String(withheld)} of the answerable (below ${threshold.toFixed(3)}): wrong among the answered ${wrong(said).toFixed(3)}, ` +
        `${(1 - wrong(said) / wrong(scored)).toFixed(3)} fewer; contains ${(said.filter(({ right }) => right).length / answerable.length).toFixed(3)}`,
    );
  }
}

const [directory, ...rest] = process.argv.slice(2);
if (directory === undefined)
  throw new Error("usage: fit-answers QA_DIR [EVIDENCE_FILE...] [--out FOLDER]");
const flag = rest.indexOf("--out");
const out = flag === -1 ? undefined : rest[flag + 1];
const qa = await readQaItems(directory);
const more = (
  await Promise.all((flag === -1 ? rest : rest.slice(0, flag)).map(readEvidenceItems))
).flat();
const articles = [...new Set(qa.map(({ group }) => group))];
const isQa = (item: AnswerItem): boolean => articles.includes(item.group);

// Each article and each file is answered by models that did not see it: on what they did see they are surer than they ought to be, and a judge that
// learned from that would trust them too much elsewhere.
const files = [...new Set(more.map(({ group }) => group))];
const answered = [...articles, ...files].flatMap((group) => {
  const others = (items: readonly AnswerItem[]): AnswerItem[] =>
    items.filter((item) => item.group !== group);
  return answer(
    [...qa, ...more].filter((item) => item.group === group),
    fitModels(others(qa), others(more)),
  );
});
const models = fitModels(qa, more);
const held = (group: string): (Answered & { score: number })[] => {
  const judge = fitAnswerability(
    answered.filter(({ item }) => item.group !== group),
    isQa,
  );
  return answered
    .filter(({ item }) => item.group === group)
    .map((one) => ({ ...one, score: scoreOf(one, judge) }));
};
console.log("articles that were held out:");
report(articles.flatMap(held));
for (const file of files) {
  console.log(`${file}, held out:`);
  report(held(file));
}
const answerability = fitAnswerability(answered, isQa);
console.log("all, seen (the QA folder):");
report(answer(qa, models).map((one) => ({ ...one, score: scoreOf(one, answerability) })));
if (out !== undefined) {
  for (const [name, model] of Object.entries({ ...models, answerability }))
    await writeFile(join(out, `${name}-weights.json`), `${JSON.stringify(model, null, 2)}\n`);
}
