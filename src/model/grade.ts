/** Grading by a model, in one call or several. */
import type { Judgement } from "../grading/judgement.js";
import { UNREADABLE_SCORE } from "../grading/judgement.js";
import type { GradeInput } from "../reasoning/reasoner.js";
import type { Evidence } from "../state/evidence.js";
import { GradingUnreadableError, MAX_GRADE_FAILURES, type RunHealth } from "./fall-back.js";
import { gradeItems, gradeSet, type Verdict } from "./judges.js";
import { ModelError } from "./model-error.js";
import type { PromptInputs } from "./prompt.js";
import type { Asking } from "./structured-call.js";

export async function grade(
  input: GradeInput,
  asking: Asking,
  health: RunHealth,
): Promise<Judgement> {
  if (health.gradeFailures >= MAX_GRADE_FAILURES) throw new GradingUnreadableError();
  const grading = { input, asking, health };
  switch (input.judge) {
    case "batch":
    case "per_document":
      return gradeNew(grading);
    case "set":
    case "adequacy":
      return gradeWhole(grading);
    default:
      return input.judge satisfies never;
  }
}

interface Grading {
  readonly input: GradeInput;
  readonly asking: Asking;
  readonly health: RunHealth;
}

/** Asks a judge about some evidence; returns `instead` if its answer cannot be read. */
async function read<T>(
  grading: Grading,
  evidence: readonly Evidence[],
  judge: (input: PromptInputs["grade"], asking: Asking) => Promise<T>,
  instead: T,
): Promise<T> {
  const { input, asking, health } = grading;
  const { scope, today } = asking;
  const { thresholds } = scope.settings;
  const shown = evidence.map((item) => ({
    ...item,
    text: input.excerpts?.get(item.id) || item.text,
  }));
  try {
    return await judge({ ...input, evidence: shown, thresholds, today }, asking);
  } catch (error) {
    const isUnread =
      error instanceof ModelError && (error.kind === "nonsense" || error.kind === "no_room");
    if (!isUnread) throw error;
    health.gradeFailures += 1;
    const expected = evidence.length;
    scope.emit({
      type: "grade_parse_failure",
      judge: input.judge,
      expected,
      output: error.details.output ?? "",
      failures: health.gradeFailures,
    });
    const counted = expected === 1 ? "item counts" : `${expected} items count`;
    scope.warn(`The grader's answer could not be read; its ${counted} as ${UNREADABLE_SCORE}.`);
    if (health.gradeFailures >= MAX_GRADE_FAILURES) throw new GradingUnreadableError();
    return instead;
  }
}

/**
 * Judges the new items in batches, or each document of the first round in a call of its own. What a
 * correction finds is judged together: k + 3 calls for a question in all.
 */
async function gradeNew(grading: Grading): Promise<Judgement> {
  const { ungraded, judge: asked } = grading.input;
  const { scope } = grading.asking;
  const { budget, settings } = scope;
  const left = budget.left("modelCalls");
  const isEach = asked === "per_document" && ungraded.some(({ round }) => round === 0);
  // One call is kept for the answer, and no paid grade is thrown away.
  const isTooMany = isEach && ungraded.length >= left && left > 1;
  if (isTooMany)
    scope.warn(
      `The budget does not allow ${ungraded.length} grading calls: the documents were ` +
        "graded together.",
    );
  const judge = isEach && !isTooMany ? "per_document" : "batch";
  const size = judge === "batch" ? settings.gradeBatchSize : 1;
  const input = { ...grading.input, judge } as const;
  const scores: Record<string, number> = {};
  const gradeFrom = async (from: number): Promise<void> => {
    const batch = ungraded.slice(from, from + size);
    const values = await read({ ...grading, input }, batch, gradeItems, []);
    for (const [index, { id }] of batch.entries()) scores[id] = values[index] ?? UNREADABLE_SCORE;
  };
  const starts = [...ungraded.keys()].filter((index) => index % size === 0);
  // The first call goes alone, so that the others know which form the endpoint takes.
  for (let atOnce = 1; starts.length > 0; atOnce = settings.gradeConcurrency) {
    const results = await Promise.allSettled(starts.splice(0, atOnce).map(gradeFrom));
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }
  return { judge, scores };
}

/** Judges the set, items of earlier rounds included. */
async function gradeWhole(grading: Grading): Promise<Judgement> {
  const { evidence, judge } = grading.input;
  const unread = { score: UNREADABLE_SCORE, reasoning: "The judge's answer could not be read." };
  const set = await read<Verdict>(grading, evidence, gradeSet, unread);
  return { judge, scores: Object.fromEntries(evidence.map(({ id }) => [id, set.score])), set };
}
