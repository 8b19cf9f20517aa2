/**
 * Metrics of question answering: SQuAD's normalisation, exact match and F1 (Rajpurkar et al. 2016), containment, and how often answers are
 * false or withheld.
 */

import { pairedBootstrap, type Interval } from "./paired-bootstrap.js";

/** One answered or withheld question. */
export interface QaRecord {
  /** What was said; ignored when `abstained`. */
  answer: string;
  abstained: boolean;
  /** Empty when unanswerable. */
  goldAnswers: readonly string[];
  answerable: boolean;
  /** Texts of the passages that are shown in place of an answer. */
  passages?: readonly string[];
}

export interface QaMetrics {
  /** Of the answerable questions: a gold answer stands in the first 40 words. An abstention counts as a miss here and in `em` and `f1`. */
  contains: number;
  /** Of the answerable: the short answer equals a gold answer. */
  em: number;
  /** Of the answerable: the best overlap of words with a gold answer. */
  f1: number;
  /** Of the answerable: a gold answer stands in what is shown, the answer or the passages in its place. */
  on_screen: number;
  /** Of all questions: answered. */
  answered_share: number;
  /** Of the unanswerable: answered nevertheless. */
  false_answer_rate: number;
  /** Of the answerable: not answered. */
  false_abstain_rate: number;
  /** Of the answered: unanswerable, or no gold answer in the first 40 words. */
  hallucination_rate: number;
  /** The same of all questions: how often someone who asks is told what should not have been said. */
  hallucinated_share: number;
  /** Right minus wrong, of all questions; an abstention counts 0. */
  truthfulness: number;
}

/** Answers are read no further than this. */
const READ_WORDS = 40;

/** SQuAD's: lower case, without punctuation, without articles, single blanks. */
export function normaliseAnswer(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\p{P}\p{S}]/gu, "")
    .replace(/\b(?:a|an|the)\b/gu, " ")
    .replace(/\s+/gu, " ")
    .trim();
}

/** The answer as a reader sees it: without `[n]` and without marks of emphasis. */
function spoken(answer: string): string {
  return answer
    .replace(/\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\]/gu, " ")
    .replace(/\*\*|__|`/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
}

/** The first `count` words. */
function firstWords(answer: string, count = READ_WORDS): string {
  return spoken(answer).split(" ").slice(0, count).join(" ");
}

/** What stands in bold at the very beginning (our form of a direct answer), else the first 40 words. EM and F1 compare this. */
export function shortAnswer(answer: string): string {
  const direct = /^\s*\*\*(.{1,200}?)\*\*/su.exec(answer)?.[1];
  return direct === undefined ? firstWords(answer) : spoken(direct);
}

/** A gold answer stands, as whole words, in the first 40 words. */
export function containsAnswer(answer: string, goldAnswers: readonly string[]): boolean {
  return holdsAnswer(firstWords(answer), goldAnswers);
}

/** A gold answer stands, as whole words, anywhere in the text. */
function holdsAnswer(text: string, goldAnswers: readonly string[]): boolean {
  const said = ` ${normaliseAnswer(text)} `;
  return goldAnswers.some((gold) => {
    const wanted = normaliseAnswer(gold);
    return wanted !== "" && said.includes(` ${wanted} `);
  });
}

/** The short answer is a gold answer, after normalisation. */
export function exactMatch(answer: string, goldAnswers: readonly string[]): boolean {
  const said = normaliseAnswer(shortAnswer(answer));
  return goldAnswers.some((gold) => normaliseAnswer(gold) === said);
}

/** The best F1 of words over the gold answers, 0–1. */
export function wordF1(answer: string, goldAnswers: readonly string[]): number {
  const said = normaliseAnswer(shortAnswer(answer)).split(" ").filter(Boolean);
  return Math.max(
    0,
    ...goldAnswers.map((gold) => overlapF1(said, normaliseAnswer(gold).split(" ").filter(Boolean))),
  );
}

function overlapF1(said: readonly string[], gold: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of gold) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of said) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    common += 1;
  }
  if (common === 0) return 0;
  const precision = common / said.length;
  const recall = common / gold.length;
  return (2 * precision * recall) / (precision + recall);
}

/** True when the answer is one that a reader should not have been given. */
export function isHallucination(record: QaRecord): boolean {
  return (
    !record.abstained && (!record.answerable || !containsAnswer(record.answer, record.goldAnswers))
  );
}

/** What one record adds to each metric; undefined where it is not of those that the metric is about. */
export type QaMeasures = { [Key in keyof QaMetrics]: number | undefined };

/** Measures one record. */
export function qaMeasures(record: QaRecord): QaMeasures {
  const { answer, abstained, answerable, goldAnswers, passages = [] } = record;
  const ofAnswerable = (measure: () => number): number | undefined =>
    !answerable ? undefined : abstained ? 0 : measure();
  return {
    contains: ofAnswerable(() => Number(containsAnswer(answer, goldAnswers))),
    em: ofAnswerable(() => Number(exactMatch(answer, goldAnswers))),
    f1: ofAnswerable(() => wordF1(answer, goldAnswers)),
    on_screen: answerable
      ? Number(
          [abstained ? "" : answer, ...passages].some((text) => holdsAnswer(text, goldAnswers)),
        )
      : undefined,
    answered_share: Number(!abstained),
    false_answer_rate: answerable ? undefined : Number(!abstained),
    false_abstain_rate: answerable ? Number(abstained) : undefined,
    hallucination_rate: abstained ? undefined : Number(isHallucination(record)),
    hallucinated_share: Number(isHallucination(record)),
    truthfulness: abstained ? 0 : isHallucination(record) ? -1 : 1,
  };
}

/** The mean over the items for which there is a value; 0 where there is none. */
export function meanOf<Item>(
  items: readonly Item[],
  value: (item: Item) => number | undefined,
): number {
  let [sum, count] = [0, 0];
  for (const item of items) {
    const measured = value(item);
    if (measured === undefined) continue;
    sum += measured;
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}

/** All metrics, each in 0–1 but for truthfulness, −1 to 1; one without cases is 0. */
export function qaMetrics(records: readonly QaRecord[]): QaMetrics {
  const measured = records.map(qaMeasures);
  const mean = (key: keyof QaMetrics): number => meanOf(measured, (measures) => measures[key]);
  return {
    contains: mean("contains"),
    em: mean("em"),
    f1: mean("f1"),
    on_screen: mean("on_screen"),
    answered_share: mean("answered_share"),
    false_answer_rate: mean("false_answer_rate"),
    false_abstain_rate: mean("false_abstain_rate"),
    hallucination_rate: mean("hallucination_rate"),
    hallucinated_share: mean("hallucinated_share"),
    truthfulness: mean("truthfulness"),
  };
}

/** The change of each metric from one system to another on the same questions, with 95 % intervals. */
export function differences(
  pairs: readonly { before: QaMeasures; after: QaMeasures }[],
): Record<keyof QaMetrics, Interval> {
  const difference = (key: keyof QaMetrics): Interval =>
    pairedBootstrap(
      pairs,
      (sample) =>
        meanOf(sample, ({ after }) => after[key]) - meanOf(sample, ({ before }) => before[key]),
    );
  return {
    contains: difference("contains"),
    em: difference("em"),
    f1: difference("f1"),
    on_screen: difference("on_screen"),
    answered_share: difference("answered_share"),
    false_answer_rate: difference("false_answer_rate"),
    false_abstain_rate: difference("false_abstain_rate"),
    hallucination_rate: difference("hallucination_rate"),
    hallucinated_share: difference("hallucinated_share"),
    truthfulness: difference("truthfulness"),
  };
}
