import type { ModelError } from "./model-error.js";

/** What a run has seen of its model. A scope lives for one node only, so this is kept by run id. */
export interface RunHealth {
  /** Grading answers that could not be parsed. */
  gradeFailures: number;
  /** Failures of the endpoint that a further call would only repeat: the rest of the run does without the model. */
  down?: ModelError;
  /** Failures that may pass, such as a 500. Two of them count as down. */
  passing: number;
}

/** Runs remembered at most; the oldest go first. A run that outlives its entry merely asks its endpoint again. */
const MAX_RUNS = 1000;

export interface RunHealthRegister {
  of(runId: string): RunHealth;
  /** Notes a failure of the endpoint. What the model *said* (nonsense) is not one. */
  note(runId: string, error: ModelError): void;
}

export function createRunHealthRegister(): RunHealthRegister {
  const runs = new Map<string, RunHealth>();
  const of = (runId: string): RunHealth => {
    const known = runs.get(runId);
    if (known !== undefined) return known;
    const fresh: RunHealth = { gradeFailures: 0, passing: 0 };
    runs.set(runId, fresh);
    const oldest = runs.keys().next();
    if (runs.size > MAX_RUNS && oldest.done !== true) runs.delete(oldest.value);
    return fresh;
  };
  return {
    of,
    note(runId, error) {
      const health = of(runId);
      if (staysDown(error)) health.down ??= error;
      else if (isPassing(error)) {
        health.passing += 1;
        if (health.passing >= 2) health.down ??= error;
      }
    },
  };
}

/** A wrong key stays wrong, and a second hang would eat the time budget that the answer needs. */
function staysDown(error: ModelError): boolean {
  return ["auth", "unknown_model", "rate_limit", "timeout", "network"].includes(error.kind);
}

function isPassing(error: ModelError): boolean {
  return ["server", "other"].includes(error.kind);
}
