/**
 * Fits the claim model to a file of labelled claims, tells how well it does on claims and on sources that it was not fitted to, and writes
 * the weights: `node --import tsx evals/fit-claims.ts FILE [--out src/grading/claims/claim-weights.json]`
 */
import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import type { Judged } from "../src/grading/calibration/metrics.js";
import { auc, macroF1, sequence } from "../src/grading/calibration/metrics.js";
import { checkPrepared } from "../src/grading/claims/claim-check.js";
import type { ClaimFeatures } from "../src/grading/claims/claim-features.js";
import { CLAIM_FEATURES, measureClaim } from "../src/grading/claims/claim-features.js";
import { bareClaim } from "../src/grading/claims/claim-overlap.js";
import { fitClaimModel } from "../src/grading/claims/claim-model.js";
import type { PreparedText } from "../src/grading/claims/prepared-text.js";
import { prepareText } from "../src/grading/claims/prepared-text.js";
import type { ClaimRecord } from "./formats.js";
import { readClaimsFile } from "./formats.js";

/** Strong: with less of it the model does as well on the kinds of text it knows and worse on those it does not. */
const PENALTY = 300;
const FOLDS = 10;
const REPETITIONS = 5;

interface Example {
  features: ClaimFeatures;
  supported: boolean;
  source: string;
  question: string;
  /** The same claim for the whole check, rules included. */
  input: { claim: string; evidence: readonly PreparedText[]; question?: string };
}

interface Scored extends Judged {
  /** 1 for `supported`, else 0. */
  decision: number;
}

/** The features of each record, in order. */
function examplesOf(records: readonly ClaimRecord[]): Example[] {
  return records.map((record) => {
    const evidence = record.evidence.map(prepareText);
    return {
      features: measureClaim({ claim: bareClaim(record.claim), evidence }).features,
      supported: record.supported,
      source: record.source ?? "",
      question: record.question ?? record.id,
      input: { claim: record.claim, evidence, question: record.question ?? undefined },
    };
  });
}

/** Fits on all sources but one, checks that one, and so on: how the model does on text of a kind that it never saw. */
function leaveOneSourceOut(
  examples: readonly Example[],
  penalty: number,
): { source: string; scores: Scored[] }[] {
  return [...new Set(examples.map(({ source }) => source))].map((left) => ({
    source: left,
    scores: heldOut(examples, ({ source }) => source === left, penalty),
  }));
}

/** k folds. All claims on one question stay together, or the model would be asked about what it has read. */
function folds(examples: readonly Example[], penalty: number, seed: number): Scored[] {
  const next = sequence(seed);
  const drawn = new Map<string, number>();
  for (const { question } of examples) if (!drawn.has(question)) drawn.set(question, next());
  const order = [...drawn].sort(([, a], [, b]) => a - b).map(([question]) => question);
  const foldOf = new Map(order.map((question, index) => [question, index % FOLDS]));
  return Array.from({ length: FOLDS }, (_, fold) =>
    heldOut(examples, ({ question }) => foldOf.get(question) === fold, penalty),
  ).flat();
}

function heldOut(
  examples: readonly Example[],
  isHeldOut: (example: Example) => boolean,
  penalty: number,
): Scored[] {
  const model = fitClaimModel(
    examples.filter((example) => !isHeldOut(example)),
    penalty,
  );
  return examples.filter(isHeldOut).map(({ input, supported }) => {
    const { score, status } = checkPrepared({ ...input, model });
    return { score, decision: status === "supported" ? 1 : 0, positive: supported };
  });
}

/** Area under the curve and macro F1, each the mean of the rounds. */
function figures(rounds: readonly (readonly Scored[])[]): string {
  const mean = (measure: (scores: readonly Scored[]) => number): string =>
    (rounds.reduce((sum, scores) => sum + measure(scores), 0) / rounds.length).toFixed(4);
  const decided = (scores: readonly Scored[]): number =>
    macroF1(
      scores.map(({ decision, positive }) => ({ score: decision, positive })),
      1,
    );
  return `AUC ${mean(auc)}, macro F1 ${mean(decided)}`;
}

async function main(): Promise<void> {
  const [file, flag, out] = process.argv.slice(2);
  if (file === undefined) throw new Error("usage: fit-claims FILE [--out WEIGHTS]");
  const examples = examplesOf(await readClaimsFile(file));
  for (const name of CLAIM_FEATURES) {
    const alone = auc(
      examples.map(({ features, supported }) => ({ score: features[name], positive: supported })),
    );
    console.log(name.padEnd(18), alone.toFixed(3));
  }
  for (const penalty of [30, 100, PENALTY, 1_000]) {
    const rounds = Array.from({ length: REPETITIONS }, (_, round) =>
      folds(examples, penalty, round + 1),
    );
    console.log(
      `penalty ${String(penalty)}: ten folds, mean of ${String(REPETITIONS)}: ${figures(rounds)}`,
    );
    const bySource = leaveOneSourceOut(examples, penalty);
    console.log(`  leave one source out: ${figures([bySource.flatMap(({ scores }) => scores)])}`);
    for (const { source, scores } of bySource)
      console.log(`    ${source} ${String(scores.length)}: ${figures([scores])}`);
  }
  const model = fitClaimModel(examples, PENALTY);
  console.log(
    Object.entries(model.features)
      .map(([name, { weight }]) => `${name} ${weight.toFixed(2)}`)
      .join(", "),
  );
  if (flag === "--out" && out !== undefined)
    await writeFile(out, `${JSON.stringify(model, null, 2)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
