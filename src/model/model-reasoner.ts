/** The reasoner that asks a chat model. This file decides when to ask, each verb's file how. */
import { withoutMarkers } from "../answering/citations.js";
import { nextDraftId } from "../reasoning/draft-stream.js";
import type { AnswerInput, DraftAnswer, Reasoner } from "../reasoning/reasoner.js";
import type { Scope } from "../observability/scope.js";
import { answerPrompt, chatPrompt, keyPoints } from "./answer.js";
import type { ModelSource } from "./chat-model.js";
import { createFallBack } from "./fall-back.js";
import { grade } from "./grade.js";
import { plan } from "./plan.js";
import { withReplacement, type PromptName, type Prompts } from "./prompt.js";
import { hypothesize, webQuery, rewrite, route } from "./questions.js";
import { compare, review } from "./judges.js";
import { structuredCall, type Asking, type RungMemory } from "./structured-call.js";
import { writeAnswer } from "./write-answer.js";

interface ModelReasonerOptions {
  source: ModelSource;
  /** Stands in when the model fails, and decides wherever no call is needed. */
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

/** Whatever the model fails at is done by `embedded`, with a warning. */
export function createModelReasoner({
  source,
  embedded,
  prompts = {},
  timeoutInMs = 30_000,
}: ModelReasonerOptions): Reasoner {
  const { guarded, healthOf } = createFallBack();
  const memory: RungMemory = new Map();
  const streamless = new Set<string>();

  const asking = (scope: Scope): Asking => ({
    scope,
    today: todayOf(scope),
    async ask({ name, prompt, form }, input) {
      const { grade: model } = await source.get({ settings: scope.settings });
      const task = TASKS[name] ?? name;
      const messages = withReplacement(prompt(input), input, prompts[name]);
      return structuredCall({ task, model, source, messages, form, scope, timeoutInMs, memory });
    },
  });

  const write = async (input: AnswerInput, scope: Scope): Promise<DraftAnswer> => {
    const { settings } = scope;
    const { answer: model } = await source.get({ settings, temperature: input.temperature });
    const today = todayOf(scope);
    const { question, standaloneQuestion, window, withdrawn, history } = input;
    const call = { scope, model, source, timeoutInMs };
    if (input.mode === "chat") {
      const asked = { question, history, today, holdings: await input.holdings?.() };
      const messages = withReplacement(chatPrompt(asked), asked, prompts.chat);
      return writeAnswer(input, { ...call, messages }, streamless);
    }
    const asked = { question, standaloneQuestion, window, withdrawn, today };
    const messages = withReplacement(answerPrompt(asked), asked, prompts.answer);
    return writeAnswer(input, { ...call, messages }, streamless);
  };

  return {
    kind: "model",

    async rewrite(input, scope) {
      const byRule = () => embedded.rewrite(input, scope);
      if (input.history.length === 0) return byRule();
      // Small talk needs no rewriting.
      const { question: standaloneQuestion } = input;
      const asked = { ...input, standaloneQuestion, available: ["keyword" as const] };
      if ((await embedded.route(asked, scope)).mode === "chat") return byRule();
      const byModel = async () => (await rewrite(input, asking(scope))) ?? byRule();
      return guarded("rewriting the question", scope, byModel, byRule);
    },

    async route(input, scope) {
      const byRule = await embedded.route(input, scope);
      if (scope.settings.quality !== "thorough" || byRule.mode === "chat") return byRule;
      const byModel = () => route(input, byRule, asking(scope));
      return guarded("routing", scope, byModel, () => byRule);
    },

    async plan(input, scope) {
      const byRule = await embedded.plan(input, scope);
      const byModel = () => plan(input, byRule, asking(scope));
      return guarded("planning", scope, byModel, () => byRule);
    },

    async grade(input, scope) {
      const bySet = input.judge === "set" || input.judge === "adequacy";
      if (input.evidence.length === 0 || (input.ungraded.length === 0 && !bySet))
        return embedded.grade(input, scope);
      const byModel = () => grade(input, asking(scope), healthOf(scope));
      return guarded("grading", scope, byModel, () => embedded.grade(input, scope));
    },

    async webQuery(input, scope) {
      const byRule = () => embedded.webQuery(input, scope);
      if (scope.settings.quality === "quick") return byRule();
      const byModel = async () => (await webQuery(input.question, asking(scope))) ?? byRule();
      return guarded("rewriting the web query", scope, byModel, byRule);
    },

    hypothesize(input, scope) {
      const byModel = () => hypothesize(input, asking(scope));
      return guarded("writing hypothetical answers", scope, byModel, () => []);
    },

    async keyPoints(input, scope) {
      if (input.evidence.length === 0) return [];
      return guarded(
        "taking key points",
        scope,
        () => keyPoints(input, asking(scope)),
        () => [],
      );
    },

    async answer(input, scope) {
      // Without evidence a model could only invent.
      const hasNothing = input.mode === "search" && input.window.sources.length === 0;
      if (hasNothing) return embedded.answer(input, scope);
      // What the model had shown is retracted, so the quotes need another id.
      const byQuotes = () =>
        embedded.answer({ ...input, messageId: nextDraftId(input.messageId) }, scope);
      return guarded("answering", scope, () => write(input, scope), byQuotes);
    },

    async compare(input, scope) {
      const [first, second] = input.answers.map(withoutMarkers);
      if (first === second) return { agree: true };
      const byModel = () => compare(input, asking(scope));
      return guarded("comparing two answers", scope, byModel, () => ({ agree: true }));
    },

    async review(input, scope) {
      if (input.claims.length === 0) return { unsupported: [] };
      const byModel = async () => ({ unsupported: await review(input, asking(scope)) });
      return guarded("the second opinion", scope, byModel, () => ({ unsupported: [] }));
    },
  };
}

function todayOf(scope: Scope): string {
  return new Date(scope.now()).toISOString().slice(0, 10);
}
