/**
 * Fits what the guard decides by: the weights and bands of claims, on recorded answers. Of five parts
 * of the answers, each is measured by what is fitted on the other four, and the means are told.
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
import type { Reader } from "../src/reader/reader.js";
import { checkAnswer, isUnsupported, measuresOf, type CheckedAnswer } from "./answers.js";
import { fitLogistic } from "./fit-logistic.js";
import { readAnswersFile } from "./formats.js";

const GUARD_FILE = "src/answering/guard-cutoffs.json";
/** Of the faithful answers of each set: touched at most by score or sense. */
const MAX_TOUCHED = 0.09;
const MAX_WITHDRAWN = 0.01;
/** Of these at most for words that all stand in a source that hardly says the sentence. */
const MAX_TURNED = 0.02;
/** Of what a score alone withdraws: truly unsupported at least. */
const MIN_PRECISION = 0.6;
/**
 * No neighbor carries a sentence of less support than this: an invented remark among good sentences.
 * The lexical reader gives such up to nearly so much; with the joint reader it touches one faithful
 * answer in a hundred.
 */
const ALONE = 0.22;

const PARTS = 5;

/** The part of an answer, by the hash of its id. */
function partOf(id: string): number {
  return (createHash("sha256").update(id).digest()[0] ?? 0) % PARTS;
}

function fitGuard(sets: readonly (readonly CheckedAnswer[])[]): GuardCutoffs {
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
        const alone = Math.min(1, ...signals.map(({ support }) => support));
        return {
          score: Math.min(1, ...signals.map((each) => scoreOf(each, model))),
          alone: alone * Math.sqrt(claims.length),
          isTurned: claims.some(({ sense = turned }) => sense < turned),
        };
      }),
  );
  /** The highest cut that touches at most a share of each set's faithful answers. */
  const cutAt = (most: number, floor = -Infinity): number =>
    Math.min(
      ...weakest.map((answers) => {
        const left = answers.filter(({ alone, isTurned }) => alone >= floor && !isTurned);
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
const trained = createReader({ model: process.env["CRAG_READER"] });
const read = new Map<string, ReturnType<Reader["support"]>>();
/** Reads nothing twice. */
const reader: Reader = {
  ...trained,
  support: ({ signal: _signal, hurry: _hurry, ...given }) => {
    const key = JSON.stringify(given);
    const supports = read.get(key) ?? trained.support(given);
    read.set(key, supports);
    return supports;
  },
};
try {
  const sets: CheckedAnswer[][] = [];
  for (const name of ["ragtruth-qa", "mtrag"]) {
    const records = await readAnswersFile(join(values.data, "answers", `${name}.jsonl`));
    const checked: CheckedAnswer[] = [];
    for (const record of records) checked.push(await checkAnswer(record, reader));
    sets.push(checked);
  }
  const measured = sets.map((): CheckedAnswer[] => []);
  for (let part = 0; part < PARTS; part += 1) {
    const isLeftOut = ({ record }: CheckedAnswer): boolean => partOf(record.id) === part;
    const cutoffs = fitGuard(sets.map((set) => set.filter((answer) => !isLeftOut(answer))));
    for (const [index, set] of sets.entries())
      for (const { record } of set.filter(isLeftOut))
        measured[index]?.push(await checkAnswer(record, reader, cutoffs));
  }
  for (const answers of measured) {
    const { auc_answer, auc_sentence, clean_touched, unsupported_caught } = measuresOf(answers);
    const told = { auc_answer, auc_sentence, clean_touched, unsupported_caught };
    process.stderr.write(`left out: ${JSON.stringify(told)}\n`);
  }
  const guard = fitGuard(sets);
  await writeFile(GUARD_FILE, await format(JSON.stringify(guard), { filepath: GUARD_FILE }));
  process.stderr.write(`${GUARD_FILE}: ${JSON.stringify(guard)}\n`);
} finally {
  await trained.close();
}
