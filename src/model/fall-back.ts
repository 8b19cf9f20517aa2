import { BudgetExhaustedError } from "../observability/budget.js";
import type { Scope } from "../observability/scope.js";
import { GradingUnreadableError } from "./grade-by-model.js";
import { ModelError } from "./model-error.js";
import type { RunHealthRegister } from "./run-health.js";

/** Runs `ask`; when the model or the budget fails, says so and gives what `instead` comes to. `task` is a gerund: "grading". */
export type FallBack = <T>(
  task: string,
  scope: Scope,
  ask: () => Promise<T>,
  instead: (error: unknown) => Promise<T>,
) => Promise<T>;

/**
 * What every judgement does when the model cannot give it. A cancelled run is not a failure and ends; with `model_fallback: off` a failing
 * endpoint ends it too.
 * @param say where a wrong key or an unknown model is said
 */
export function createFallBack({
  health,
  say,
}: {
  health: RunHealthRegister;
  say: (line: string) => void;
}): FallBack {
  return async (task, scope, ask, instead) => {
    try {
      const { down } = health.of(scope.runId);
      if (down !== undefined) throw down;
      return await ask();
    } catch (error) {
      scope.signal.throwIfAborted();
      if (error instanceof BudgetExhaustedError) {
        scope.emit({
          type: "budget_exhausted",
          resource: error.resource,
          limit: error.limit,
          skipped: `${task} by the model`,
        });
        const kept =
          error.resource === "modelCalls" && scope.budget.has("modelCalls")
            ? ", but for the call that writes the answer"
            : "";
        scope.warn(`${capital(error.message)}${kept}: ${task} was done without the model.`);
        scope.cause("budget_exhausted");
      } else if (error instanceof GradingUnreadableError) {
        scope.warn(
          "The model's grades could not be read twice: the embedded judge grades in this run.",
        );
      } else if (error instanceof ModelError) {
        health.note(scope.runId, error);
        if (error.kind === "auth" || error.kind === "unknown_model")
          say(`corrective-rag: ${error.message}`);
        if (scope.settings.modelFallback === "off") throw error;
        scope.warn(
          `The model failed: ${error.message}. What it should have done is done without it.`,
        );
        scope.cause("model_error");
      } else throw error;
      return instead(error);
    }
  };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
