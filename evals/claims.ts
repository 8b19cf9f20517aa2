/** `eval claims`: do the reader and people agree on whether evidence supports a claim? */
import { say } from "../src/cli/terminal.js";
import { auc } from "./metrics.js";
import { macroF1, quantile } from "./statistics.js";
import { createReader } from "../src/reader/create-reader.js";
import { loadWeights } from "../src/reader/weights.js";
import { readEnvironment } from "../src/settings/environment.js";
import { completeSettings } from "../src/settings/run-settings.js";
import { evenlySpread } from "./evenly-spread.js";
import { readClaims, type LabeledClaim } from "./labeled-claims.js";

/** What was found of one claim. */
export interface CheckedClaim {
  record: LabeledClaim;
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

/**
 * A claim with this score counts as supported. Chosen on 2,779 claims of AttributionBench, FActScore and FaithBench: macro-F1 .67, .79 and .56; by the
 * reader's support alone, at its best cut for all three, .59, .79 and .55.
 */
const SUPPORTED = 0.7;

/** Asks the reader for the support of each labeled claim; positive is `supported`. */
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
  const records = evenlySpread(await readClaims(file), limit);
  const { reader: model, calibrationFile } = completeSettings(
    readEnvironment(process.env).settings,
  );
  const weights = loadWeights(calibrationFile);
  const reader = createReader({ model, weights, notice: say });
  const times: number[] = [];
  const results: CheckedClaim[] = [];
  for (const record of records) {
    const { claim, evidence, question } = record;
    const begun = performance.now();
    const [support] = await reader.support({ claims: [claim], evidence, question });
    times.push(performance.now() - begun);
    // The guard weighs both too: one knows the sense, the other long passages.
    const { value = 0, words = value } = support ?? {};
    const score = (value + words) / 2;
    results.push({ record, score, predicted: score >= SUPPORTED, actual: record.supported });
    onProgress?.(results.length, records.length);
  }
  await reader.close();
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
