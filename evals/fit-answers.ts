/**
 * Fits the two small models behind the embedded answer: which sentence answers a question, and whether the best one really does.
 * `node --import tsx evals/fit-answers.ts QA_DIR [EVIDENCE_FILE...] [--out src/answering]`
 *
 * QA_DIR holds `corpus.jsonl` and `questions.jsonl` with gold answers and unanswerable questions; each EVIDENCE_FILE holds questions with found
 * passages and answers. The first model is fitted to QA_DIR alone, whose gold sentences are certain; the second to all, so that its
 * probabilities mean something for questions of another style. Half of the articles are held out for the figures that are printed.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ANSWERABILITY_FEATURES, measureAnswerability } from "../src/answering/answerability.js";
import { candidatesOf } from "../src/answering/answer-candidates.js";
import { questionFocus, type QuestionFocus } from "../src/answering/question-focus.js";
import { measureSentence, SENTENCE_FEATURES, type MeasuredSentence } from "../src/answering/sentence-features.js";
import { auc } from "../src/grading/calibration/metrics.js";
import { fitLogistic, probability, type LogisticModel } from "../src/grading/logistic.js";
import type { Evidence } from "../src/state/evidence.js";
import { contentTerms } from "../src/text/analyse.js";
import { normaliseAnswer } from "./qa-metrics.js";

interface Item {
  question: string;
  focus: QuestionFocus;
  answerable: boolean;
  group: string;
  sentences: MeasuredSentence[];
  /** Whether each sentence holds the answer. */
  right: boolean[];
}

const PASSAGES = 5;
const PENALTY = 20;

async function readLines<Row>(file: string): Promise<Row[]> {
  const text = await readFile(file, "utf8");
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line): Row => JSON.parse(line));
}

function itemOf(
  question: string,
  evidence: readonly Evidence[],
  isRight: (passage: Evidence, sentence: string) => boolean,
  answerable: boolean,
  group: string,
): Item {
  const sources = evidence.map((item, index) => ({ marker: index + 1, evidenceId: item.id, strips: [] }));
  const focus = questionFocus(question);
  const sentences = candidatesOf({ text: "", form: "relevant", tokens: 0, sources }, evidence).map((candidate) =>
    measureSentence(candidate, focus),
  );
  const right = sentences.map(({ candidate }) => {
    const item = evidence[candidate.marker - 1];
    return item !== undefined && isRight(item, candidate.text);
  });
  return { question, focus, answerable, group, sentences, right };
}

function passage(id: string, title: string, text: string): Evidence {
  return { id, title, text, source: { kind: "file", path: id }, tool: "fit", round: 0, scores: [], status: "kept" };
}

/** Questions with the passages that share most with them, by BM25. */
async function readQa(directory: string): Promise<Item[]> {
  const corpus = await readLines<{ _id: string; title: string; text: string }>(join(directory, "corpus.jsonl"));
  const questions = await readLines<{ question: string; answers: string[]; answerable: boolean; doc_id: string }>(
    join(directory, "questions.jsonl"),
  );
  const search = bm25(corpus.map(({ title, text }) => contentTerms(`${title} ${text}`)));
  return questions.map(({ question, answers, answerable, doc_id }) => {
    const gold = answers.map(normaliseAnswer).filter((answer) => answer !== "");
    const found = search(contentTerms(question), PASSAGES).flatMap((index) => corpus[index] ?? []);
    const holds = (item: Evidence, sentence: string): boolean =>
      item.id === doc_id && gold.some((answer) => ` ${normaliseAnswer(sentence)} `.includes(` ${answer} `));
    return itemOf(
      question,
      found.map(({ _id, title, text }) => passage(_id, title, text)),
      holds,
      answerable,
      doc_id.replace(/-\d+$/u, ""),
    );
  });
}

/** Questions with the passages that a search found for them, and the answers that people would accept. */
async function readEvidence(file: string): Promise<Item[]> {
  const rows = await readLines<{
    id: string;
    question: string;
    answers: string[] | null;
    answerable: boolean;
    passages: { title: string; text: string }[];
  }>(file);
  return rows.map(({ id, question, answers, answerable, passages }) => {
    const gold = (answers ?? []).map(normaliseAnswer).filter((answer) => answer !== "");
    const evidence = passages.slice(0, PASSAGES).map(({ title, text }, index) => passage(`${id}-${String(index)}`, title, text));
    const holds = (_item: Evidence, sentence: string): boolean =>
      gold.some((answer) => ` ${normaliseAnswer(sentence)} `.includes(` ${answer} `));
    return itemOf(question, evidence, holds, answerable, file);
  });
}

function bm25(documents: readonly (readonly string[])[]): (terms: readonly string[], limit: number) => number[] {
  const average = documents.reduce((sum, terms) => sum + terms.length, 0) / documents.length;
  const postings = new Map<string, Map<number, number>>();
  for (const [index, terms] of documents.entries()) {
    for (const term of terms) {
      const list = postings.get(term) ?? new Map<number, number>();
      postings.set(term, list.set(index, (list.get(index) ?? 0) + 1));
    }
  }
  return (terms, limit) => {
    const scores = new Map<number, number>();
    for (const term of new Set(terms)) {
      const list = postings.get(term) ?? new Map<number, number>();
      const weight = Math.log(1 + (documents.length - list.size + 0.5) / (list.size + 0.5));
      for (const [index, count] of list) {
        const length = documents[index]?.length ?? 0;
        scores.set(index, (scores.get(index) ?? 0) + (weight * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / average)));
      }
    }
    return [...scores]
      .sort((a, b) => b[1] - a[1])
      .slice(0, limit)
      .map(([index]) => index);
  };
}

function fitSentences(items: readonly Item[]): LogisticModel {
  const examples = items
    .filter(({ right }) => right.includes(true))
    .flatMap(({ sentences, right }) => sentences.map(({ features }, index) => ({ features, positive: right[index] ?? false })));
  return fitLogistic(examples, SENTENCE_FEATURES);
}

function answerabilityExamples(items: readonly Item[], model: LogisticModel) {
  return items.flatMap((item) => {
    const ranked = item.sentences
      .map((measured, index) => ({ measured, probability: probability(measured.features, model), right: item.right[index] ?? false }))
      .sort((a, b) => b.probability - a.probability);
    const [best, ...others] = ranked;
    if (best === undefined) return [];
    return [
      {
        features: measureAnswerability(item.question, item.focus, [best, ...others]),
        answerable: item.answerable,
        positive: item.answerable && best.right,
      },
    ];
  });
}

function report(name: string, train: readonly Item[], test: readonly Item[], model: LogisticModel): void {
  const answerable = test.filter((item) => item.answerable);
  const top = answerable.filter((item) => {
    const scores = item.sentences.map(({ features }) => probability(features, model));
    return item.right[scores.indexOf(Math.max(...scores))] ?? false;
  });
  const judge = fitLogistic(answerabilityExamples(train, model), ANSWERABILITY_FEATURES, PENALTY);
  const judged = answerabilityExamples(test, model).map((example) => ({ ...example, score: probability(example.features, judge) }));
  const answerableAuc = auc(judged.map(({ score, answerable: positive }) => ({ score, positive })));
  console.log(
    `${name}: best sentence right ${(top.length / answerable.length).toFixed(3)} of ${String(answerable.length)}, AUC answerable ${answerableAuc.toFixed(3)}, right ${auc(judged).toFixed(3)}`,
  );
  for (const threshold of [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]) {
    const said = judged.filter(({ score }) => score >= threshold);
    const rate = (part: number, whole: number): string => (part / Math.max(1, whole)).toFixed(3);
    const withheld = rate(judged.filter(({ score, answerable: positive }) => positive && score < threshold).length, answerable.length);
    console.log(
      `  from ${String(threshold)}: false abstentions ${withheld}, wrong among the answered ${rate(said.filter(({ positive }) => !positive).length, said.length)}`,
    );
  }
}

const [directory, ...rest] = process.argv.slice(2);
if (directory === undefined) throw new Error("usage: fit-answers QA_DIR [EVIDENCE_FILE...] [--out FOLDER]");
const flag = rest.indexOf("--out");
const out = flag === -1 ? undefined : rest[flag + 1];
const qa = await readQa(directory);
const more = (await Promise.all((flag === -1 ? rest : rest.slice(0, flag)).map(readEvidence))).flat();
const groups = [...new Set(qa.map(({ group }) => group))];
const even = qa.filter(({ group }) => groups.indexOf(group) % 2 === 0);
const odd = qa.filter(({ group }) => groups.indexOf(group) % 2 === 1);
report("even articles and others → odd", [...even, ...more], odd, fitSentences(even));
report("odd articles and others → even", [...odd, ...more], even, fitSentences(odd));
report("even articles → others", even, more, fitSentences(even));
report("all → others (seen)", [...qa, ...more], more, fitSentences(qa));
if (out !== undefined) {
  const sentences = fitSentences(qa);
  await writeFile(join(out, "sentence-weights.json"), `${JSON.stringify(sentences, null, 2)}\n`);
  const judge = fitLogistic(answerabilityExamples([...qa, ...more], sentences), ANSWERABILITY_FEATURES, PENALTY);
  await writeFile(join(out, "answerability-weights.json"), `${JSON.stringify(judge, null, 2)}\n`);
}
