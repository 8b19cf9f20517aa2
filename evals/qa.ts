/** `eval qa`: plain beside corrective RAG on the same questions, some of which the corpus does not answer. */
import { costOf, type Cost, type Run } from "./ask-question.js";
import { pairedBootstrap, type Interval } from "./paired-bootstrap.js";
import { isHallucination, meanOf, qaMeasures, qaMetrics, type QaMeasures, type QaMetrics } from "./qa-metrics.js";
import { runQaPairs, type QaInput, type QaPair } from "./qa-pairs.js";
import { riskAt, type Attempt } from "./risk-coverage.js";

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

/**
 * Answers each question twice from one knowledge base. Nothing leaves the machine but calls of a model, where one is configured.
 * @throws UserError when the folder is not of the format
 */
export async function runQaEval(input: QaInput): Promise<QaReport> {
  return reportOf(await runQaPairs(input));
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
