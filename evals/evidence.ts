/** `eval evidence`: does the judge tell evidence that answers from evidence that does not? Positive is `answerable`; the decision is CORRECT against not. */
import type { ProfileName } from "../src/settings/run-settings.js";
import { auc, ratesAt } from "./metrics.js";
import { quantile } from "./statistics.js";
import { combineSignals, signalsJudge } from "../src/grading/signals.js";
import { PROFILES } from "../src/grading/profiles.js";
import { createReader } from "../src/reader/create-reader.js";
import type { Reader } from "../src/reader/reader.js";
import { loadWeights, thresholdsOf } from "../src/reader/weights.js";
import { readEnvironment } from "../src/settings/environment.js";
import { completeSettings } from "../src/settings/run-settings.js";
import { asEvidence } from "../src/state/evidence.js";
import type { EvidenceLabel } from "../src/state/verdict.js";
import { say } from "../src/cli/terminal.js";
import { evenlySpread } from "./evenly-spread.js";
import { readEvidenceFile } from "./formats.js";
import type { EvidenceRecord } from "./formats.js";

export interface EvidenceReport {
  n: number;
  auc_set: number;
  auc_passage: number;
  accuracy: number;
  balanced_accuracy: number;
  /** Of the sets that answer nothing, how many were called CORRECT. */
  false_correct_rate: number;
  /** Of the sets that answer, how many were called INCORRECT. */
  false_incorrect_rate: number;
  ambiguous_share: number;
  /** Per question. */
  latency_ms: { p50: number; p95: number };
}

export interface JudgedRecord {
  record: EvidenceRecord;
  set: number;
  passages: number[];
  label: EvidenceLabel;
  tookMs: number;
}

/** Runs the embedded judge with a profile's thresholds over a file of labelled evidence. */
export async function runEvidenceEval({
  file,
  profile = "adaptive",
  limit,
  report: folder,
  onProgress,
}: {
  file: string;
  profile?: ProfileName;
  /** Questions at most, spread evenly over the file. */
  limit?: number;
  /** Folder for a report with plots. */
  report?: string;
  onProgress?: (done: number, total: number) => void;
}): Promise<EvidenceReport> {
  const judged = await judgeRecords({
    records: evenlySpread(await readEvidenceFile(file), limit),
    profile,
    onProgress,
  });
  const report = reportOf(judged);
  if (folder !== undefined)
    await (
      await import("./report/evidence-report.js")
    ).writeEvidenceReport({ folder, file, profile, report, judged });
  return report;
}

/** Sets that are read before the clock starts: the encoder loads, the runtime compiles. */
const WARM_UP = 40;

/** Judges each record: `signals` by its signals, every other profile by the set's probability. */
async function judgeRecords({
  records,
  profile = "adaptive",
  onProgress,
}: {
  records: readonly EvidenceRecord[];
  profile?: ProfileName;
  onProgress?: (done: number, total: number) => void;
}): Promise<JudgedRecord[]> {
  const { reader: model, calibrationFile: file } = completeSettings(
    readEnvironment(process.env).settings,
  );
  const weights = loadWeights(file);
  // Only the signals profile is no probability of the reader's.
  const { correct, incorrect } =
    profile === "signals" ? PROFILES.signals.defaults : thresholdsOf(weights, model);
  const reader = createReader({ model, weights, notice: say });
  // Other texts than those that are timed: their words backwards.
  for (const { question, passages } of evenlySpread(records, WARM_UP))
    await reader.relevance({
      question,
      passages: passages.map((each) => ({
        ...each,
        text: each.text.split(" ").reverse().join(" "),
      })),
    });
  const judged: JudgedRecord[] = [];
  for (const record of records) {
    const { question, passages } = record;
    const begun = performance.now();
    const read = await reader.relevance({ question, passages });
    const relevance = read.passages.map(({ value }) => value);
    const set = profile === "signals" ? await signalsScore(record, reader) : read.value;
    const tookMs = performance.now() - begun;
    const label = labelOf(set, passages.length, correct, incorrect);
    judged.push({ record, passages: relevance, set, label, tookMs });
    onProgress?.(judged.length, records.length);
  }
  await reader.close();
  return judged;
}

function labelOf(
  score: number,
  passages: number,
  correct: number,
  incorrect: number,
): EvidenceLabel {
  if (passages === 0) return "INCORRECT";
  if (score >= correct) return "CORRECT";
  return score < incorrect ? "INCORRECT" : "AMBIGUOUS";
}

async function signalsScore(
  { question, passages }: EvidenceRecord,
  reader: Reader,
): Promise<number> {
  if (passages.length === 0) return 0;
  const evidence = passages.map(asEvidence);
  const judgement = await signalsJudge(reader)({ question, evidence, ungraded: evidence });
  return combineSignals(judgement?.signals ?? {});
}

/** The figures over judged records. A figure that the data cannot give (one class only) is null in JSON. */
export function reportOf(judged: readonly JudgedRecord[]): EvidenceReport {
  const sets = judged.map(({ record, set }) => ({ score: set, positive: record.answerable }));
  const decided = judged.map(({ record, label }) => ({
    score: label === "CORRECT" ? 1 : 0,
    positive: record.answerable,
  }));
  const passages = judged.flatMap(({ record, passages: scores }) =>
    record.passages.flatMap(({ relevant }, i) =>
      relevant === null ? [] : [{ score: scores[i] ?? 0, positive: relevant }],
    ),
  );
  const rates = ratesAt(decided, 0.5);
  const answerable = judged.filter(({ record }) => record.answerable);
  const times = judged.map(({ tookMs }) => tookMs);
  return {
    n: judged.length,
    auc_set: auc(sets),
    auc_passage: auc(passages),
    accuracy: rates.accuracy,
    balanced_accuracy: rates.balancedAccuracy,
    false_correct_rate: rates.falsePositiveRate,
    false_incorrect_rate:
      answerable.filter(({ label }) => label === "INCORRECT").length / answerable.length,
    ambiguous_share: judged.filter(({ label }) => label === "AMBIGUOUS").length / judged.length,
    latency_ms: { p50: quantile(times, 0.5), p95: quantile(times, 0.95) },
  };
}
