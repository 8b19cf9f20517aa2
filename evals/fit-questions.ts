/**
 * Fits which passage is first, and how sure an assertion is, to questions over documents that the
 * joint reader was not trained on. Nobody judged other passages than a question's own: they count
 * as wrong, and near misses as unanswerable. The judged pools are left out, to be measured on.
 *
 *   node --import tsx evals/fit-questions.ts --data FOLDER [--limit 60] [--out FILE]
 *
 * Of the joint reader's models it fits `passage` and `assertion`; the others stay.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readableUnits } from "../src/answering/readable-units.js";
import { createReader } from "../src/reader/create-reader.js";
import { logOdds, SHIPPED_WEIGHTS, type LogisticModel } from "../src/reader/weights.js";
import { oneLine } from "../src/text/one-line.js";
import { evenlySpread } from "./evenly-spread.js";
import { fitLogistic } from "./fit-logistic.js";
import type { Example } from "./recalibrate.js";
import { labeled, openSource, pooled, readPassages } from "./users.js";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    out: { type: "string", default: "src/reader/weights.json" },
    /** Answerable questions of each source, and as many near misses. */
    limit: { type: "string", default: "60" },
  },
});
if (values.data === undefined) throw new Error("name the folder of labeled data: --data FOLDER");
const limit = Number(values.limit);
/** Passages that are read for each question, and those that are kept. */
const [CANDIDATES, KEPT] = [20, 5];

interface Candidate {
  readonly signals: Readonly<Record<string, number>>;
  readonly isRight: boolean;
  /** Log-odds of its best unit, and whether that is the answer. */
  readonly sentence: number;
  readonly isAnswer: boolean;
}

const folder = join(values.data, "docs");
const passages = await readPassages(folder);
const pool = await pooled(folder);
const known = new Set(pool.map(({ source, question }) => `${source} ${question}`));
const asked = (await labeled(folder, passages)).filter(
  ({ source, question }) => !known.has(`${source} ${question}`),
);
const questions: Candidate[][] = [];
for (const source of new Set(pool.map((each) => each.source))) {
  const reader = createReader({ notice: (message) => process.stderr.write(`${message}\n`) });
  const { knowledgeBase, close } = await openSource(
    passages.filter((passage) => passage.source === source),
    reader,
  );
  for (const isAnswerable of [true, false]) {
    const some = asked.filter(
      (each) => each.source === source && each.full.size > 0 === isAnswerable,
    );
    for (const { question, full, gold } of evenlySpread(some, limit)) {
      const hits = await knowledgeBase.search("hybrid", { query: question, limit: CANDIDATES });
      const found = hits.map(({ passage: { title, heading, path, text }, scores }) => ({
        title,
        headings: heading === undefined ? [] : [heading],
        text,
        found: scores[0]?.value,
        units: readableUnits({ title, text, source: { kind: "file", path, heading } }),
      }));
      const { passages: judged } = await reader.relevance({ question, passages: found });
      const read = await reader.read({ question, passages: found });
      questions.push(
        judged.map(({ signals }, index) => {
          const units = read.passages[index]?.units ?? [];
          const best = Math.max(0, ...units);
          const quoted = found[index]?.units[units.indexOf(best)]?.text ?? "";
          const isRight = full.has(hits[index]?.passage.id ?? "");
          return {
            signals,
            isRight,
            sentence: Math.log(best / (1 - best)),
            isAnswer: isRight && gold.some((sentence) => isAlike(quoted, sentence)),
          };
        }),
      );
    }
  }
  await close();
  process.stderr.write(`${source}: ${questions.length} questions\n`);
}

const right = questions.flat().filter(({ isRight }) => isRight).length;
const wrong = questions.flat().length - right;
const passage = fitLogistic(
  questions.flat().map(({ signals, isRight }) => ({
    signals,
    positive: isRight,
    weight: 1 / (isRight ? right : wrong),
  })),
  { found: "for", joint: "for" },
);
const assertion = fitLogistic(
  questions.flatMap((candidates) => assertionOf(candidates, passage)),
  { passage: "for", lead: "for", sentence: "for" },
);
const { joint } = SHIPPED_WEIGHTS;
const kept: object = JSON.parse(readFileSync(values.out, "utf8"));
const fitted = { ...kept, joint: { ...joint, passage, assertion } };
writeFileSync(values.out, `${JSON.stringify(fitted, null, 1)}\n`);

/** What the agent would assert of these passages, and whether it is right. */
function assertionOf(candidates: readonly Candidate[], model: LogisticModel): Example[] {
  const [first, second] = candidates
    .map((each) => ({ ...each, odds: logOdds(each.signals, model) }))
    .sort((a, b) => b.odds - a.odds)
    .slice(0, KEPT);
  if (first === undefined || !Number.isFinite(first.sentence)) return [];
  const lead = Math.min(4, first.odds - (second?.odds ?? -Infinity));
  const signals = { passage: first.odds, lead, sentence: first.sentence };
  return [{ signals, positive: first.isAnswer, weight: 1 }];
}

/** True if most words of one stand in the other: both cut the same text, each its own way. */
function isAlike(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => new Set(oneLine(text).toLowerCase().split(/\W+/u)));
  const shared = [...(one ?? [])].filter((word) => other?.has(word)).length;
  return shared > 1 && shared >= 0.7 * Math.min(one?.size ?? 0, other?.size ?? 0);
}
