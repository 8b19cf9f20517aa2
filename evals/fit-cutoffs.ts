/**
 * Fits what the guard decides by: the weights and bands of claims, on half of the recorded answers.
 * Run again when the encoder or the reader's weights change.
 *
 *   node --import tsx evals/fit-cutoffs.ts --data FOLDER
 */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { format } from "prettier";
import type { GuardCutoffs } from "../src/answering/claim-bands.js";
import { scoreOf } from "../src/answering/claim-bands.js";
import { createReader } from "../src/reader/create-reader.js";
import { sigmoid } from "../src/reader/weights.js";
import type { Reader } from "../src/reader/reader.js";
import { checkAnswer, isUnsupported, type CheckedAnswer } from "./answers.js";
import { fitLogistic } from "./fit-logistic.js";
import { readAnswersFile } from "./formats.js";

const GUARD_FILE = "src/answering/guard-cutoffs.json";
/** Of the faithful answers of each tuning half: touched at most. On the other halves it came to .09. */
const MAX_TOUCHED = 0.12;
const MAX_WITHDRAWN = 0.01;
/** Of these at most for words that all stand in a source that hardly says the sentence. */
const MAX_TURNED = 0.03;
/** Of what a score alone withdraws: truly unsupported at least. */
const MIN_PRECISION = 0.6;
/**
 * No neighbor carries a sentence of less support than this: an invented remark among good sentences.
 * The lexical reader gives such up to nearly so much; with the joint reader it touches one faithful
 * answer in a hundred.
 */
const ALONE = 0.22;

/** Half of a file by the hash of its ids: the other half is left for measuring. */
function isTuning(id: string): boolean {
  return (createHash("sha256").update(id).digest()[0] ?? 0) % 2 === 0;
}

async function fitGuard(folder: string, reader: Reader): Promise<GuardCutoffs> {
  const files = ["ragtruth-qa.jsonl", "mtrag.jsonl"];
  const sets: CheckedAnswer[][] = [];
  for (const file of files) {
    const records = (await readAnswersFile(join(folder, "answers", file))).filter(({ id }) =>
      isTuning(id),
    );
    const checked: CheckedAnswer[] = [];
    for (const record of records) checked.push(await checkAnswer(record, reader));
    sets.push(checked);
  }
  const labeled = sets.flat().flatMap(({ record, claims }) =>
    claims.flatMap((claim) => {
      const unsupported = isUnsupported(record, claim);
      return unsupported === undefined || claim.signals === undefined
        ? []
        : [{ signals: { ...claim.signals }, positive: !unsupported }];
    }),
  );
  const share = labeled.filter(({ positive }) => positive).length / labeled.length;
  const { bias, signals } = fitLogistic(
    labeled.map((each) => ({ ...each, weight: each.positive ? 0.5 / share : 0.5 / (1 - share) })),
    { support: "for", words: "for", before: "for", behind: "for", numberAbsent: "against" },
  );
  const raw = (name: string): number => {
    const { weight = 0, scale = 1 } = signals[name] ?? {};
    return Number((weight / scale).toFixed(3));
  };
  const names = Object.keys(signals);
  const weights = {
    support: raw("support"),
    words: raw("words"),
    before: raw("before"),
    behind: raw("behind"),
    numberAbsent: raw("numberAbsent"),
  };
  const shift = names.reduce((sum, name) => sum + raw(name) * (signals[name]?.mean ?? 0), 0);
  const model = { bias: Number((bias - shift).toFixed(3)), weights };

  /** The highest cut below which at most a share of each set's values lie. */
  const turned = Math.min(
    ...sets.map((checked) => {
      const least = checked
        .filter(({ record }) => record.faithful)
        .map(({ claims }) => Math.min(9, ...claims.flatMap(({ sense }) => sense ?? [])));
      return least.sort((a, b) => a - b)[Math.floor(MAX_TURNED * least.length)] ?? -9;
    }),
  );
  /** The weakest claim of each faithful answer; what is absent is no matter of scores. */
  const weakest = sets.map((checked) =>
    checked
      .filter(({ record }) => record.faithful)
      .map(({ claims }) => {
        const signals = claims.flatMap((claim) => claim.signals ?? []);
        const own = Math.min(1, ...signals.map(({ support }) => sigmoid(support)));
        return {
          score: Math.min(1, ...signals.map((each) => scoreOf(each, model))),
          own: own * Math.sqrt(claims.length),
          isTurned: claims.some(({ sense = turned }) => sense < turned),
        };
      }),
  );
  /** The highest cut that touches at most a share of each set's faithful answers. */
  const cutAt = (most: number, floor = -Infinity): number =>
    Math.min(
      ...weakest.map((answers) => {
        const left = answers.filter(({ own, isTurned }) => own >= floor && !isTurned);
        const allowed = Math.floor(most * answers.length) - (answers.length - left.length);
        return left.map(({ score }) => score).sort((a, b) => a - b)[Math.max(0, allowed)] ?? 0;
      }),
    );
  const scored = sets.flat().flatMap(({ record, claims }) =>
    claims.flatMap((claim) => {
      const unsupported = isUnsupported(record, claim);
      return unsupported === undefined || claim.signals === undefined
        ? []
        : [{ score: scoreOf(claim.signals, model), unsupported }];
    }),
  );
  const precisionBelow = (cut: number): number => {
    const below = scored.filter(({ score }) => score < cut);
    return below.length === 0 ? 1 : below.filter((each) => each.unsupported).length / below.length;
  };
  let withdraw = cutAt(MAX_WITHDRAWN);
  while (withdraw > 0.005 && precisionBelow(withdraw) < MIN_PRECISION) withdraw *= 0.9;
  return {
    ...model,
    supported: Number(cutAt(MAX_TOUCHED, ALONE).toFixed(3)),
    withdraw: Number(withdraw.toFixed(3)),
    alone: ALONE,
    turned: Number(turned.toFixed(2)),
  };
}

const { values } = parseArgs({
  options: { data: { type: "string" } },
});
if (values.data === undefined) throw new Error("name the folder of labeled data: --data FOLDER");
const reader = createReader({ model: process.env["CRAG_READER"] });
try {
  const guard = await fitGuard(values.data, reader);
  const write = async (file: string, value: unknown): Promise<void> =>
    writeFile(file, await format(JSON.stringify(value), { filepath: file, printWidth: 100 }));
  await write(GUARD_FILE, guard);
  process.stderr.write(`${GUARD_FILE}: ${JSON.stringify(guard)}\n`);
} finally {
  await reader.close();
}
