/**
 * The reasoner that asks a chat model. Which verb asks it when is decided here; how, in the verb's
 * own file.
 */
import { nextDraftId } from "../reasoning/draft-stream.js";
import type { AnswerInput, DraftAnswer, Reasoner } from "../reasoning/reasoner.js";
import type { Scope } from "../observability/scope.js";
import { answerPrompt, answerPromptInput, chatPrompt } from "./answer.js";
import type { ModelSource } from "./chat-model.js";
import { createFallBack, GradingUnreadableError } from "./fall-back.js";
import { grade } from "./grade.js";
import { keyPoints } from "./key-points.js";
import { plan } from "./plan.js";
import { taskOf, withReplacement, type Prompts } from "./prompt.js";
import { hypothesize, webQuery } from "./queries.js";
import { rewrite, route } from "./rewrite-and-route.js";
import { compare, compareLexically, review } from "./second-opinion.js";
import { structuredCall, type Asking, type RungMemory } from "./structured-call.js";
import { writeAnswer } from "./write-answer.js";

export interface ModelReasonerOptions {
  source: ModelSource;
  /** What stands in when the model fails, and what decides wherever no call is needed. */
  embedded: Reasoner;
  /** The caller's own prompts. */
  prompts?: Prompts;
  /**
   * Per attempt; for streams, until the answer is complete. The run's time budget is a limit too.
   */
  timeoutInMs?: number;
  /**
   * What is known of endpoints; shared between reasoners of one process, so that it is learned
   * once.
   */
  memory?: RungMemory;
  /** Where a wrong key or an unknown model is said, once in a process. */
  say?: (line: string) => void;
}

/**
 * Rewriting, routing, planning, grading and answering by a chat model; whatever fails is done by
 * `embedded`, and said.
 */
export function createModelReasoner({
  source,
  embedded,
  prompts = {},
  timeoutInMs = 30_000,
  memory = new Map(),
  say,
}: ModelReasonerOptions): Reasoner {
  const { guarded, healthOf } = createFallBack({ say });

  const asking = (scope: Scope): Asking => ({
    scope,
    today: todayOf(scope),
    async ask({ name, input, prompt, form }) {
      const { grade: model } = await source.get({ settings: scope.settings });
      const task = taskOf(name);
      const messages = withReplacement(prompt, input, prompts[name]);
      return structuredCall({ task, model, source, messages, form, scope, timeoutInMs, memory });
    },
  });

  const write = async (input: AnswerInput, scope: Scope): Promise<DraftAnswer> => {
    const { settings } = scope;
    const { answer: model } = await source.get({ settings, temperature: input.temperature });
    const today = todayOf(scope);
    const { question, history } = input;
    const holdings = await input.holdings?.();
    const ofChat = { question, history, today, ...(holdings && { holdings }) };
    const ofAnswer = answerPromptInput(input, today);
    const messages =
      input.mode === "chat"
        ? withReplacement(chatPrompt(ofChat), ofChat, prompts.chat)
        : withReplacement(answerPrompt(ofAnswer), ofAnswer, prompts.answer);
    const draft = await writeAnswer({ input, scope, model, source, messages, timeoutInMs });
    if (draft.cutShort !== undefined) scope.warn(CUT_SHORT[draft.cutShort]);
    return draft;
  };

  return {
    kind: "model",

    async rewrite(input, scope) {
      const byRule = (): ReturnType<Reasoner["rewrite"]> => embedded.rewrite(input, scope);
      if (input.history.length === 0) return byRule();
      // Thanks and greetings need no resolving.
      const { mode } = await embedded.route(
        { ...input, standaloneQuestion: input.question, available: ["keyword"] },
        scope,
      );
      if (mode === "chat") return byRule();
      const byModel = async (): ReturnType<Reasoner["rewrite"]> =>
        (await rewrite(input, asking(scope))) ?? byRule();
      return guarded("rewriting the question", scope, byModel, byRule);
    },

    async route(input, scope) {
      const byRule = await embedded.route(input, scope);
      if (scope.settings.quality !== "thorough" || byRule.mode === "chat") return byRule;
      return guarded(
        "routing",
        scope,
        () => route(input, byRule, asking(scope)),
        async () => byRule,
      );
    },

    async plan(input, scope) {
      const byRule = await embedded.plan(input, scope);
      return guarded(
        "planning",
        scope,
        () => plan(input, byRule, asking(scope)),
        async () => byRule,
      );
    },

    async grade(input, scope) {
      const bySet = input.judge === "set" || input.judge === "adequacy";
      if (input.evidence.length === 0 || (input.ungraded.length === 0 && !bySet))
        return embedded.grade(input, scope);
      return guarded(
        "grading",
        scope,
        () => grade(input, asking(scope), healthOf(scope)),
        async (error) => ({
          ...(await embedded.grade(input, scope)),
          parseFailures: error instanceof GradingUnreadableError ? error.parseFailures : 0,
        }),
      );
    },

    async webQuery(input, scope) {
      const byRule = (): Promise<string> => embedded.webQuery(input, scope);
      if (scope.settings.quality === "quick") return byRule();
      const byModel = async (): Promise<string> =>
        (await webQuery(input.question, asking(scope))) ?? byRule();
      return guarded("rewriting the web query", scope, byModel, byRule);
    },

    hypothesize: (input, scope) =>
      guarded(
        "writing hypothetical answers",
        scope,
        () => hypothesize(input, asking(scope)),
        () => embedded.hypothesize(input, scope),
      ),

    async keyPoints(input, scope) {
      if (input.evidence.length === 0) return [];
      return guarded(
        "taking key points",
        scope,
        () => keyPoints(input, asking(scope)),
        () => embedded.keyPoints(input, scope),
      );
    },

    async answer(input, scope) {
      // With nothing to answer from, a model could only invent.
      const hasNothing = input.mode === "search" && input.window.sources.length === 0;
      if (hasNothing) return embedded.answer(input, scope);
      return guarded(
        "answering",
        scope,
        () => write(input, scope),
        // Whatever the model had shown is retracted by now, so the quotes go out as another
        // message.
        () => embedded.answer({ ...input, messageId: nextDraftId(input.messageId) }, scope),
      );
    },

    async compare(input, scope) {
      const agree = compareLexically(input.answers);
      if (agree !== undefined)
        return agree ? { agree } : { agree, difference: "The two answers name different things." };
      return guarded(
        "comparing two answers",
        scope,
        () => compare(input, asking(scope)),
        () => embedded.compare(input, scope),
      );
    },

    async review(input, scope) {
      if (input.claims.length === 0) return { unsupported: [] };
      return guarded(
        "the second opinion",
        scope,
        async () => ({ unsupported: await review(input, asking(scope)) }),
        () => embedded.review(input, scope),
      );
    },
  };
}

const CUT_SHORT: Readonly<Record<NonNullable<DraftAnswer["cutShort"]>, string>> = {
  length: "The answer was cut short: it reached the limit of tokens (CRAG_MAX_ANSWER_TOKENS).",
  content_filter: "The answer was cut short by the provider's content filter.",
};

function todayOf(scope: Scope): string {
  return new Date(scope.now()).toISOString().slice(0, 10);
}
