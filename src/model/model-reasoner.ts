/**
 * The reasoner that asks a chat model. This file decides when to ask and what to do when the model
 * fails, each verb's file how to ask.
 */
import { LRUCache } from "lru-cache";
import { BudgetExhaustedError } from "../observability/budget.js";
import type { Scope } from "../observability/scope.js";
import { nextDraftId } from "../reasoning/draft-stream.js";
import type { Reasoner } from "../reasoning/reasoner.js";
import { compare, keyPoints } from "./answer.js";
import type { Asking, RunHealth } from "./call-model.js";
import type { ModelSource } from "./chat-model.js";
import { grade } from "./judges.js";
import { isModelError, type ModelFailureKind } from "./model-error.js";
import { plan } from "./plan.js";
import type { Prompts } from "./prompt.js";
import { hypothesize, rewrite, webQuery } from "./questions.js";
import { writeAnswer } from "./write-answer.js";

interface ModelReasonerOptions {
  source: ModelSource;
  /** Does what the model fails at, and decides wherever no call is needed. */
  embedded: Reasoner;
  /** The caller's prompts. */
  prompts?: Prompts;
  /** Per attempt; for streams, until the answer is complete. */
  timeoutInMs?: number;
}

/** By run id, because a scope lives for one node only; a forgotten run asks its endpoint again. */
const MAX_RUNS = 1000;

/** Whatever the model fails at is done by `embedded`, with a warning. */
export function createModelReasoner({
  source,
  embedded,
  prompts = {},
  timeoutInMs = 30_000,
}: ModelReasonerOptions): Reasoner {
  const common = {
    source,
    prompts,
    timeoutInMs,
    schemas: new Map<string, boolean>(),
    streamless: new Set<string>(),
  };
  const runs = new LRUCache<string, RunHealth>({ max: MAX_RUNS });

  /**
   * Makes a verb of the reasoner: it asks the model, and does without it if it or the budget fails.
   * Rejects in a canceled run, and with `model_fallback: off` when the endpoint fails.
   * @param task a gerund: "grading"
   * @param byModel decides if a call is needed; else, it does `otherwise`
   */
  const verb =
    <Input, Output>(
      task: string,
      byModel: (input: Input, asking: Asking, otherwise: () => Promise<Output>) => Promise<Output>,
      otherwise: (input: Input, scope: Scope) => Promise<Output>,
    ) =>
    async (input: Input, scope: Scope): Promise<Output> => {
      const health = runs.get(scope.runId) ?? { gradeFailures: 0, passing: 0 };
      runs.set(scope.runId, health);
      const today = new Date(scope.now()).toISOString().slice(0, 10);
      try {
        const asking = { ...common, scope, today, health };
        return await byModel(input, asking, () => otherwise(input, scope));
      } catch (error) {
        scope.signal.throwIfAborted();
        explain(error, task, scope, health);
        return otherwise(input, scope);
      }
    };

  return {
    kind: "model",
    rewrite: verb(
      "rewriting the question",
      async (input, asking, byRule) => {
        // Small talk needs no rewriting.
        const asked = { ...input, standaloneQuestion: input.question, available: [] };
        const isAlone =
          input.history.length === 0 || (await embedded.route(asked, asking.scope)).mode === "chat";
        return isAlone ? byRule() : rewrite(input, asking, byRule);
      },
      (input, scope) => embedded.rewrite(input, scope),
    ),
    route: (input, scope) => embedded.route(input, scope),
    plan: verb("planning", plan, (input, scope) => embedded.plan(input, scope)),
    grade: verb("grading", grade, (input, scope) => embedded.grade(input, scope)),
    webQuery: verb("rewriting the web query", webQuery, (input, scope) =>
      embedded.webQuery(input, scope),
    ),
    hypothesize: verb("writing hypothetical answers", hypothesize, async () => []),
    keyPoints: verb("taking key points", keyPoints, async () => []),
    // What the model had written is retracted, so the quotes need another id.
    answer: verb("answering", writeAnswer, (input, scope) =>
      embedded.answer({ ...input, messageId: nextDraftId(input.messageId) }, scope),
    ),
    compare: verb("comparing two answers", compare, async () => ({})),
  };
}

/** A wrong key stays wrong, and a second hang would eat the time that the answer needs. */
const LASTING: readonly ModelFailureKind[] = [
  "auth",
  "unknown_model",
  "rate_limit",
  "timeout",
  "network",
];

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
  } else if (isModelError(error)) {
    // What the model said, or failed to say, is no failure of its endpoint.
    if (error.kind === "server" || error.kind === "other") health.passing += 1;
    if (LASTING.includes(error.kind) || health.passing >= 2) health.down ??= error;
    if (scope.settings.modelFallback === "off") throw error;
    scope.warn(`The model failed: ${error.message}; ${task} was done without it.`);
    scope.cause("model_error");
  } else throw error;
}
