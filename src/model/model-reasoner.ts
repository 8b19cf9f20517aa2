/**
 * The reasoner that asks a chat model. This file decides when to ask and what to do when the model
 * fails, each verb's file how to ask.
 */
import type { BaseMessageLike } from "@langchain/core/messages";
import { LRUCache } from "lru-cache";
import { withoutMarkers } from "../answering/citations.js";
import { BudgetExhaustedError } from "../observability/budget.js";
import type { Scope } from "../observability/scope.js";
import { nextDraftId } from "../reasoning/draft-stream.js";
import type { AnswerInput, DraftAnswer, Reasoner } from "../reasoning/reasoner.js";
import { answerPrompt, chatPrompt, compare, keyPoints, review } from "./answer.js";
import type { ModelSource } from "./chat-model.js";
import { grade } from "./judges.js";
import { isModelError, type ModelError, type ModelFailureKind } from "./model-error.js";
import { plan } from "./plan.js";
import { withReplacement, type PromptName, type Prompts } from "./prompt.js";
import { hypothesize, rewrite, route, webQuery } from "./questions.js";
import { structuredCall, type Asking, type RungMemory } from "./structured-call.js";
import { writeAnswer } from "./write-answer.js";

interface ModelReasonerOptions {
  source: ModelSource;
  /** Does what the model fails at, and decides wherever no call is needed. */
  embedded: Reasoner;
  /** The caller's own prompts. */
  prompts?: Prompts;
  /** Per attempt; for streams, until the answer is complete. */
  timeoutInMs?: number;
}

/** Task names in events that differ from the prompts' names. */
const TASKS: { readonly [Name in PromptName]?: string } = {
  webQuery: "web_query",
  keyPoints: "key_points",
};

/** The failures of one run's model. */
interface RunHealth {
  /** Gradings that could not be read. */
  gradeFailures: number;
  /** A failure that another call would only repeat: the rest of the run does without the model. */
  down?: ModelError;
  /** Failures that may pass, such as a 500. Two of them count as down. */
  passing: number;
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
  const memory: RungMemory = new Map();
  const streamless = new Set<string>();
  const runs = new LRUCache<string, RunHealth>({ max: MAX_RUNS });
  const healthOf = ({ runId }: Scope): RunHealth => {
    const health = runs.get(runId) ?? { gradeFailures: 0, passing: 0 };
    runs.set(runId, health);
    return health;
  };

  /**
   * Asks the model, and does without it if it or the budget fails. Rejects in a canceled run, and
   * with `model_fallback: off` when the endpoint fails.
   * @param task a gerund: "grading"
   */
  const attempt = async <T>(
    scope: Scope,
    task: string,
    byModel: (asking: Asking) => Promise<T>,
    otherwise: () => Promise<T> | T,
  ): Promise<T> => {
    const health = healthOf(scope);
    const ask: Asking["ask"] = async (name, form, promptOf, input) => {
      const { grade: model } = await source.get({ settings: scope.settings });
      const messages = withReplacement(promptOf(input), input, prompts[name]);
      const call = { task: TASKS[name] ?? name, model, source, messages, scope, timeoutInMs };
      return structuredCall({ ...call, form, memory });
    };
    try {
      if (health.down !== undefined) throw health.down;
      return await byModel({ scope, today: todayOf(scope), ask });
    } catch (error) {
      scope.signal.throwIfAborted();
      explain(error, task, scope, health);
      return otherwise();
    }
  };

  const write = async (input: AnswerInput, scope: Scope): Promise<DraftAnswer> => {
    const { settings } = scope;
    const { answer: model } = await source.get({ settings, temperature: input.temperature });
    const asked = { ...input, today: todayOf(scope) };
    let messages: BaseMessageLike[];
    if (input.mode === "chat") {
      const heard = { ...asked, holdings: await input.holdings?.() };
      messages = withReplacement(chatPrompt(heard), heard, prompts.chat);
    } else messages = withReplacement(answerPrompt(asked), asked, prompts.answer);
    return writeAnswer(input, { scope, model, source, timeoutInMs, messages }, streamless);
  };

  return {
    kind: "model",

    async rewrite(input, scope) {
      const byRule = () => embedded.rewrite(input, scope);
      // Small talk needs no rewriting.
      const asked = { ...input, standaloneQuestion: input.question, available: [] };
      const isAlone =
        input.history.length === 0 || (await embedded.route(asked, scope)).mode === "chat";
      if (isAlone) return byRule();
      const byModel = async (ask: Asking) => (await rewrite(input, ask)) ?? byRule();
      return attempt(scope, "rewriting the question", byModel, byRule);
    },

    async route(input, scope) {
      const byRule = await embedded.route(input, scope);
      if (scope.settings.quality !== "thorough" || byRule.mode === "chat") return byRule;
      const byModel = (ask: Asking) => route(input, byRule, ask);
      return attempt(scope, "routing", byModel, () => byRule);
    },

    async plan(input, scope) {
      const byRule = await embedded.plan(input, scope);
      const byModel = (ask: Asking) => plan(input, byRule, ask);
      return attempt(scope, "planning", byModel, () => byRule);
    },

    async grade(input, scope) {
      const byReader = () => embedded.grade(input, scope);
      const bySet = input.judge === "set" || input.judge === "adequacy";
      if (input.evidence.length === 0 || (input.ungraded.length === 0 && !bySet)) return byReader();
      const byModel = async (ask: Asking) =>
        (await grade(input, ask, healthOf(scope))) ?? byReader();
      return attempt(scope, "grading", byModel, byReader);
    },

    async webQuery(input, scope) {
      const byRule = () => embedded.webQuery(input, scope);
      if (scope.settings.quality === "quick") return byRule();
      const byModel = async (ask: Asking) => (await webQuery(input.question, ask)) ?? byRule();
      return attempt(scope, "rewriting the web query", byModel, byRule);
    },

    hypothesize(input, scope) {
      const byModel = (ask: Asking) => hypothesize(input, ask);
      return attempt(scope, "writing hypothetical answers", byModel, () => []);
    },

    async keyPoints(input, scope) {
      if (input.evidence.length === 0) return [];
      return attempt(
        scope,
        "taking key points",
        (ask) => keyPoints(input, ask),
        () => [],
      );
    },

    async answer(input, scope) {
      // Without evidence a model could only invent.
      const hasNothing = input.mode === "search" && input.window.sources.length === 0;
      if (hasNothing) return embedded.answer(input, scope);
      // What the model had written is retracted, so the quotes need another id.
      const messageId = nextDraftId(input.messageId);
      const byQuotes = () => embedded.answer({ ...input, messageId }, scope);
      return attempt(scope, "answering", () => write(input, scope), byQuotes);
    },

    async compare(input, scope) {
      const [first, second] = input.answers.map(withoutMarkers);
      if (first === second) return { agree: true };
      const byModel = (ask: Asking) => compare(input, ask);
      return attempt(scope, "comparing two answers", byModel, () => ({ agree: true }));
    },

    async review(input, scope) {
      if (input.claims.length === 0) return { unsupported: [] };
      const byModel = (ask: Asking) => review(input, ask);
      return attempt(scope, "the second opinion", byModel, () => ({ unsupported: [] }));
    },
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

function todayOf(scope: Scope): string {
  return new Date(scope.now()).toISOString().slice(0, 10);
}
