/**
 * Fits the claim model to a file of labelled claims, tells how well it does on sources that it was not fitted to, and writes the weights:
 * `node --import tsx evals/fit-claims.ts FILE [--out src/grading/claims/claim-weights.json]`
 */
import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import type { ClaimFeatures } from "../src/grading/claims/claim-features.js";
import { CLAIM_FEATURES, measureClaim } from "../src/grading/claims/claim-features.js";
import { claimProbability, fitClaimModel } from "../src/grading/claims/claim-model.js";
import type { LogisticModel } from "../src/grading/logistic.js";
import { prepareText } from "../src/grading/claims/prepared-text.js";
import type { ClaimRecord } from "./claims.js";
import { areaUnderCurve, readClaims } from "./claims.js";

/** Strong: with less of it the model does better on the kinds of text it knows and worse on those it does not. */
const PENALTY = 300;

interface Example {
  features: ClaimFeatures;
  supported: boolean;
  source: string;
}

/** The features of each record, in order. */
export function examplesOf(records: readonly ClaimRecord[]): Example[] {
  return records.map((record) => ({
    features: measureClaim({ claim: record.claim, question: record.question ?? undefined, evidence: record.evidence.map(prepareText) })
      .features,
    supported: record.supported,
    source: record.source ?? "",
  }));
}

/** Fits on all sources but one, scores that one, and so on: how the model does on text of a kind that it never saw. */
export function leaveOneSourceOut(
  examples: readonly Example[],
  penalty: number,
): { source: string; n: number; auc: number; scores: { score: number; positive: boolean }[] }[] {
  return [...new Set(examples.map(({ source }) => source))].map((source) => {
    const model = fitClaimModel(
      examples.filter((example) => example.source !== source),
      penalty,
    );
    return {
      source,
      ...evaluated(
        examples.filter((example) => example.source === source),
        model,
      ),
    };
  });
}

/** k folds by position, for the figure within the same kinds of text. */
export function folds(examples: readonly Example[], penalty: number, count = 10): { score: number; positive: boolean }[] {
  return Array.from({ length: count }, (_, fold) => {
    const model = fitClaimModel(
      examples.filter((_example, index) => index % count !== fold),
      penalty,
    );
    return evaluated(
      examples.filter((_example, index) => index % count === fold),
      model,
    ).scores;
  }).flat();
}

function evaluated(
  examples: readonly Example[],
  model: LogisticModel,
): { n: number; auc: number; scores: { score: number; positive: boolean }[] } {
  const scores = examples.map(({ features, supported }) => ({ score: claimProbability(features, model), positive: supported }));
  return { n: scores.length, auc: areaUnderCurve(scores), scores };
}

async function main(): Promise<void> {
  const [file, flag, out] = process.argv.slice(2);
  if (file === undefined) throw new Error("usage: fit-claims FILE [--out WEIGHTS]");
  const examples = examplesOf(await readClaims(file));
  for (const name of CLAIM_FEATURES) {
    const alone = areaUnderCurve(examples.map(({ features, supported }) => ({ score: features[name], positive: supported })));
    console.log(name.padEnd(18), alone.toFixed(3));
  }
  for (const penalty of [20, 100, PENALTY]) {
    const bySource = leaveOneSourceOut(examples, penalty);
    const pooled = areaUnderCurve(bySource.flatMap(({ scores }) => scores));
    console.log(
      `penalty ${String(penalty)}: leave one source out ${pooled.toFixed(4)}, ten folds ${areaUnderCurve(folds(examples, penalty)).toFixed(4)}`,
    );
    console.log(bySource.map(({ source, n, auc }) => `  ${source} ${String(n)}: ${auc.toFixed(3)}`).join("\n"));
  }
  const model = fitClaimModel(examples, PENALTY);
  console.log(
    Object.entries(model.features)
      .map(([name, { weight }]) => `${name} ${weight.toFixed(2)}`)
      .join(", "),
  );
  if (flag === "--out" && out !== undefined) await writeFile(out, `${JSON.stringify(model, null, 2)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
