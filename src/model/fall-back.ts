/** Hands over to the embedded reasoner, with a warning, when the model fails. */
import { LRUCache } from "lru-cache";
import { BudgetExhaustedError } from "../observability/budget.js";
import type { Scope } from "../observability/scope.js";
import { CorrectiveRagError } from "../support/errors.js";
import { isModelError, type ModelError, type ModelFailureKind } from "./model-error.js";

/** The failures of one run's model; kept by run id, because a scope lives for one node only. */
export interface RunHealth {
  /** Gradings that could not be read. */
  gradeFailures: number;
  /** A failure that another call would only repeat: the rest of the run does without the model. */
  down?: ModelError;
  /** Failures that may pass, such as a 500. Two of them count as down. */
  passing: number;
}

/** After this many unreadable gradings the embedded judge takes over. */
export const MAX_GRADE_FAILURES = 2;

export class GradingUnreadableError extends CorrectiveRagError {
  override readonly name = "GradingUnreadableError";
  constructor() {
    super("no grade could be read", { code: "unreadable_grade" });
  }
}

/** A run that outlives its entry merely asks its endpoint again. */
const MAX_RUNS = 1000;

export function createFallBack() {
  const runs = new LRUCache<string, RunHealth>({ max: MAX_RUNS });
  const healthOf = ({ runId }: Pick<Scope, "runId">): RunHealth => {
    const health = runs.get(runId) ?? { gradeFailures: 0, passing: 0 };
    runs.set(runId, health);
    return health;
  };
  /**
   * Runs `ask`, or `instead` when the model or the budget fails. Rejects in a canceled run, and
   * with `model_fallback: off` when the endpoint fails.
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

/** Reports a failure of the model or the budget; rethrows anything else. */
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
    scope.warn("The model's grades could not be read twice: the embedded judge takes over.");
  } else if (isModelError(error)) {
    note(health, error);
    if (scope.settings.modelFallback === "off") throw error;
    scope.warn(`The model failed: ${error.message}; ${task} was done without it.`);
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

/** Counts failures of the endpoint only, not what the model said. */
function note(health: RunHealth, error: ModelError): void {
  if (error.kind === "server" || error.kind === "other") health.passing += 1;
  if (LASTING.includes(error.kind) || health.passing >= 2) health.down ??= error;
}
