/** Grading by a model: which judge, how many calls, and what an unreadable answer counts as. */
import type { Judgement } from "../grading/judgement.js";
import { UNREADABLE_SCORE } from "../grading/judgement.js";
import type { GradeInput } from "../reasoning/reasoner.js";
import type { Evidence } from "../state/evidence.js";
import { GradingUnreadableError, MAX_GRADE_FAILURES, type RunHealth } from "./fall-back.js";
import { gradeBatch, gradeDocument, gradeSet } from "./judges.js";
import { ModelError } from "./model-error.js";
import type { PromptInputs } from "./prompt.js";
import type { Asking } from "./structured-call.js";

export async function grade(
  input: GradeInput,
  asking: Asking,
  health: RunHealth,
): Promise<Judgement> {
  if (health.gradeFailures >= MAX_GRADE_FAILURES) throw new GradingUnreadableError(0);
  const grading = { input, asking, reader: createReader(input.judge, asking, health) };
  switch (input.judge) {
    case "batch":
      return gradeBatches(grading);
    case "per_document":
      return gradeEach(grading);
    case "set":
    case "adequacy":
      return gradeWhole(grading);
    default:
      return input.judge satisfies never;
  }
}

interface Grading {
  input: GradeInput;
  asking: Asking;
  reader: Reader;
}

/** Counts what could not be read. */
interface Reader {
  failures: number;
  /** Runs one call; `instead` when its answer could not be read. */
  read<T>(items: number, call: () => Promise<T>, instead: T): Promise<T>;
}

function createReader(judge: string, { scope }: Asking, health: RunHealth): Reader {
  return {
    failures: 0,
    async read(items, call, instead) {
      try {
        return await call();
      } catch (error) {
        const isUnread =
          error instanceof ModelError && (error.kind === "nonsense" || error.kind === "no_room");
        if (!isUnread) throw error;
        this.failures += 1;
        health.gradeFailures += 1;
        const { gradeFailures: failures } = health;
        const output = error.details.output ?? "";
        scope.emit({ type: "grade_parse_failure", judge, expected: items, output, failures });
        const counted = items === 1 ? "item counts" : `${items} items count`;
        scope.warn(`The grader's answer could not be read; its ${counted} as ${UNREADABLE_SCORE}.`);
        if (failures >= MAX_GRADE_FAILURES) throw new GradingUnreadableError(this.failures);
        return instead;
      }
    },
  };
}

function promptInput(
  { question, judge, tools }: GradeInput,
  evidence: readonly Evidence[],
  { scope, today }: Asking,
): PromptInputs["grade"] {
  return { judge, question, evidence, thresholds: scope.settings.thresholds, tools, today };
}

async function gradeBatches({ input, asking, reader }: Grading): Promise<Judgement> {
  const size = Math.max(1, asking.scope.settings.gradeBatchSize);
  const scores: Record<string, number> = {};
  for (let from = 0; from < input.ungraded.length; from += size) {
    const batch = input.ungraded.slice(from, from + size);
    const values = await reader.read(
      batch.length,
      () => gradeBatch(promptInput({ ...input, judge: "batch" }, batch, asking), asking),
      [],
    );
    for (const [index, item] of batch.entries())
      scores[item.id] = values[index] ?? UNREADABLE_SCORE;
  }
  return { judge: "batch", scores, parseFailures: reader.failures };
}

async function gradeEach(grading: Grading): Promise<Judgement> {
  const { input, asking, reader } = grading;
  const { scope } = asking;
  // One call is kept for the answer; grades that were paid for must not be thrown away.
  const left = scope.budget.left("modelCalls");
  if (input.ungraded.length >= left && left > 1) {
    scope.warn(
      `The budget does not reach for ${input.ungraded.length} grading calls: the documents were graded together.`,
    );
    return gradeBatches(grading);
  }
  const scores: Record<string, number> = {};
  const waiting = [...input.ungraded];
  const gradeNext = async (): Promise<boolean> => {
    const item = waiting.shift();
    if (item === undefined) return false;
    scores[item.id] = await reader.read(
      1,
      () => gradeDocument(promptInput(input, [item], asking), asking),
      UNREADABLE_SCORE,
    );
    return true;
  };
  const worker = async (): Promise<void> => {
    while (await gradeNext());
  };
  // The first call goes ahead alone, so that the others know what the endpoint can do.
  await gradeNext();
  const workers = Math.min(Math.max(1, scope.settings.gradeConcurrency), waiting.length);
  const results = await Promise.allSettled(Array.from({ length: workers }, worker));
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return { judge: "per_document", scores, parseFailures: reader.failures };
}

/** The set is judged whole, so the items of earlier rounds are shown too. */
async function gradeWhole({ input, asking, reader }: Grading): Promise<Judgement> {
  const verdict = await reader.read<NonNullable<Judgement["set"]>>(
    input.evidence.length,
    () => gradeSet(promptInput(input, input.evidence, asking), asking),
    { score: UNREADABLE_SCORE, reasoning: "The judge's answer could not be read." },
  );
  return {
    judge: input.judge,
    scores: Object.fromEntries(input.evidence.map((item) => [item.id, verdict.score])),
    set: verdict,
    parseFailures: reader.failures,
  };
}
