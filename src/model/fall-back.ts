/** What happens when the model cannot: it is said, and the embedded reasoner does it. */
import { LRUCache } from "lru-cache";
import { BudgetExhaustedError } from "../observability/budget.js";
import type { Scope } from "../observability/scope.js";
import { isModelError, type ModelError, type ModelFailureKind } from "./model-error.js";

/** What a run has seen of its model. A scope lives for one node only, so this is kept by run id. */
export interface RunHealth {
  /** Grading answers that could not be parsed. */
  gradeFailures: number;
  /** A failure that a further call would only repeat: the rest of the run does without. */
  down?: ModelError;
  /** Failures that may pass, such as a 500. Two of them count as down. */
  passing: number;
}

/** Gradings of one run that could not be read, before the embedded judge takes over. */
export const MAX_GRADE_FAILURES = 2;

/** Thrown when answers could not be read twice in one run. */
export class GradingUnreadableError extends Error {
  override readonly name = "GradingUnreadableError";
}

/** Runs remembered at most. A run that outlives its entry merely asks its endpoint again. */
const MAX_RUNS = 1000;

export function createFallBack() {
  const runs = new LRUCache<string, RunHealth>({ max: MAX_RUNS });
  const healthOf = ({ runId }: Pick<Scope, "runId">): RunHealth => {
    const health = runs.get(runId) ?? { gradeFailures: 0, passing: 0 };
    runs.set(runId, health);
    return health;
  };
  /**
   * Runs `ask`; when the model or the budget fails, says so and gives what `instead` comes to. A
   * canceled run ends; with `model_fallback: off` a failing endpoint ends it too.
   * @param task a gerund: "grading"
   */
  const guarded = async <T>(
    task: string,
    scope: Scope,
    ask: () => Promise<T>,
    instead: () => Promise<T> | T,
  ): Promise<T> => {
    const health = healthOf(scope);
    try {
      if (health.down !== undefined) throw health.down;
      return await ask();
    } catch (error) {
      scope.signal.throwIfAborted();
      explain(error, task, scope, health);
      return instead();
    }
  };
  return { healthOf, guarded };
}

/** Says what failed; what is no failure of a model or a budget is thrown on. */
function explain(error: unknown, task: string, scope: Scope, health: RunHealth): void {
  if (error instanceof BudgetExhaustedError) {
    const { resource, limit, message } = error;
    scope.emit({ type: "budget_exhausted", resource, limit, skipped: `${task} by the model` });
    const isForAnswer = resource === "modelCalls" && scope.budget.has("modelCalls");
    const kept = isForAnswer ? ", but for the call that writes the answer" : "";
    const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
    scope.warn(`${sentence}${kept}: ${task} was done without the model.`);
    scope.cause("budget_exhausted");
  } else if (error instanceof GradingUnreadableError) {
    scope.warn(
      "The model's grades could not be read twice: the embedded judge grades in this run.",
    );
  } else if (isModelError(error)) {
    note(health, error);
    if (scope.settings.modelFallback === "off") throw error;
    scope.warn(`The model failed: ${error.message}. What it should have done is done without it.`);
    scope.cause("model_error");
  } else throw error;
}

/** A wrong key stays wrong, and a second hang would eat the time that the answer needs. */
const LASTING: readonly ModelFailureKind[] = [
  "auth",
  "unknown_model",
  "rate_limit",
  "timeout",
  "network",
];

/** What the model *said* is no failure of the endpoint. */
function note(health: RunHealth, error: ModelError): void {
  if (error.kind === "server" || error.kind === "other") health.passing += 1;
  if (LASTING.includes(error.kind) || health.passing >= 2) health.down ??= error;
}
