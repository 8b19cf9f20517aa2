/** `eval claims`: does the claim check agree with people on whether a claim is supported by its evidence? */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import { UserError } from "../src/config/user-error.js";
import type { ClaimStatus } from "../src/state/answer.js";
import { evenlySpread } from "./evenly-spread.js";
import { checkClaim } from "../src/grading/claims/claim-check.js";

export const ClaimRecordSchema = z.object({
  id: z.string(),
  question: z.string().nullish(),
  claim: z.string(),
  evidence: z.array(z.string()),
  supported: z.boolean(),
  source: z.string().optional(),
});
export type ClaimRecord = z.infer<typeof ClaimRecordSchema>;

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

/** Reads labelled claims, one JSON object a line. Throws `UserError` where the file or a line is not what it should be. */
export async function readClaims(file: string, limit = Infinity): Promise<ClaimRecord[]> {
  const records: ClaimRecord[] = [];
  const lines = createInterface({ input: createReadStream(file, "utf8"), crlfDelay: Infinity });
  let number = 0;
  try {
    for await (const line of lines) {
      number += 1;
      if (line.trim() === "") continue;
      if (records.length >= limit) break;
      records.push(ClaimRecordSchema.parse(JSON.parse(line)));
    }
  } catch (error) {
    if (error instanceof Error && "code" in error)
      throw new UserError(`cannot read ${file}: ${error.message}`, "give a file of labelled claims, one JSON object a line");
    throw new UserError(
      `${file}, line ${String(number)}: not a labelled claim`,
      'each line is {"id", "question", "claim", "evidence": [], "supported", "source"}',
    );
  } finally {
    lines.close();
  }
  return records;
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
  const records = evenlySpread(await readClaims(file), limit);
  const times: number[] = [];
  const results = records.map((record, index): CheckedClaim => {
    const begun = performance.now();
    const { score, status } = checkClaim({ claim: record.claim, evidence: record.evidence, question: record.question ?? undefined });
    times.push(performance.now() - begun);
    onProgress?.(index + 1, records.length);
    return { record, status, score, predicted: status === "supported", actual: record.supported };
  });
  const report: ClaimsReport = {
    n: results.length,
    auc: rounded(areaUnderCurve(results.map(({ score, actual }) => ({ score, positive: actual })))),
    accuracy: rounded(results.length === 0 ? 0 : results.filter(({ predicted, actual }) => predicted === actual).length / results.length),
    macro_f1: rounded((f1Of(results, true) + f1Of(results, false)) / 2),
    latency_ms: { p50: rounded(quantile(times, 0.5)), p95: rounded(quantile(times, 0.95)) },
  };
  if (folder !== undefined) await (await import("./report/claims-report.js")).writeClaimsReport({ folder, file, report, checked: results });
  return report;
}

/** The chance that a positive scores higher than a negative; ties count half (Mann and Whitney). NaN becomes 0.5 where a class is empty. */
export function areaUnderCurve(items: readonly { score: number; positive: boolean }[]): number {
  const sorted = [...items].sort((a, b) => a.score - b.score);
  let rankSum = 0;
  for (let from = 0; from < sorted.length;) {
    let to = from;
    while (to < sorted.length && sorted[to]?.score === sorted[from]?.score) to += 1;
    const rank = (from + 1 + to) / 2;
    rankSum += rank * sorted.slice(from, to).filter(({ positive }) => positive).length;
    from = to;
  }
  const positives = items.filter(({ positive }) => positive).length;
  const negatives = items.length - positives;
  if (positives === 0 || negatives === 0) return 0.5;
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}

function f1Of(results: readonly { predicted: boolean; actual: boolean }[], label: boolean): number {
  const hits = results.filter(({ predicted, actual }) => predicted === label && actual === label).length;
  const predicted = results.filter((result) => result.predicted === label).length;
  const actual = results.filter((result) => result.actual === label).length;
  return predicted + actual === 0 ? 0 : (2 * hits) / (predicted + actual);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}
