/** What each correction buys and costs: the agent as it is, beside the same agent with one step switched off, on the same questions. */
import { ABLATIONS, type Ablation } from "../src/settings/run-settings.js";
import { costOf, type Cost, type Run } from "./ask-question.js";
import type { Interval } from "./paired-bootstrap.js";
import { differences, qaMeasures, qaMetrics, type QaMetrics } from "./qa-metrics.js";

export interface AblationRow {
  switched_off: string;
  metrics: QaMetrics;
  cost: Cost;
  /** Of the questions: a web search was made. */
  web_share: number;
  /** With the step minus without it, 95 % paired: what the step changes. Absent for the whole agent. */
  gain?: Pick<
    Record<keyof QaMetrics, Interval>,
    "contains" | "f1" | "answered_share" | "false_answer_rate" | "hallucination_rate"
  >;
}

/** `nothing` is the agent as it is; `plain RAG` answers from whatever was found first. */
export const ABLATION_ROWS: Readonly<Record<string, readonly Ablation[]>> = {
  nothing: [],
  ...Object.fromEntries(ABLATIONS.map((step) => [step, [step]])),
  "plain RAG": ["grading", "guard"],
};

/**
 * @param answer answers all questions with these steps switched off; the order must stay the same
 */
export async function ablate(
  answer: (switchedOff: readonly Ablation[], onDone: (done: number) => void) => Promise<Run[]>,
  questions: number,
  onProgress?: (done: number, total: number) => void,
): Promise<AblationRow[]> {
  const entries = Object.entries(ABLATION_ROWS);
  const total = questions * entries.length;
  let whole: Run[] | undefined;
  const rows: AblationRow[] = [];
  for (const [index, [name, switchedOff]] of entries.entries()) {
    const runs = await answer(switchedOff, (done) => onProgress?.(index * questions + done, total));
    rows.push({
      switched_off: name,
      metrics: qaMetrics(runs.map(({ record }) => record)),
      cost: costOf(runs),
      web_share: runs.length === 0 ? 0 : runs.filter(({ webUsed }) => webUsed).length / runs.length,
      ...(whole && { gain: gainOf(runs, whole) }),
    });
    whole ??= runs;
  }
  return rows;
}

function gainOf(without: readonly Run[], whole: readonly Run[]): AblationRow["gain"] {
  const pairs = without.flatMap(({ record }, index) => {
    const after = whole[index];
    return after === undefined
      ? []
      : [{ before: qaMeasures(record), after: qaMeasures(after.record) }];
  });
  const { contains, f1, answered_share, false_answer_rate, hallucination_rate } =
    differences(pairs);
  return { contains, f1, answered_share, false_answer_rate, hallucination_rate };
}
