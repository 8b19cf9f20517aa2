/**
 * `eval answers`: recorded answers of real models and people, through the claim check and the
 * guard's three bands, against what people marked as unsupported.
 */
import { withoutMarkers } from "../src/answering/citations.js";
import type { GuardCutoffs } from "../src/answering/claim-bands.js";
import { isWithdrawn } from "../src/answering/guard.js";
import { verifyAnswer, type CheckedSentence } from "../src/answering/verify-answer.js";
import { auc } from "./metrics.js";
import { quantile } from "./statistics.js";
import { createReader } from "../src/reader/create-reader.js";
import type { Reader } from "../src/reader/reader.js";
import type { Evidence } from "../src/state/evidence.js";
import { evenlySpread } from "./evenly-spread.js";
import { readAnswersFile, type AnswerRecord } from "./formats.js";

/** One recorded answer and what the check said of its sentences. */
export interface CheckedAnswer {
  record: AnswerRecord;
  claims: CheckedSentence[];
  tookMs: number;
}

/** Shares of one writer's answers, or of all. */
export interface AnswersMeasures {
  n: number;
  sentences: number;
  /** Do the claims of faithful answers have higher scores, in the geometric mean? */
  auc_answer: number;
  auc_sentence: number;
  /** Of the faithful answers: anything marked or withdrawn. */
  clean_touched: number;
  /** Of the faithful answers: anything withdrawn. */
  clean_withdrawn: number;
  /** Of the sentences that overlap an unsupported span: marked or withdrawn. */
  unsupported_caught: number;
  /** Of the withdrawn sentences: truly unsupported. */
  withdrawn_precision: number;
}

export interface AnswersReport extends AnswersMeasures {
  by_writer: Record<string, AnswersMeasures>;
  latency_ms: { p50: number; p95: number };
}

/** @throws UserError when the file is not of the format */
export async function runAnswersEval({
  file,
  limit,
  onProgress,
}: {
  file: string;
  /** Answers at most, spread evenly over the file. */
  limit?: number;
  onProgress?: (done: number, total: number) => void;
}): Promise<AnswersReport> {
  const reader = createReader();
  try {
    const records = evenlySpread(await readAnswersFile(file), limit);
    const checked: CheckedAnswer[] = [];
    for (const record of records) {
      checked.push(await checkAnswer(record, reader));
      onProgress?.(checked.length, records.length);
    }
    const writers = [...new Set(records.map(({ model }) => model))].sort();
    const times = checked.map(({ tookMs }) => tookMs);
    return {
      ...measuresOf(checked),
      by_writer: Object.fromEntries(
        writers.map((writer) => [
          writer,
          measuresOf(checked.filter(({ record }) => record.model === writer)),
        ]),
      ),
      latency_ms: { p50: quantile(times, 0.5), p95: quantile(times, 0.95) },
    };
  } finally {
    await reader.close();
  }
}

/** Runs the claim check as a run of the agent does. */
export async function checkAnswer(
  record: AnswerRecord,
  reader: Reader,
  cutoffs?: GuardCutoffs,
): Promise<CheckedAnswer> {
  const begun = performance.now();
  const { sentences } = await verifyAnswer({
    answer: record.answer,
    evidence: evidenceOf(record),
    question: record.question,
    reader,
    cutoffs,
  });
  return {
    record,
    claims: sentences.filter(({ isClaim }) => isClaim),
    tookMs: performance.now() - begun,
  };
}

/** The passages of a record as evidence. */
export function evidenceOf({ evidence }: Pick<AnswerRecord, "evidence">): Evidence[] {
  return evidence.map(({ title, text }, index) => ({
    id: `recorded-${index}`,
    text,
    title,
    source: { kind: "file", path: `recorded/${index}.txt` },
    tool: "keyword_search",
    round: 0,
    scores: [],
    status: "kept",
  }));
}

/** Does a sentence overlap what people marked? In an answer without spans: undefined. */
export function isUnsupported(
  { unsupported, answer }: AnswerRecord,
  { start, end }: CheckedSentence,
): boolean | undefined {
  if (unsupported === null) return undefined;
  return unsupported.some(
    ([from, to]) =>
      from < end &&
      start < to &&
      // A span that only touches the sentence's edge is its neighbor's.
      withoutMarkers(answer.slice(Math.max(from, start), Math.min(to, end))).length > 1,
  );
}

/** @param checked answers; those without spans count at the level of answers alone */
export function measuresOf(checked: readonly CheckedAnswer[]): AnswersMeasures {
  const sentences = checked.flatMap(({ record, claims }) =>
    claims.flatMap((claim) => {
      const actual = isUnsupported(record, claim);
      return actual === undefined ? [] : [{ claim, actual }];
    }),
  );
  const clean = checked.filter(({ record }) => record.faithful);
  const isTouched = ({ status }: CheckedSentence): boolean => status !== "supported";
  const wrong = sentences.filter(({ actual }) => actual);
  const withdrawn = sentences.filter(({ claim }) => isWithdrawn(claim, "standard"));
  return {
    n: checked.length,
    sentences: checked.reduce((sum, { claims }) => sum + claims.length, 0),
    auc_answer: auc(
      checked.map(({ record, claims }) => ({
        score: answerScore(claims),
        positive: record.faithful,
      })),
    ),
    auc_sentence: auc(
      sentences.map(({ claim, actual }) => ({ score: claim.score, positive: !actual })),
    ),
    clean_touched: share(clean.filter(({ claims }) => claims.some(isTouched)).length, clean.length),
    clean_withdrawn: share(
      clean.filter(({ claims }) => claims.some((each) => isWithdrawn(each, "standard"))).length,
      clean.length,
    ),
    unsupported_caught: share(wrong.filter(({ claim }) => isTouched(claim)).length, wrong.length),
    withdrawn_precision: share(withdrawn.filter(({ actual }) => actual).length, withdrawn.length),
  };
}

/** The geometric mean of the scores of an answer's claims, 0–1; 1 without claims. */
export function answerScore(claims: readonly CheckedSentence[]): number {
  const logs = claims.reduce((sum, { score }) => sum + Math.log(score), 0);
  return claims.length === 0 ? 1 : Math.exp(logs / claims.length);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
