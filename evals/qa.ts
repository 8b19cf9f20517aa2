/** `eval qa`: plain beside corrective RAG on the same questions, some of which the corpus does not answer. */
import { attempt, correctiveTrust } from "./attempts.js";
import { ablate, type AblationRow } from "./ablation.js";
import { askQuestion, costOf, type Cost, type Run } from "./ask-question.js";
import { pairedBootstrap, type Interval } from "./paired-bootstrap.js";
import {
  differences,
  meanOf,
  qaMeasures,
  qaMetrics,
  type QaMeasures,
  type QaMetrics,
} from "./qa-metrics.js";
import { readQuestions, runQaPairs, withQaAgent, type QaInput, type QaPair } from "./qa-pairs.js";
import { writeQaReport } from "./report/qa-report.js";
import { riskAt } from "./risk-coverage.js";

export interface QaReport {
  n: number;
  plain: QaMetrics & Cost;
  corrective: QaMetrics & Cost;
  /** 1 − corrective ÷ plain hallucination rate; the interval is of a paired bootstrap over the questions. */
  hallucination_reduction: Interval;
  /** The same of all questions asked, answered or not. */
  hallucinated_share_reduction: Interval;
  /** Corrective minus plain, likewise. */
  difference: Record<keyof QaMetrics, Interval>;
  /** Hallucination rates when plain withholds the answers it has least reason to trust until both answer the same share of the questions. */
  risk_at_equal_share: {
    answered_share: number;
    plain: number;
    corrective: number;
    reduction: Interval;
  };
  /** With `ablation` only. */
  ablation?: AblationRow[];
}

export interface QaEvalInput extends QaInput {
  /** Also with each step switched off in turn. */
  ablation?: boolean;
  /** Folder for a report with plots. */
  report?: string;
}

/**
 * Answers each question twice from one knowledge base. Nothing leaves the machine but calls of a model, where one is configured.
 * @throws UserError when the folder is not of the format
 */
export async function runQaEval({
  ablation = false,
  report: folder,
  ...input
}: QaEvalInput): Promise<QaReport> {
  const pairs = await runQaPairs(input);
  const report = { ...reportOf(pairs), ...(ablation && { ablation: await runAblation(input) }) };
  if (folder !== undefined)
    await writeQaReport({ folder, directory: input.directory, report, pairs });
  return report;
}

async function runAblation({ onProgress, ...input }: QaInput): Promise<AblationRow[]> {
  const questions = await readQuestions(input);
  return withQaAgent(input, (agent) =>
    ablate(
      async (switchedOff, onDone) => {
        const runs: Run[] = [];
        for (const question of questions)
          onDone(runs.push(await askQuestion(agent, question, { switched_off: [...switchedOff] })));
        return runs;
      },
      questions.length,
      onProgress,
    ),
  );
}

/** The report over the pairs; deterministic but for the times. */
export function reportOf(pairs: readonly QaPair[]): QaReport {
  // Reading an answer is dear and bootstrap samples are many: each answer is measured once.
  const measured = pairs.map(({ plain, corrective }) => ({
    before: qaMeasures(plain.record),
    after: qaMeasures(corrective.record),
  }));
  return {
    n: pairs.length,
    plain: {
      ...qaMetrics(pairs.map(({ plain }) => plain.record)),
      ...costOf(pairs.map(({ plain }) => plain)),
    },
    corrective: {
      ...qaMetrics(pairs.map(({ corrective }) => corrective.record)),
      ...costOf(pairs.map(({ corrective }) => corrective)),
    },
    hallucination_reduction: reductionOf(measured, "hallucination_rate"),
    hallucinated_share_reduction: reductionOf(measured, "hallucinated_share"),
    difference: differences(measured),
    risk_at_equal_share: riskAtEqualShare(pairs),
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
    reduction: pairedBootstrap(rows, (sample) =>
      reduction(risk([...sample], "plain"), risk([...sample], "corrective")),
    ),
  };
}

function reductionOf(
  measured: readonly { before: QaMeasures; after: QaMeasures }[],
  key: keyof QaMetrics,
): Interval {
  return pairedBootstrap(measured, (sample) =>
    reduction(
      meanOf(sample, ({ before }) => before[key]),
      meanOf(sample, ({ after }) => after[key]),
    ),
  );
}

function reduction(before: number, after: number): number {
  return before === 0 ? Number.NaN : 1 - after / before;
}
