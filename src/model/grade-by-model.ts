/** The judges that are models: many passages in one call, one call each, the whole set, or its adequacy. */
import { parseScores } from "../grading/parse-scores.js";
import type { Verdict } from "../grading/parse-verdict.js";
import { parseVerdict } from "../grading/parse-verdict.js";
import type { Scope } from "../observability/scope.js";
import type { Evidence } from "../state/evidence.js";
import type { GradeInput, Judgement } from "../reasoning/reasoner.js";
import { ModelError } from "./model-error.js";
import {
  GRADE_ADEQUACY_NAME,
  GRADE_ADEQUACY_SCHEMA,
  gradeAdequacyPrompt,
} from "./prompts/grade-adequacy.js";
import { GRADE_BATCH_NAME, GRADE_BATCH_SCHEMA, gradeBatchPrompt } from "./prompts/grade-batch.js";
import {
  GRADE_DOCUMENT_NAME,
  GRADE_DOCUMENT_SCHEMA,
  gradeDocumentPrompt,
} from "./prompts/grade-document.js";
import { GRADE_SET_NAME, GRADE_SET_SCHEMA, gradeSetPrompt } from "./prompts/grade-set.js";
import type { RunHealth } from "./run-health.js";
import type { Parsed, StructuredCall } from "./structured-call.js";
import { structuredCall } from "./structured-call.js";

/** What an item gets whose judge could not be understood: neither kept for certain nor thrown away. */
const UNREADABLE = 0.5;
/** Readings that failed in one run before the embedded judge takes over. */
const MAX_FAILURES = 2;

/** What a structured call needs beside its prompt and form. */
export type CallBase = Pick<StructuredCall<unknown>, "model" | "scope" | "timeoutInMs" | "memory">;

/** Thrown when answers could not be read twice in one run: the embedded judge takes over. */
export class GradingUnreadableError extends Error {
  override readonly name = "GradingUnreadableError";
  constructor(
    /** Failures of this grading. */
    readonly parseFailures: number,
  ) {
    super("the model's grades could not be read twice in this run");
  }
}

export async function gradeByModel({
  input,
  base,
  health,
}: {
  input: GradeInput;
  base: CallBase;
  health: RunHealth;
}): Promise<Judgement> {
  if (health.gradeFailures >= MAX_FAILURES) throw new GradingUnreadableError(0);
  const reader = createReader(input.judge, base.scope, health);
  switch (input.judge) {
    case "batch":
      return gradeBatches(input, base, reader);
    case "per_document":
      return gradeEach(input, base, reader);
    case "set":
    case "adequacy":
      return gradeSet(input, base, reader);
    default:
      return input.judge satisfies never;
  }
}

interface Reader {
  failures: number;
  /** Runs one call; `instead` when its answer could not be read. */
  read<T>(items: number, call: () => Promise<T>, instead: T): Promise<T>;
}

function createReader(judge: string, scope: Scope, health: RunHealth): Reader {
  return {
    failures: 0,
    async read(items, call, instead) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof ModelError) || error.kind !== "nonsense") throw error;
        this.failures += 1;
        health.gradeFailures += 1;
        scope.emit({
          type: "grade_parse_failure",
          judge,
          expected: items,
          output: error.details.output ?? "",
          failures: health.gradeFailures,
        });
        scope.warn(
          `The grader's answer could not be read; its ${items === 1 ? "item counts" : `${items} items count`} as 0.5.`,
        );
        if (health.gradeFailures >= MAX_FAILURES) throw new GradingUnreadableError(this.failures);
        return instead;
      }
    },
  };
}

async function gradeBatches(input: GradeInput, base: CallBase, reader: Reader): Promise<Judgement> {
  const batches = chunks(input.ungraded, Math.max(1, base.scope.settings.gradeBatchSize));
  const scores: Record<string, number> = {};
  for (const batch of batches) {
    const values = await reader.read(
      batch.length,
      () => gradeBatch(input.question, batch, base),
      batch.map(() => UNREADABLE),
    );
    for (const [index, item] of batch.entries()) scores[item.id] = values[index] ?? UNREADABLE;
  }
  return { judge: "batch", scores, parseFailures: reader.failures };
}

async function gradeBatch(
  question: string,
  evidence: readonly Evidence[],
  base: CallBase,
): Promise<number[]> {
  const { value } = await structuredCall({
    ...base,
    task: "grade",
    name: GRADE_BATCH_NAME,
    schema: GRADE_BATCH_SCHEMA,
    messages: gradeBatchPrompt({ question, evidence }),
    parse: (output) => {
      const parsed = parseScores(output, evidence.length);
      return parsed.success ? { success: true, value: parsed.scores } : parsed;
    },
  });
  return value;
}

async function gradeEach(input: GradeInput, base: CallBase, reader: Reader): Promise<Judgement> {
  const { scope } = base;
  // One call is kept for the answer. Where the rest would not reach for all, grades that were paid for would be thrown away.
  if (
    input.ungraded.length >= scope.budget.left("modelCalls") &&
    scope.budget.left("modelCalls") > 1
  ) {
    scope.warn(
      `The budget does not reach for ${input.ungraded.length} grading calls: the documents were graded together.`,
    );
    return gradeBatches(input, base, reader);
  }
  const scores: Record<string, number> = {};
  const waiting = [...input.ungraded];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const current = item;
      scores[current.id] = await reader.read(
        1,
        () => gradeDocument(input.question, current, base),
        UNREADABLE,
      );
    }
  };
  // The first call goes ahead alone, so that the others know what the endpoint can do and none is spent twice.
  const first = waiting.shift();
  if (first !== undefined)
    scores[first.id] = await reader.read(
      1,
      () => gradeDocument(input.question, first, base),
      UNREADABLE,
    );
  const workers = Math.max(1, Math.min(base.scope.settings.gradeConcurrency, waiting.length));
  const results = await Promise.allSettled(Array.from({ length: workers }, worker));
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return { judge: "per_document", scores, parseFailures: reader.failures };
}

async function gradeDocument(question: string, item: Evidence, base: CallBase): Promise<number> {
  const { value } = await structuredCall({
    ...base,
    task: "grade",
    name: GRADE_DOCUMENT_NAME,
    schema: GRADE_DOCUMENT_SCHEMA,
    messages: gradeDocumentPrompt({ question, item }),
    parse: (output) => {
      const parsed = parseScores(output, 1);
      return parsed.success ? { success: true, value: parsed.scores[0] ?? UNREADABLE } : parsed;
    },
  });
  return value;
}

/** The set is judged whole, so the items of earlier rounds are shown too. */
async function gradeSet(input: GradeInput, base: CallBase, reader: Reader): Promise<Judgement> {
  const verdict = await reader.read<Verdict>(input.evidence.length, () => judgeSet(input, base), {
    score: UNREADABLE,
    reasoning: "The judge's answer could not be read.",
  });
  return {
    judge: input.judge,
    scores: Object.fromEntries(input.evidence.map((item) => [item.id, verdict.score])),
    set: verdict,
    parseFailures: reader.failures,
  };
}

async function judgeSet(input: GradeInput, base: CallBase): Promise<Verdict> {
  const parse = (output: string): Parsed<Verdict> => {
    const parsed = parseVerdict(output);
    return parsed.success ? { success: true, value: parsed.verdict } : parsed;
  };
  const form =
    input.judge === "set"
      ? { name: GRADE_SET_NAME, schema: GRADE_SET_SCHEMA, messages: gradeSetPrompt(input) }
      : {
          name: GRADE_ADEQUACY_NAME,
          schema: GRADE_ADEQUACY_SCHEMA,
          messages: gradeAdequacyPrompt(input),
        };
  return (await structuredCall({ ...base, ...form, task: "grade", parse })).value;
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
