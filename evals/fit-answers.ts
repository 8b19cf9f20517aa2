/**
 * Fits the three small models behind the embedded answer: which sentence answers a question, which of its words are the short answer, and whether
 * it answers at all. `node --import tsx evals/fit-answers.ts QA_DIR [EVIDENCE_FILE...] [--out src/answering]`
 *
 * QA_DIR holds `corpus.jsonl` and `questions.jsonl` with gold answers and unanswerable questions; each EVIDENCE_FILE holds questions with found
 * passages and answers. The first two models are fitted to QA_DIR alone, whose gold sentences are certain; the third to all, so that its
 * probabilities mean something for questions of another style. The figures that are printed are for articles and files that were held out.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ANSWERABILITY_FEATURES, measureAnswerability, type AnswerabilityFeatures } from "../src/answering/answerability.js";
import { readForSpans, spansIn } from "../src/answering/answer-spans.js";
import { composeAnswer } from "../src/answering/compose-answer.js";
import type { RankedSentence } from "../src/answering/rank-sentences.js";
import { rankMeasured } from "../src/answering/rank-sentences.js";
import { SENTENCE_FEATURES } from "../src/answering/sentence-features.js";
import { SENTENCES_READ, shortAnswer } from "../src/answering/short-answer.js";
import { measureSpan, SPAN_FEATURES, spanContext } from "../src/answering/span-features.js";
import { fitLogistic, fitNonNegative } from "../src/grading/calibration/fit.js";
import { auc } from "../src/grading/calibration/metrics.js";
import { probability, type LogisticModel } from "../src/grading/logistic.js";
import { readEvidenceItems, readQaItems, type AnswerItem } from "./answer-items.js";
import { fitChoice } from "./fit-choice.js";
import { containsAnswer, exactMatch, normaliseAnswer, wordF1 } from "./qa-metrics.js";

const PENALTY = { sentence: 20, span: 10, answerability: 20 };
/** What the QA folder weighs among the examples of answerability; the files share the rest alike. */
const QA_SHARE = 0.6;
const FOLDS = 4;

interface Models {
  sentence: LogisticModel;
  span: LogisticModel;
}

function fitSentences(items: readonly AnswerItem[]): LogisticModel {
  const examples = items
    .filter(({ right }) => right.includes(true))
    .flatMap(({ sentences, right }) => sentences.map(({ features }, index) => ({ features, positive: right[index] ?? false })));
  return fitLogistic(examples, SENTENCE_FEATURES, PENALTY.sentence);
}

function fitSpans(items: readonly AnswerItem[], sentence: LogisticModel): LogisticModel {
  const questions = items
    .filter(({ answerable }) => answerable)
    .map(({ focus, sentences, gold }) => {
      const wanted = new Set(gold.map(normaliseAnswer));
      return rankMeasured(sentences, focus, sentence)
        .slice(0, SENTENCES_READ)
        .flatMap(({ measured, probability: likely }) => {
          const read = readForSpans(measured.candidate, focus);
          const context = spanContext(read, focus, likely, measured.direct);
          return spansIn(read).map((span) => {
            const features = measureSpan(span, context);
            const { tokens, text } = measured.candidate;
            const words = text.slice(tokens[span.from]?.start, tokens[span.to]?.end);
            return { features: Float64Array.from(SPAN_FEATURES, (name) => features[name]), right: wanted.has(normaliseAnswer(words)) };
          });
        });
    });
  return fitChoice(questions, SPAN_FEATURES, PENALTY.span);
}

interface Answered {
  item: AnswerItem;
  features: AnswerabilityFeatures;
  text: string;
  /** The answer holds a gold one. */
  right: boolean;
}

function answer(items: readonly AnswerItem[], { sentence, span }: Models): Answered[] {
  return items.flatMap((item) => {
    const ranked = rankMeasured(item.sentences, item.focus, sentence);
    const [best, ...others]: RankedSentence[] = ranked;
    if (best === undefined) return [];
    const short = shortAnswer(item.focus, ranked, span);
    const text = composeAnswer(item.focus, [best, ...others], short);
    const right =
      item.answerable && (containsAnswer(text, item.gold) || item.gold.some((gold) => gold.includes(best.measured.candidate.text)));
    return [{ item, features: measureAnswerability(item.question, item.focus, best, short), text, right }];
  });
}

/** The QA folder weighs `QA_SHARE`, whatever its size, and the files share the rest. */
function fitAnswerability(answered: readonly Answered[], isQa: (item: AnswerItem) => boolean): LogisticModel {
  const files = new Set(answered.filter(({ item }) => !isQa(item)).map(({ item }) => item.group));
  const count = (fits: (item: AnswerItem) => boolean): number => Math.max(1, answered.filter(({ item }) => fits(item)).length);
  const whole = count(isQa);
  const weights = new Map([...files].map((file) => [file, ((1 - QA_SHARE) * whole) / files.size / count(({ group }) => group === file)]));
  const share = files.size === 0 ? 1 : QA_SHARE;
  return fitNonNegative(
    answered.map(({ item, features, right }) => ({
      features,
      positive: right,
      weight: isQa(item) ? share : (weights.get(item.group) ?? 0),
    })),
    ANSWERABILITY_FEATURES,
    PENALTY.answerability,
  );
}

function report(scored: readonly (Answered & { score: number })[]): void {
  const answerable = scored.filter(({ item }) => item.answerable);
  const mean = (value: (answered: Answered) => number): string =>
    (answerable.reduce((sum, answered) => sum + value(answered), 0) / answerable.length).toFixed(3);
  const judged = (positive: (answered: Answered) => boolean): string =>
    auc(scored.map((answered) => ({ score: answered.score, positive: positive(answered) }))).toFixed(3);
  console.log(
    `contains ${mean(({ right }) => Number(right))}, EM ${mean(({ text, item }) => Number(exactMatch(text, item.gold)))}, F1 ${mean(({ text, item }) => wordF1(text, item.gold))}; ` +
      `AUC answerable ${judged(({ item }) => item.answerable)}, right ${judged(({ right }) => right)}`,
  );
  const wrong = (of: readonly Answered[]): number => of.filter(({ right }) => !right).length / Math.max(1, of.length);
  const ordered = answerable.map(({ score }) => score).sort((a, b) => a - b);
  for (const withheld of [0.1, 0.15, 0.2, 0.25]) {
    const threshold = ordered[Math.floor(withheld * ordered.length)] ?? 0;
    const said = scored.filter(({ score }) => score >= threshold);
    console.log(
      `  withholding ${String(withheld)} of the answerable (below ${threshold.toFixed(3)}): wrong among the answered ${wrong(said).toFixed(3)}, ` +
        `${(1 - wrong(said) / wrong(scored)).toFixed(3)} fewer; contains ${(said.filter(({ right }) => right).length / answerable.length).toFixed(3)}`,
    );
  }
}

const [directory, ...rest] = process.argv.slice(2);
if (directory === undefined) throw new Error("usage: fit-answers QA_DIR [EVIDENCE_FILE...] [--out FOLDER]");
const flag = rest.indexOf("--out");
const out = flag === -1 ? undefined : rest[flag + 1];
const qa = await readQaItems(directory);
const more = (await Promise.all((flag === -1 ? rest : rest.slice(0, flag)).map(readEvidenceItems))).flat();
const isQa = (item: AnswerItem): boolean => articles.includes(item.group);
const articles = [...new Set(qa.map(({ group }) => group))];

const heldOut: (Answered & { score: number })[] = [];
for (let fold = 0; fold < FOLDS; fold += 1) {
  const isHeld = ({ group }: AnswerItem): boolean => articles.indexOf(group) % FOLDS === fold;
  const train = qa.filter((item) => !isHeld(item));
  const sentence = fitSentences(train);
  const models = { sentence, span: fitSpans(train, sentence) };
  const judge = fitAnswerability(answer([...train, ...more], models), isQa);
  heldOut.push(...answer(qa.filter(isHeld), models).map((answered) => ({ ...answered, score: probability(answered.features, judge) })));
}
console.log("articles that were held out:");
report(heldOut);

const sentence = fitSentences(qa);
const models = { sentence, span: fitSpans(qa, sentence) };
const answered = answer([...qa, ...more], models);
for (const file of new Set(more.map(({ group }) => group))) {
  const judge = fitAnswerability(
    answered.filter(({ item }) => item.group !== file),
    isQa,
  );
  console.log(`${file}, held out:`);
  report(answered.filter(({ item }) => item.group === file).map((one) => ({ ...one, score: probability(one.features, judge) })));
}
const answerability = fitAnswerability(answered, isQa);
console.log("all, seen (the QA folder):");
report(answered.filter(({ item }) => isQa(item)).map((one) => ({ ...one, score: probability(one.features, answerability) })));
if (out !== undefined) {
  for (const [name, model] of Object.entries({ ...models, answerability }))
    await writeFile(join(out, `${name}-weights.json`), `${JSON.stringify(model, null, 2)}\n`);
}
