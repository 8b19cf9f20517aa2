/** The three models behind the embedded answer, fitted to questions with known answers. */
import {
  ANSWERABILITY_FEATURES,
  measureAnswerability,
  type AnswerabilityFeatures,
} from "../src/answering/quoting/answerability.js";
import { readForSpans, spansIn } from "../src/answering/quoting/short-answer/answer-spans.js";
import { composeAnswer } from "../src/answering/quoting/compose-answer.js";
import { preferAskedKind } from "../src/answering/quoting/kinds/prefer-kind.js";
import type { QuestionFocus } from "../src/answering/quoting/question-focus.js";
import type { RankedSentence } from "../src/answering/quoting/rank-sentences.js";
import { rankMeasured } from "../src/answering/quoting/rank-sentences.js";
import {
  SENTENCE_FEATURES,
  type MeasuredSentence,
} from "../src/answering/quoting/sentence-features.js";
import {
  onlyQuantity,
  SENTENCES_READ,
  shortAnswer,
  standsFirst,
} from "../src/answering/quoting/short-answer/short-answer.js";
import {
  measureSpan,
  SPAN_FEATURES,
  spanContext,
} from "../src/answering/quoting/short-answer/span-features.js";
import { fitNonNegative } from "../src/grading/calibration/fit.js";
import type { LogisticModel } from "../src/grading/logistic.js";
import type { AnswerItem } from "./answer-items.js";
import { fitChoice, fitNone, type Option } from "./fit-choice.js";
import { containsAnswer, normaliseAnswer } from "./qa-metrics.js";

const PENALTY = { sentence: 10, span: 10, answerability: 20 };
/** What the QA folder weighs among the examples of answerability; the files share the rest alike. */
const QA_SHARE = 0.7;

/**
 * What a question of a file counts when sentences are ranked, against one of the QA folder: a sentence that holds the words of an answer may not
 * answer, but the style of the questions is another one.
 */
const FILE_COUNTS = 0.25;

/** Which sentence, and which of its words. */
export interface Models {
  sentence: LogisticModel;
  span: LogisticModel;
}

/** The spans are fitted to the QA folder alone, whose short answers are certain; the sentences to the files too. */
export function fitModels(qa: readonly AnswerItem[], files: readonly AnswerItem[]): Models {
  const sentence = fitSentences(qa, files);
  return { sentence, span: fitSpans(qa, sentence) };
}

function fitSentences(qa: readonly AnswerItem[], files: readonly AnswerItem[]): LogisticModel {
  const options = ({ sentences, right }: AnswerItem): Option[] =>
    sentences.map(({ features }, index) => ({
      features: Float64Array.from(SENTENCE_FEATURES, (name) => features[name]),
      right: right[index] ?? false,
    }));
  const questions = [...qa, ...files].map(options);
  const counts = questions.map((_, index) => (index < qa.length ? 1 : FILE_COUNTS));
  const model = fitChoice(questions, SENTENCE_FEATURES, PENALTY.sentence, counts);
  return fitNone(questions.slice(0, qa.length), SENTENCE_FEATURES, model);
}

function fitSpans(items: readonly AnswerItem[], sentence: LogisticModel): LogisticModel {
  const questions = items
    .filter(({ answerable }) => answerable)
    .map(({ focus, sentences, gold }) => {
      const wanted = new Set(gold.map(normaliseAnswer));
      return rankMeasured(sentences, focus, sentence)
        .slice(0, SENTENCES_READ)
        .flatMap(({ measured, probability }) => spansOf(measured, focus, probability, wanted));
    });
  return fitChoice(questions, SPAN_FEATURES, PENALTY.span);
}

/** Spans are measured once for all folds; only what their sentence is worth differs. */
const measuredSpans = new WeakMap<MeasuredSentence, readonly Option[]>();
const OF_THE_RANKING = SPAN_FEATURES.indexOf("sentence");

function spansOf(
  measured: MeasuredSentence,
  focus: QuestionFocus,
  probability: number,
  wanted: ReadonlySet<string>,
): Option[] {
  const { candidate, direct } = measured;
  const read = readForSpans(candidate, focus);
  const context = spanContext(read, focus, probability, direct);
  let options = measuredSpans.get(measured);
  if (options === undefined) {
    options = spansIn(read).map((span) => {
      const features = measureSpan(span, context);
      const words = candidate.text.slice(
        candidate.tokens[span.from]?.start,
        candidate.tokens[span.to]?.end,
      );
      return {
        features: Float64Array.from(SPAN_FEATURES, (name) => features[name]),
        right: wanted.has(normaliseAnswer(words)),
      };
    });
    measuredSpans.set(measured, options);
  }
  return options.map(({ features, right }) => ({
    features: features.with(OF_THE_RANKING, context.logit),
    right,
  }));
}

/** A question with the answer that would be given. */
export interface Answered {
  item: AnswerItem;
  features: AnswerabilityFeatures;
  text: string;
  /** The answer holds a gold one. */
  right: boolean;
  /** No sentence holds the kind of thing that is asked for: this is not answered, however sure the model is. */
  isMissing: boolean;
}

/** Answers each question as the product does. */
export function answer(items: readonly AnswerItem[], { sentence, span }: Models): Answered[] {
  return items.flatMap((item) => {
    const { focus, question, answerable, gold } = item;
    const [first, ...rest]: RankedSentence[] = rankMeasured(item.sentences, focus, sentence);
    if (first === undefined) return [];
    const { ranked, isMissing } = preferAskedKind([first, ...rest], focus);
    const [best] = ranked;
    const short = shortAnswer(focus, ranked, span);
    const lead =
      short !== undefined && standsFirst(short, focus)
        ? short
        : (onlyQuantity(focus, best) ?? short);
    const text = composeAnswer(focus, ranked, lead);
    const right =
      answerable &&
      (containsAnswer(text, gold) ||
        gold.some((wanted) => wanted.includes(best.measured.candidate.text)));
    return [
      {
        item,
        features: measureAnswerability(question, focus, best, short),
        text,
        right,
        isMissing,
      },
    ];
  });
}

/** The QA folder weighs `QA_SHARE`, whatever its size, and the files share the rest. */
export function fitAnswerability(
  answered: readonly Answered[],
  isQa: (item: AnswerItem) => boolean,
): LogisticModel {
  const judged = answered.filter(({ isMissing }) => !isMissing);
  const files = new Set(judged.filter(({ item }) => !isQa(item)).map(({ item }) => item.group));
  const count = (fits: (item: AnswerItem) => boolean): number =>
    Math.max(1, judged.filter(({ item }) => fits(item)).length);
  const whole = count(isQa);
  const weights = new Map(
    [...files].map((file) => [
      file,
      ((1 - QA_SHARE) * whole) / files.size / count(({ group }) => group === file),
    ]),
  );
  const share = files.size === 0 ? 1 : QA_SHARE;
  return fitNonNegative(
    judged.map(({ item, features, right }) => ({
      features,
      positive: right,
      weight: isQa(item) ? share : (weights.get(item.group) ?? 0),
    })),
    ANSWERABILITY_FEATURES,
    PENALTY.answerability,
  );
}
