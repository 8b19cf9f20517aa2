/** `eval evidence`: does the judge tell evidence that answers from evidence that does not? Positive is `answerable`; the decision is CORRECT against not. */
import type { ProfileName } from "../src/settings/run-settings.js";
import { auc, quantile, ratesAt } from "../src/grading/calibration/metrics.js";
import { loadJudge } from "../src/grading/calibration/calibration-file.js";
import { judgeEvidence } from "../src/grading/judge/judge.js";
import { combineSignals, measureSignals } from "../src/grading/signals.js";
import { PROFILES } from "../src/grading/profiles.js";
import type { EvidenceLabel } from "../src/state/verdict.js";
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

/** Sets: so many until the runtime has made up its mind about the code. */
const WARM_UP = 400;

/** Has the judge compiled before it is timed, on texts that it will not meet again: the passages with their words backwards, numbered by round. */
function warmUp(records: readonly EvidenceRecord[]): void {
  const sample = evenlySpread(records, WARM_UP);
  for (let turn = 0; turn < WARM_UP; turn += 1) {
    const { question = "", passages = [] } = sample[turn % sample.length] ?? {};
    const backwards = passages.map((passage) => ({
      ...passage,
      text: `${turn} ${passage.text.split(" ").reverse().join(" ")}`,
    }));
    judgeEvidence({ question, passages: backwards });
  }
}

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
  const { judge, thresholds } = loadJudge(process.env["CALIBRATION_FILE"]);
  const { correct, incorrect } = { ...PROFILES[profile].defaults, ...thresholds.profiles[profile] };
  warmUp(records);
  return records.map((record, index) => {
    const begun = performance.now();
    const judged = judgeEvidence({
      question: record.question,
      passages: record.passages,
      model: judge,
    });
    const set = profile === "signals" ? signalsScore(record) : judged.set;
    const tookMs = performance.now() - begun;
    onProgress?.(index + 1, records.length);
    return {
      record,
      passages: judged.passages,
      set,
      label: labelOf(set, record.passages.length, correct, incorrect),
      tookMs,
    };
  });
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

/** The signals of a set that carries no rerank scores. */
function signalsScore(record: EvidenceRecord): number {
  if (record.passages.length === 0) return 0;
  const evidence = record.passages.map(({ title, text }, index) => ({
    id: String(index),
    title,
    text,
    scores: [],
  }));
  return combineSignals(measureSignals({ question: record.question, evidence }));
}

/** The figures over judged records. A figure that the data cannot give (one class only) is null in JSON. */
export function reportOf(judged: readonly JudgedRecord[]): EvidenceReport {
  const sets = judged.map(({ record, set }) => ({ score: set, positive: record.answerable }));
  const decided = judged.map(({ record, label }) => ({
    score: label === "CORRECT" ? 1 : 0,
    positive: record.answerable,
  }));
  const passages = judged.flatMap(({ record, passages: scores }) =>
    record.passages.map(({ relevant }, i) => ({ score: scores[i] ?? 0, positive: relevant })),
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
