/** `eval claims`: does the claim check agree with people on whether a claim is supported by its evidence? */
import { auc, macroF1, quantile } from "../src/reader/calibrate/metrics.js";
import { checkClaim } from "../src/grading/claims/claim-check.js";
import type { ClaimStatus } from "../src/state/answer.js";
import { evenlySpread } from "./evenly-spread.js";
import type { ClaimRecord } from "./formats.js";
import { readClaimsFile } from "./formats.js";

/** What was found of one claim. */
export interface CheckedClaim {
  record: ClaimRecord;
  status: ClaimStatus;
  /** 0–1. */
  score: number;
  predicted: boolean;
  actual: boolean;
}

export interface ClaimsReport {
  n: number;
  auc: number;
  accuracy: number;
  macro_f1: number;
  /** Per claim. */
  latency_ms: { p50: number; p95: number };
}

/** Runs the shipped claim check over a file of labelled claims; positive is `supported`. */
export async function runClaimsEval({
  file,
  limit,
  report: folder,
  onProgress,
}: {
  file: string;
  /** Claims at most, spread evenly over the file. */
  limit?: number;
  /** Folder for a report with plots. */
  report?: string;
  onProgress?: (done: number, total: number) => void;
}): Promise<ClaimsReport> {
  const records = evenlySpread(await readClaimsFile(file), limit);
  const times: number[] = [];
  const results = records.map((record, index): CheckedClaim => {
    const begun = performance.now();
    const { score, status } = checkClaim({
      claim: record.claim,
      evidence: record.evidence,
      question: record.question ?? undefined,
    });
    times.push(performance.now() - begun);
    onProgress?.(index + 1, records.length);
    return { record, status, score, predicted: status === "supported", actual: record.supported };
  });
  const decisions = results.map(({ predicted, actual }) => ({
    score: Number(predicted),
    positive: actual,
  }));
  const report: ClaimsReport = {
    n: results.length,
    auc: rounded(auc(results.map(({ score, actual }) => ({ score, positive: actual })))),
    accuracy: rounded(
      results.length === 0
        ? 0
        : results.filter(({ predicted, actual }) => predicted === actual).length / results.length,
    ),
    macro_f1: rounded(macroF1(decisions, 1)),
    latency_ms: { p50: rounded(quantile(times, 0.5)), p95: rounded(quantile(times, 0.95)) },
  };
  if (folder !== undefined)
    await (
      await import("./report/claims-report.js")
    ).writeClaimsReport({ folder, file, report, checked: results });
  return report;
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}
