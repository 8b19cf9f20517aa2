import type { Asking } from "../../src/model/call-model.js";
import { JUDGES } from "../../src/model/judges.js";
import { isModelError } from "../../src/model/model-error.js";
import { askFor } from "../../src/model/structured-call.js";
import type { Evidence } from "../../src/state/evidence.js";
import { LABELLED } from "./grading-pairs.js";

/** How the grades of a model agree with the labels. */
export interface GradeAgreement {
  pairs: number;
  /** Share of the pairs on the right side of the threshold from which evidence is answered from. */
  accuracy: number;
  /** Share of relevant passages that would be thrown away. */
  relevant_dropped: number;
  /** Share of irrelevant passages that would be answered from. */
  irrelevant_trusted: number;
  /** Share of (relevant, irrelevant) of one question that are in the right order; ties count half. */
  auc: number;
  /** Answers that could not be read. */
  unread: number;
}

/** Has the model grade the forty pairs, one call for each question. */
export async function gradePairs(asking: Asking): Promise<GradeAgreement> {
  const { thresholds } = asking.scope.settings;
  const { correct, keep } = thresholds;
  const graded: { question: number; relevant: boolean; score: number }[] = [];
  let unread = 0;
  for (const [number, { question, relevant, irrelevant }] of LABELLED.entries()) {
    // In another order each time, so that "the first is the right one" earns nothing.
    const items = [...relevant, ...irrelevant].map((text, index) => passage(`${index}`, text));
    const shift = number % items.length;
    const evidence = [...items.slice(shift), ...items.slice(0, shift)];
    const input = { judge: "batch" as const, question, evidence, thresholds, tools: [] };
    const { form, promptOf } = JUDGES.batch;
    const given = { ...input, today: asking.today };
    const grades = await askFor(asking, "grade", form(evidence.length), promptOf, given).catch(
      (error: unknown) => {
        if (!isModelError(error)) throw error;
        unread += 1;
        return [];
      },
    );
    const scores = Array.isArray(grades) ? grades : [];
    for (const [index, { id }] of evidence.entries())
      graded.push({
        question: number,
        relevant: Number(id) < relevant.length,
        score: scores[index] ?? 0.5,
      });
  }
  const good = graded.filter(({ relevant }) => relevant);
  const bad = graded.filter(({ relevant }) => !relevant);
  const order = good.flatMap((yes) =>
    bad
      .filter((no) => no.question === yes.question)
      .map((no) => (yes.score > no.score ? 1 : yes.score === no.score ? 0.5 : 0)),
  );
  return {
    pairs: graded.length,
    accuracy: share(graded, ({ relevant, score }) => relevant === score >= correct),
    relevant_dropped: share(good, ({ score }) => score < keep),
    irrelevant_trusted: share(bad, ({ score }) => score >= correct),
    auc: round(order.reduce<number>((sum, each) => sum + each, 0) / order.length),
    unread,
  };
}

function share<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return round(items.filter(holds).length / items.length);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function passage(id: string, text: string): Evidence {
  return {
    id,
    text,
    title: "",
    source: { kind: "file", path: `${id}.md` },
    tool: "keyword_search",
    round: 0,
    scores: [],
    status: "ungraded",
  };
}
