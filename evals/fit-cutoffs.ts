/**
 * Fits what the guard decides by, the weights and bands of claims: on half of the recorded answers, and
 * for claims that stand alone on passages in which one changed sentence makes a claim true or false, of
 * sources that the joint reader was not trained on. Run again when the encoder or the reader's weights
 * change.
 *
 *   node --import tsx evals/fit-cutoffs.ts --data FOLDER
 */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { format } from "prettier";
import { z } from "zod";
import { bandsOf, scoreOf, type GuardCutoffs } from "../src/answering/claim-bands.js";
import { createReader } from "../src/reader/create-reader.js";
import type { Reader } from "../src/reader/reader.js";
import { checkAnswer, isUnsupported, measuresOf, type CheckedAnswer } from "./answers.js";
import { evenlySpread } from "./evenly-spread.js";
import { fitLogistic } from "./fit-logistic.js";
import { readAnswersFile } from "./formats.js";
import { readJsonLines } from "./json-lines.js";
import type { LabeledClaim } from "./labeled-claims.js";
import type { Example, Measured } from "./recalibrate.js";

const GUARD_FILE = "src/answering/guard-cutoffs.json";
const ANSWERS = ["ragtruth-qa.jsonl", "mtrag.jsonl"];
/** Of the faithful answers of the tuning half: touched at most. Leaves room for other writers. */
const MAX_TOUCHED = 0.1;
const MAX_WITHDRAWN = 0.01;
/** Of what a score alone withdraws: truly unsupported at least. */
const MIN_PRECISION = 0.9;
/** Of the true claims that stand alone: marked at most. */
const MAX_ALONE = 0.02;
/** The joint reader was trained on the others. */
const LEFT_OUT = new Set(
  "psychology microbiology basecamp-handbook madetech-handbook gimp debian-dev-ref".split(" "),
);
const CONTRASTS = 240;

const ContrastSchema = z.object({
  passage: z.string(),
  source: z.string(),
  true_claim: z.string(),
  makes_it_false: z.object({ index: z.number(), sentence: z.string() }),
  false_claim: z.string(),
  makes_it_true: z.object({ index: z.number(), sentence: z.string() }),
});
const PassageSchema = z.object({
  id: z.string(),
  title: z.string().nullable(),
  text: z.string(),
  sentences: z.array(z.string()).optional(),
});

/** Both claims of each contrast, each with the passage that carries it and with the one that does not. */
async function readContrasts(folder: string): Promise<LabeledClaim[]> {
  const stored = await readJsonLines(join(folder, "passages.jsonl"), PassageSchema, "passages");
  const passages = new Map(stored.map((passage) => [passage.id, passage]));
  const all = await readJsonLines(join(folder, "contrasts.jsonl"), ContrastSchema, "contrasts");
  const leftOut = all.filter(({ source }) => LEFT_OUT.has(source));
  return evenlySpread(leftOut, CONTRASTS).flatMap((contrast) => {
    const { text = "", title, sentences = [] } = passages.get(contrast.passage) ?? {};
    const changed = ({ index, sentence }: { index: number; sentence: string }): string =>
      text.replace(sentences[index] ?? sentence, () => sentence);
    const [denied, granted] = [contrast.makes_it_false, contrast.makes_it_true].map(changed);
    if (denied === text || granted === text) return [];
    return [
      { claim: contrast.true_claim, text, supported: true },
      { claim: contrast.true_claim, text: denied, supported: false },
      { claim: contrast.false_claim, text, supported: false },
      { claim: contrast.false_claim, text: granted, supported: true },
    ].map(({ claim, text: own = "", supported }) => ({
      id: contrast.passage,
      question: "",
      claim,
      evidence: [{ title: title ?? "", text: own }],
      supported,
    }));
  });
}

/** Half of a file by the hash of its ids: the other half is left for measuring. */
function isTuning({ id }: { id: string }): boolean {
  return (createHash("sha256").update(id).digest()[0] ?? 0) % 2 === 0;
}

/** Both classes weigh alike. */
function balanced(cases: readonly Measured[]): Example[] {
  const right = cases.filter(({ positive }) => positive).length;
  return cases.map((each) => ({
    ...each,
    weight: cases.length / 2 / (each.positive ? right : cases.length - right),
  }));
}

async function checkAnswers(folder: string, reader: Reader): Promise<CheckedAnswer[][]> {
  const sets: CheckedAnswer[][] = [];
  for (const file of ANSWERS) {
    const records = (await readAnswersFile(join(folder, file))).filter(isTuning);
    const checked: CheckedAnswer[] = [];
    for (const record of records) checked.push(await checkAnswer(record, reader));
    sets.push(checked);
  }
  return sets;
}

/** @param lone support of true claims that stand alone */
function fitGuard(sets: readonly CheckedAnswer[][], lone: readonly number[]): GuardCutoffs {
  const labeled = sets.flat().flatMap(({ record, claims }) =>
    claims.flatMap(({ signals: own, ...place }) => {
      const unsupported = isUnsupported(record, place);
      return unsupported === undefined || own === undefined
        ? []
        : [{ signals: { ...own }, own, positive: !unsupported }];
    }),
  );
  const { bias, signals } = fitLogistic(balanced(labeled), {
    support: "for",
    before: "for",
    behind: "for",
    numberAbsent: "against",
  });
  const raw = (name: string): number => {
    const { weight = 0, scale = 1 } = signals[name] ?? {};
    return Number((weight / scale).toFixed(3));
  };
  const weights = {
    support: raw("support"),
    before: raw("before"),
    behind: raw("behind"),
    numberAbsent: raw("numberAbsent"),
  };
  const shift = Object.entries(signals).reduce(
    (sum, [name, { mean }]) => sum + raw(name) * mean,
    0,
  );
  const model = { bias: Number((bias - shift).toFixed(3)), weights };
  const scored = labeled.map(({ own, positive }) => ({ score: scoreOf(own, model), positive }));
  const precisionBelow = (cut: number): number => {
    const below = scored.filter(({ score }) => score < cut);
    return below.filter(({ positive }) => !positive).length / Math.max(1, below.length);
  };
  const alone = lone.toSorted((a, b) => a - b)[Math.floor(MAX_ALONE * lone.length)] ?? 0;
  /** Share of the faithful answers of the worse set in which a claim stays below a cut. */
  const touched = (cut: number, floor: number): number =>
    Math.max(
      ...sets.map((checked) => {
        const clean = checked.filter(({ record }) => record.faithful);
        const isTouched = ({ claims }: CheckedAnswer): boolean =>
          bandsOf(
            claims.map(({ signals: own, isUnfounded }) => ({
              value: 1 / (1 + Math.exp(-(own?.support ?? 0))),
              isAbsent: isUnfounded,
              isDoubtful: false,
              isComputed: false,
            })),
            { ...model, supported: cut, withdraw: 0, alone: floor },
          ).some(({ status }) => status !== "supported");
        return clean.filter(isTouched).length / clean.length;
      }),
    );
  let supported = 0.3;
  while (supported > 0.01 && touched(supported, alone) > MAX_TOUCHED) supported -= 0.005;
  let withdraw = supported;
  while (
    withdraw > 0.005 &&
    (touched(withdraw, 0) > MAX_WITHDRAWN || precisionBelow(withdraw) < MIN_PRECISION)
  )
    withdraw *= 0.9;
  return {
    ...model,
    supported: Number(supported.toFixed(3)),
    withdraw: Number(withdraw.toFixed(3)),
    alone: Number(alone.toFixed(3)),
  };
}

const { values } = parseArgs({
  options: { data: { type: "string" } },
});
if (values.data === undefined) throw new Error("name the folder of labeled data: --data FOLDER");
const data = values.data;
const contrasts = await readContrasts(join(data, "docs"));
const reader = createReader({ model: process.env["CRAG_READER"] });
try {
  const sets = await checkAnswers(join(data, "answers"), reader);
  const lone: number[] = [];
  for (const { claim, evidence, supported } of contrasts)
    if (supported) lone.push((await reader.support({ claims: [claim], evidence }))[0]?.value ?? 0);
  const cutoffs = fitGuard(sets, lone);
  const text = await format(JSON.stringify(cutoffs), { filepath: GUARD_FILE, printWidth: 100 });
  await writeFile(GUARD_FILE, text);
  for (const set of sets) process.stderr.write(`${JSON.stringify(measuresOf(set))}\n`);
  process.stderr.write(`${GUARD_FILE}: ${JSON.stringify(cutoffs)}\n`);
} finally {
  await reader.close();
}
