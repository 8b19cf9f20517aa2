/**
 * Fits what the guard and the keyless answer decide by: the weights and bands of claims on recorded
 * answers, the cut-off of quotations on natural questions, asked of
 * documents that hold the answer and of others, and on adversarial ones together. Run again
 * when the encoder or the reader's weights change.
 *
 *   node --import tsx evals/fit-cutoffs.ts --data FOLDER [--limit 300]
 */
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { format } from "prettier";
import type { GuardCutoffs } from "../src/answering/claim-bands.js";
import { scoreOf } from "../src/answering/claim-bands.js";
import { extractAnswer } from "../src/answering/extract-answer.js";
import { readPassages } from "../src/answering/readable-units.js";
import { createReader } from "../src/reader/create-reader.js";
import type { Reader } from "../src/reader/reader.js";
import { readerEmbedder } from "../src/retrieval/embedders/reader-embedder.js";
import { openSqliteKnowledgeBase } from "../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { evidenceFromHit } from "../src/tools/make-evidence.js";
import { checkAnswer, isUnsupported, type CheckedAnswer } from "./answers.js";
import { evenlySpread } from "./evenly-spread.js";
import { fitLogistic } from "./fit-logistic.js";
import { readAnswersFile, readQaDirectory, type QaQuestion } from "./formats.js";
import { containsAnswer } from "./qa-metrics.js";
import { storeCorpus } from "./store-corpus.js";

const GUARD_FILE = "src/answering/guard-cutoffs.json";
const ANSWER_FILE = "src/answering/answer-cutoffs.json";
/** Of the faithful answers of the tuning half: touched at most. Leaves room for other writers. */
const MAX_TOUCHED = 0.1;
const MAX_WITHDRAWN = 0.02;
/** Of what a score alone withdraws: truly unsupported at least. */
const MIN_PRECISION = 0.6;
/**
 * Support of its own below which no neighbor carries a sentence: an invented remark among good
 * sentences. Touches one faithful answer in fifty more.
 */
const ALONE = 0.17;
const TOP_K = 5;

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
    { support: "for", before: "for", behind: "for", numberAbsent: "against" },
  );
  const raw = (name: string): number => {
    const { weight = 0, scale = 1 } = signals[name] ?? {};
    return Number((weight / scale).toFixed(3));
  };
  const names = Object.keys(signals);
  const weights = {
    support: raw("support"),
    before: raw("before"),
    behind: raw("behind"),
    numberAbsent: raw("numberAbsent"),
  };
  const shift = names.reduce((sum, name) => sum + raw(name) * (signals[name]?.mean ?? 0), 0);
  const model = { bias: Number((bias - shift).toFixed(3)), weights };

  /** The weakest claim of each faithful answer, ascending; what is absent is no matter of scores. */
  const weakest = sets.map((checked) =>
    checked
      .filter(({ record }) => record.faithful)
      .map(({ claims }) =>
        Math.min(1, ...claims.map(({ signals: own }) => (own ? scoreOf(own, model) : 1))),
      )
      .sort((a, b) => a - b),
  );
  const cutAt = (most: number): number =>
    Math.min(...weakest.map((scores) => scores[Math.floor(most * scores.length)] ?? 0));
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
    supported: Number(cutAt(MAX_TOUCHED).toFixed(3)),
    withdraw: Number(withdraw.toFixed(3)),
    alone: ALONE,
  };
}

interface Tried {
  best: number;
  isRight: boolean;
}

/** The best quotation of each question from one corpus, its score, and whether it is right. */
async function tryQuotes({
  corpus,
  asked,
  reader,
}: {
  corpus: string;
  asked: readonly Pick<QaQuestion, "question" | "answers" | "answerable">[];
  reader: Reader;
}): Promise<Tried[]> {
  const folder = await mkdtemp(join(tmpdir(), "fit-cutoffs-"));
  const embedder = readerEmbedder(reader);
  const knowledgeBase = await openSqliteKnowledgeBase({ directory: folder, embedder });
  try {
    await storeCorpus(join(corpus, "corpus.jsonl"), knowledgeBase);
    const tried: Tried[] = [];
    for (const { question, answers, answerable } of asked) {
      const hits = await knowledgeBase.search("hybrid", { query: question, limit: TOP_K });
      const evidence = hits.map((hit) => evidenceFromHit(hit, { tool: "hybrid_search", round: 0 }));
      const sources = evidence.map(({ id }, index) => ({
        marker: index + 1,
        evidenceId: id,
        strips: [],
      }));
      const read = await readPassages({ question, items: evidence, reader });
      const window = { sources };
      const said = await extractAnswer({
        question,
        evidence,
        window,
        reader,
        read,
        leastConfidence: 0,
      });
      tried.push({
        best: read.confidence,
        isRight: answerable && containsAnswer(said, answers),
      });
    }
    return tried;
  } finally {
    await knowledgeBase.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Shares of a set at a cut-off. */
function sharesAt(cut: number, tried: readonly Tried[]): { answered: number; right: number } {
  const answered = tried.filter(({ best }) => best >= cut);
  const right = answered.filter(({ isRight }) => isRight);
  return { answered: answered.length / tried.length, right: right.length / tried.length };
}

/**
 * Of the right answers to natural questions this share may be lost. The score tells documents that
 * have nothing to do with a question from others; among those that have, it hardly tells right from
 * wrong (AUC .53 on natural, .63 on adversarial questions), so a higher cut-off costs right answers
 * and wrong ones alike.
 */
const MAX_LOST = 0.05;

const { values } = parseArgs({
  options: { data: { type: "string" }, limit: { type: "string", default: "300" } },
});
if (values.data === undefined) throw new Error("name the folder of labeled data: --data FOLDER");
const reader = createReader({ model: process.env["CRAG_READER"] });
try {
  const guard = await fitGuard(values.data, reader);
  const write = async (file: string, value: unknown): Promise<void> =>
    writeFile(file, await format(JSON.stringify(value), { filepath: file, printWidth: 100 }));
  await write(GUARD_FILE, guard);
  process.stderr.write(`${GUARD_FILE}: ${JSON.stringify(guard)}\n`);

  const limit = Number(values.limit);
  const [natural, adversarial] = [join(values.data, "qa/nq"), join(values.data, "qa/squad2")];
  const questionsOf = async (directory: string) =>
    evenlySpread((await readQaDirectory(directory)).questions, limit);
  const people = await questionsOf(natural);
  const sets = [
    await tryQuotes({ corpus: natural, asked: people, reader }),
    // The same questions, asked of documents that have nothing to do with them.
    await tryQuotes({
      corpus: adversarial,
      asked: people.map((each) => ({ ...each, answerable: false })),
      reader,
    }),
    await tryQuotes({ corpus: adversarial, asked: await questionsOf(adversarial), reader }),
  ];
  const [own = [], ...others] = sets;
  const enough = (1 - MAX_LOST) * sharesAt(0, own).right;
  const grid = Array.from({ length: 99 }, (_, index) => (index + 1) / 100);
  const best = grid.findLast((cut) => sharesAt(cut, own).right >= enough) ?? 0.3;
  const kept: unknown = JSON.parse(await readFile(ANSWER_FILE, "utf8"));
  await write(ANSWER_FILE, { ...(kept as object), answer: best });
  for (const cut of [0, 0.3, best, 0.5, 0.65])
    for (const [name, tried] of [
      ["own", own] as const,
      ...others.map((each) => ["other", each] as const),
    ])
      process.stderr.write(
        `from ${cut.toFixed(2)} ${name}: ${JSON.stringify(sharesAt(cut, tried))}\n`,
      );
} finally {
  await reader.close();
}
