/** `eval qa`: plain beside corrective RAG on the same questions, some of which the corpus does not answer. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Ablation, ProfileName, Quality } from "../src/config/run-settings.js";
import { createCorrectiveRag, type CorrectiveRag } from "../src/corrective-rag.js";
import { ingest } from "../src/ingest/ingest.js";
import { openSqliteKnowledgeBase } from "../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { askQuestion, costOf, ISOLATED, type Cost, type Run } from "./ask-question.js";
import { evenlySpread } from "./evenly-spread.js";
import { readQaDirectory, type QaQuestion } from "./formats.js";
import { pairedBootstrap, type Interval } from "./paired-bootstrap.js";
import { isHallucination, meanOf, qaMeasures, qaMetrics, type QaMeasures, type QaMetrics } from "./qa-metrics.js";
import { riskAt, type Attempt } from "./risk-coverage.js";

/** Plain RAG: retrieve, refine, answer. */
export const PLAIN: readonly Ablation[] = ["grading", "guard"];

export interface QaReport {
  n: number;
  plain: QaMetrics & Cost;
  corrective: QaMetrics & Cost;
  /** 1 − corrective ÷ plain hallucination rate; the interval is of a paired bootstrap over the questions. */
  hallucination_reduction: Interval;
  /** Corrective minus plain, likewise. */
  difference: Record<keyof QaMetrics, Interval>;
  /** Hallucination rates when plain withholds the answers it has least reason to trust until both answer the same share of the questions. */
  risk_at_equal_share: { answered_share: number; plain: number; corrective: number; reduction: Interval };
}

export interface QaInput {
  directory: string;
  profile?: ProfileName;
  quality?: Quality;
  /** Questions at most, spread evenly over the file. */
  limit?: number;
  onProgress?: (done: number, total: number) => void;
}

/** What was said to one question by the two systems. */
export interface QaPair {
  plain: Run;
  corrective: Run;
}

/**
 * Answers each question twice from one knowledge base. Nothing leaves the machine but calls of a model, where one is configured.
 * @throws UserError when the folder is not of the format
 */
export async function runQaEval(input: QaInput): Promise<QaReport> {
  return reportOf(await runQaPairs(input));
}

export async function runQaPairs({ onProgress, ...input }: QaInput): Promise<QaPair[]> {
  return withQaAgent(input, async (agent, questions) => {
    const pairs: QaPair[] = [];
    for (const [done, question] of questions.entries()) {
      onProgress?.(done, questions.length);
      const plain = await askQuestion(agent, question, { switched_off: [...PLAIN] });
      pairs.push({ plain, corrective: await askQuestion(agent, question, {}) });
    }
    onProgress?.(questions.length, questions.length);
    return pairs;
  });
}

/** Ingests the corpus into a knowledge base of its own, which is deleted afterwards. */
export async function withQaAgent<Result>(
  { directory, profile, quality, limit }: Omit<QaInput, "onProgress">,
  use: (agent: CorrectiveRag, questions: QaQuestion[]) => Promise<Result>,
): Promise<Result> {
  const { questions } = await readQaDirectory(directory);
  const folder = await mkdtemp(join(tmpdir(), "qa-eval-"));
  const knowledgeBase = await openSqliteKnowledgeBase({ directory: folder });
  const agent = createCorrectiveRag({
    knowledgeBase,
    environment: { ...process.env, ...ISOLATED },
    defaults: { profile, quality },
    checkpointer: false,
  });
  try {
    await ingest({ targets: ["corpus.jsonl"], knowledgeBase, cwd: directory });
    return await use(agent, evenlySpread(questions, limit));
  } finally {
    await agent.close();
    await knowledgeBase.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The report over the pairs; deterministic but for the times. */
export function reportOf(pairs: readonly QaPair[]): QaReport {
  // Reading an answer is dear and bootstrap samples are many: each answer is measured once.
  const measured = pairs.map(({ plain, corrective }) => ({ before: qaMeasures(plain.record), after: qaMeasures(corrective.record) }));
  return {
    n: pairs.length,
    plain: { ...qaMetrics(pairs.map(({ plain }) => plain.record)), ...costOf(pairs.map(({ plain }) => plain)) },
    corrective: { ...qaMetrics(pairs.map(({ corrective }) => corrective.record)), ...costOf(pairs.map(({ corrective }) => corrective)) },
    hallucination_reduction: pairedBootstrap(measured, (sample) =>
      reduction(
        meanOf(sample, ({ before }) => before.hallucination_rate),
        meanOf(sample, ({ after }) => after.hallucination_rate),
      ),
    ),
    difference: differences(measured),
    risk_at_equal_share: riskAtEqualShare(pairs),
  };
}

/** The change of each metric from one system to another on the same questions, with 95 % intervals. */
export function differences(pairs: readonly { before: QaMeasures; after: QaMeasures }[]): Record<keyof QaMetrics, Interval> {
  const difference = (key: keyof QaMetrics): Interval =>
    pairedBootstrap(pairs, (sample) => meanOf(sample, ({ after }) => after[key]) - meanOf(sample, ({ before }) => before[key]));
  return {
    contains: difference("contains"),
    em: difference("em"),
    f1: difference("f1"),
    answered_share: difference("answered_share"),
    false_answer_rate: difference("false_answer_rate"),
    false_abstain_rate: difference("false_abstain_rate"),
    hallucination_rate: difference("hallucination_rate"),
  };
}

function riskAtEqualShare(pairs: readonly QaPair[]): QaReport["risk_at_equal_share"] {
  const rows = pairs.map(({ plain, corrective }) => ({
    plain: attempt(plain, plain.coverage),
    corrective: attempt(corrective, correctiveTrust(corrective)),
  }));
  const share = (sample: typeof rows): number =>
    Math.min(
      ...(["plain", "corrective"] as const).map(
        (side) => sample.filter((row) => row[side].confidence !== -Infinity).length / sample.length,
      ),
    );
  const risk = (sample: typeof rows, side: "plain" | "corrective"): number =>
    riskAt(
      sample.map((row) => row[side]),
      share(sample),
    );
  return {
    answered_share: share(rows),
    plain: risk(rows, "plain"),
    corrective: risk(rows, "corrective"),
    reduction: pairedBootstrap(rows, (sample) => reduction(risk([...sample], "plain"), risk([...sample], "corrective"))),
  };
}

export function attempt(run: Run, confidence: number): Attempt {
  return { confidence: run.record.abstained ? -Infinity : confidence, wrong: isHallucination(run.record) };
}

/** What the corrective agent trusts an answer by: its judge's probability. */
export function correctiveTrust(run: Run): number {
  return run.judged ?? run.coverage;
}

function reduction(before: number, after: number): number {
  return before === 0 ? Number.NaN : 1 - after / before;
}
