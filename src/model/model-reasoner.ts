import type { Scope } from "../observability/scope.js";
import type { Reasoner, Route } from "../reasoning/reasoner.js";
import type { ModelSource, ReasonerModels } from "./chat-model.js";
import { compareLexically } from "../reasoning/compare-lexically.js";
import { nextDraftId } from "../reasoning/draft-stream.js";
import { createFallBack } from "./fall-back.js";
import type { CallBase } from "./grade-by-model.js";
import { GradingUnreadableError, gradeByModel } from "./grade-by-model.js";
import { mergePlans } from "./merge-plans.js";
import { answerPrompt, chatPrompt } from "./prompts/answer.js";
import { COMPARE_NAME, COMPARE_SCHEMA, comparePrompt } from "./prompts/compare.js";
import { HYPOTHESISE_NAME, HYPOTHESISE_SCHEMA, hypothesisePrompt } from "./prompts/hypothesise.js";
import { KEY_POINTS_NAME, KEY_POINTS_SCHEMA, keyPointsPrompt } from "./prompts/key-points.js";
import type { Prompt } from "./prompts/prompt.js";
import { PLAN_NAME, PLAN_SCHEMA, planPrompt } from "./prompts/plan.js";
import { REVIEW_NAME, REVIEW_SCHEMA, reviewPrompt } from "./prompts/review.js";
import { REWRITE_NAME, REWRITE_SCHEMA, rewritePrompt } from "./prompts/rewrite.js";
import { ROUTE_NAME, ROUTE_SCHEMA, routePrompt } from "./prompts/route.js";
import { WEB_QUERY_NAME, WEB_QUERY_SCHEMA, webQueryPrompt } from "./prompts/web-query.js";
import { contentTerms } from "../text/analyse.js";
import { isPlausibleRewrite } from "./plausible-rewrite.js";
import { createRunHealthRegister } from "./run-health.js";
import { sayOnce } from "./say-once.js";
import type { Form, RungMemory } from "./structured-call.js";
import { createRungMemory, formOf, lineFormOf, structuredCall } from "./structured-call.js";
import { writeAnswer } from "./write-answer.js";

export interface ModelReasonerOptions {
  /** The chat models, or what gives them for a run's settings. */
  models: ReasonerModels | ModelSource;
  /** What stands in when the model fails, and what decides wherever no call is needed. */
  embedded: Reasoner;
  /** Per attempt; for streams, until the answer is complete. The run's time budget is a limit too. */
  timeoutInMs?: number;
  /** What is known of endpoints; shared between reasoners of one process, so that it is learnt once. */
  memory?: RungMemory;
  /** Where a wrong key or an unknown model is said, once in a process. */
  say?: (line: string) => void;
}

/** Whether a text has a telling word of the question's: what small models say in place of a query has none. */
function sharesTerm(text: string, question: string): boolean {
  const asked = new Set(contentTerms(question));
  return contentTerms(text).some((term) => asked.has(term));
}

/** Rewriting, routing, planning, grading and answering by a chat model; whatever fails is done by `embedded`, and said. */
export function createModelReasoner(options: ModelReasonerOptions): Reasoner {
  const {
    models,
    embedded,
    timeoutInMs = 30_000,
    memory = createRungMemory(),
    say = sayOnce,
  } = options;
  const health = createRunHealthRegister();
  const modelsFor: ModelSource = typeof models === "function" ? models : async () => models;
  const base = async (scope: Scope): Promise<CallBase> => {
    const { grade } = await modelsFor({ settings: scope.settings });
    return { model: grade, scope, timeoutInMs, memory };
  };

  const guarded = createFallBack({ health, say });
  const ask = async <T>(
    scope: Scope,
    task: string,
    name: string,
    form: Form<T>,
    messages: Prompt,
  ): Promise<T> =>
    (await structuredCall({ ...(await base(scope)), ...form, task, name, messages })).value;
  const thorough = (scope: Scope): boolean => scope.settings.quality === "thorough";

  return {
    kind: "model",

    async rewrite(input, scope) {
      const byRule = (): ReturnType<Reasoner["rewrite"]> => embedded.rewrite(input, scope);
      if (input.history.length === 0) return byRule();
      // Thanks and greetings need no resolving.
      const route = await embedded.route(
        { ...input, standaloneQuestion: input.question, available: ["keyword"] },
        scope,
      );
      if (route.mode === "chat") return byRule();
      return guarded(
        "rewriting the question",
        scope,
        async () => {
          const form = lineFormOf(REWRITE_SCHEMA, "standalone_question");
          const value = await ask(scope, "rewrite", REWRITE_NAME, form, rewritePrompt(input));
          const standaloneQuestion = value.standalone_question.trim();
          if (!isPlausibleRewrite({ ...input, rewritten: standaloneQuestion })) return byRule();
          return {
            standaloneQuestion,
            by: standaloneQuestion === input.question.trim() ? "unchanged" : "model",
          };
        },
        byRule,
      );
    },

    async route(input, scope) {
      const byRule = await embedded.route(input, scope);
      if (!thorough(scope) || byRule.mode === "chat") return byRule;
      return guarded<Route>(
        "routing",
        scope,
        async () => {
          const value = await ask(
            scope,
            "route",
            ROUTE_NAME,
            formOf(ROUTE_SCHEMA),
            routePrompt(input),
          );
          if (value.mode === "chat")
            return { mode: "chat", timeSensitive: false, reason: value.reason };
          const strategy =
            input.available.find((each) => each === value.strategy) ?? byRule.strategy;
          return {
            mode: "search",
            ...(strategy === undefined ? {} : { strategy }),
            timeSensitive: value.time_sensitive || byRule.timeSensitive,
            reason: value.reason,
          };
        },
        async () => byRule,
      );
    },

    async plan(input, scope) {
      const byRule = await embedded.plan(input, scope);
      if (!thorough(scope)) return byRule;
      return guarded(
        "planning",
        scope,
        async () => {
          const value = await ask(scope, "plan", PLAN_NAME, formOf(PLAN_SCHEMA), planPrompt(input));
          return mergePlans(input, byRule, value);
        },
        async () => byRule,
      );
    },

    grade(input, scope) {
      if (
        input.evidence.length === 0 ||
        (input.ungraded.length === 0 && (input.judge === "batch" || input.judge === "per_document"))
      )
        return embedded.grade(input, scope);
      return guarded(
        "grading",
        scope,
        async () =>
          gradeByModel({ input, base: await base(scope), health: health.of(scope.runId) }),
        async (error) => ({
          ...(await embedded.grade(input, scope)),
          parseFailures: error instanceof GradingUnreadableError ? error.parseFailures : 0,
        }),
      );
    },

    webQuery(input, scope) {
      if (scope.settings.quality === "quick") return embedded.webQuery(input, scope);
      return guarded(
        "rewriting the web query",
        scope,
        async () => {
          const form = lineFormOf(WEB_QUERY_SCHEMA, "query");
          const value = await ask(scope, "web_query", WEB_QUERY_NAME, form, webQueryPrompt(input));
          const query = value.query.replaceAll(/\s+/g, " ").trim().slice(0, 200);
          return sharesTerm(query, input.question) ? query : embedded.webQuery(input, scope);
        },
        () => embedded.webQuery(input, scope),
      );
    },

    hypothesise(input, scope) {
      return guarded(
        "writing hypothetical answers",
        scope,
        async () => {
          const value = await ask(
            scope,
            "hypothesise",
            HYPOTHESISE_NAME,
            formOf(HYPOTHESISE_SCHEMA),
            hypothesisePrompt(input),
          );
          return value.answers
            .map((answer) => answer.trim())
            .filter((answer) => answer !== "")
            .slice(0, input.count);
        },
        () => embedded.hypothesise(input, scope),
      );
    },

    keyPoints(input, scope) {
      if (input.evidence.length === 0) return Promise.resolve([]);
      return guarded(
        "taking key points",
        scope,
        async () => {
          const value = await ask(
            scope,
            "key_points",
            KEY_POINTS_NAME,
            formOf(KEY_POINTS_SCHEMA),
            keyPointsPrompt(input),
          );
          // A point without a source that exists cannot be checked, so it is dropped.
          return value.points.flatMap(({ text, source }) => {
            const evidence = input.evidence[source - 1];
            return evidence === undefined || text.trim() === ""
              ? []
              : [{ text: text.trim(), evidenceId: evidence.id }];
          });
        },
        () => embedded.keyPoints(input, scope),
      );
    },

    answer(input, scope) {
      // What the knowledge base holds is read from it, not written.
      if (input.holdings !== undefined) return embedded.answer(input, scope);
      // With nothing to answer from, a model could only invent.
      if (input.mode === "search" && input.window.sources.length === 0)
        return embedded.answer(input, scope);
      return guarded(
        "answering",
        scope,
        async () => {
          const { answer } = await modelsFor({
            settings: scope.settings,
            temperature: input.temperature,
          });
          const prompt = input.mode === "chat" ? chatPrompt(input) : answerPrompt(input);
          return writeAnswer({ input, scope, model: answer, prompt, timeoutInMs });
        },
        // Whatever the model had shown is retracted by now, so the quotes go out as another message.
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
        async () => {
          const value = await ask(
            scope,
            "compare",
            COMPARE_NAME,
            formOf(COMPARE_SCHEMA),
            comparePrompt(input),
          );
          return {
            agree: value.agree,
            ...(value.difference === null || value.agree ? {} : { difference: value.difference }),
          };
        },
        () => embedded.compare(input, scope),
      );
    },

    async review(input, scope) {
      if (!scope.settings.secondOpinion || input.claims.length === 0) return { unsupported: [] };
      return guarded(
        "the second opinion",
        scope,
        async () => {
          const messages = reviewPrompt({ ...input, sources: input.window.text });
          const value = await ask(scope, "review", REVIEW_NAME, formOf(REVIEW_SCHEMA), messages);
          const indices = value.unsupported
            .map((number) => number - 1)
            .filter(
              (index) => Number.isInteger(index) && index >= 0 && index < input.claims.length,
            );
          return { unsupported: [...new Set(indices)].sort((a, b) => a - b) };
        },
        () => embedded.review(input, scope),
      );
    },
  };
}
