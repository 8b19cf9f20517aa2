/**
 * One guarded call of a chat model. Every call goes through here, so that each attempt is paid from
 * the budget, ends in time, heeds the run's signal, and is counted and reported.
 */
import type { BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk, BaseMessageLike } from "@langchain/core/messages";
import { BudgetExhaustedError } from "../observability/budget.js";
import type { Scope } from "../observability/scope.js";
import { withoutStreaming } from "../reasoning/draft-stream.js";
import { systemClock, TimeLimitError, withinTime } from "../support/waiting.js";
import { estimateTokens } from "../text/words.js";
import { withoutThinking } from "./answer-filter.js";
import type { ModelSource } from "./chat-model.js";
import { endpointOf, type ChatModel } from "./endpoint.js";
import { classifyError, ModelError } from "./model-error.js";
import { contentOf, type Prompts } from "./prompt.js";

/** After a 429; an endpoint that wants a longer wait is not asked again. */
const MAX_RETRIES = 2;
const MAX_WAIT_IN_MS = 8_000;
/** Tasks that may take the last call of a run. */
const ANSWERS: ReadonlySet<string> = new Set(["answer", "chat"]);
/** Time that must be left after a wait, so that it does not cost the answer. */
const RESERVE_IN_MS = 5_000;

/** The failures of one run's model. */
export interface RunHealth {
  /** Gradings that could not be read. */
  gradeFailures: number;
  /** A failure that another call would only repeat: the rest of the run does without the model. */
  down?: ModelError;
  /** Failures that may pass, such as a 500. Two of them count as down. */
  passing: number;
}

/** What asking the model takes: the same for all calls of a node. */
export interface Asking {
  scope: Scope;
  /** A date like 2026-11-22. */
  today: string;
  source: ModelSource;
  /** The caller's prompts. */
  prompts: Prompts;
  /** Per attempt, cut to the budget's remaining time; for streams, until the answer is complete. */
  timeoutInMs: number;
  /** By endpoint and model: did an answer come by a JSON schema, or only without? */
  schemas: Map<string, boolean>;
  /** Keys of the endpoints that refuse to stream. */
  streamless: Set<string>;
  health: RunHealth;
}

export interface ModelCall {
  asking: Asking;
  /** Purpose of the call, in events: `grade`, `rewrite`, `answer`, … */
  task: string;
  model: ChatModel;
  messages: BaseMessageLike[];
  /** Passed to the model as call options, e.g. `response_format`. */
  options?: Record<string, unknown>;
}

type Attempt = (model: ChatModel, signal: AbortSignal) => Promise<AIMessageChunk>;

/**
 * Calls the model, hidden from streams. Repeats the call after a 429 or a 5xx while the budget
 * allows, and once with more room if the model thinks. Every attempt counts as a call.
 * @param attempt by default, an answer in one piece
 * @throws BudgetExhaustedError, ModelError, or the signal's reason when the run was canceled
 */
export async function callModel(call: ModelCall, attempt?: Attempt): Promise<AIMessageChunk> {
  const { asking, messages } = call;
  const { scope, source, health } = asking;
  let { model } = call;
  for (let tries = 0; ; tries += 1) {
    if (health.down !== undefined) throw health.down;
    const bill = openBill({ ...call, model });
    const outcome = await withinTime(
      (signal) => attempt?.(model, signal) ?? model.invoke(messages, optionsOf(call, signal)),
      bill,
    ).then(bill.paid, bill.failed);
    const isAnswer = !(outcome instanceof ModelError);
    const thinks = isAnswer ? showsThinking(outcome) : outcome.kind === "no_room";
    const roomy = thinks ? await source.withRoom(model) : undefined;
    // Its thinking may have used up the room of its answer.
    if (isAnswer && (roomy === undefined || !wasCutShort(outcome))) return outcome;
    const wait = isAnswer || roomy !== undefined ? 0 : waitBefore(outcome, tries);
    const reserve = wait === 0 ? 0 : RESERVE_IN_MS;
    const mayRepeat = scope.budget.has("modelCalls") && wait !== undefined;
    if (!mayRepeat || wait + reserve > scope.budget.remainingInMs()) {
      if (isAnswer) return outcome;
      throw outcome;
    }
    model = roomy ?? model;
    await systemClock.sleep(wait, scope.signal);
  }
}

/**
 * Keeps the node's tags and callbacks but for those that stream, which get the checked draft, and
 * forbids the client's retries, which nobody would count.
 */
export function optionsOf(call: ModelCall, signal: AbortSignal): Partial<BaseChatModelCallOptions> {
  const { config } = call.asking.scope;
  return {
    ...config,
    ...call.options,
    callbacks: withoutStreaming(config.callbacks),
    signal,
    maxRetries: 0,
    tags: [...(config.tags ?? []), `task:${call.task}`],
    runName: call.task,
  };
}

/** Pays one attempt from the budget; what it cost is counted and reported at its end. */
function openBill({ asking, task, model, messages }: ModelCall) {
  const { scope } = asking;
  const { signal, budget } = scope;
  signal.throwIfAborted();
  // The last call is kept for the answer; all else can be done without a model.
  if (!ANSWERS.has(task) && budget.left("modelCalls") <= 1)
    throw new BudgetExhaustedError("modelCalls", budget.limits.modelCalls);
  budget.reserve("modelCalls");
  const endpoint = endpointOf(model);
  const startedAt = budget.elapsedInMs();
  const timeoutInMs = Math.min(asking.timeoutInMs, Math.max(1, budget.remainingInMs()));
  const sent = (): number => estimateTokens(contentOf(messages));
  const count = (inputTokens: number, outputTokens: number, failure?: ModelError): void => {
    budget.addTokens(inputTokens, outputTokens);
    scope.emit({
      type: "model_call",
      task,
      model: endpoint.model,
      took_ms: budget.elapsedInMs() - startedAt,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      ok: failure === undefined,
      ...(failure && { error: `${failure.kind}: ${failure.message}` }),
    });
  };
  return {
    signal,
    timeoutInMs,
    paid: (message: AIMessageChunk): AIMessageChunk | ModelError => {
      const { input_tokens: input, output_tokens: output } = message.usage_metadata ?? {};
      const isSilent = withoutThinking(message.text).trim() === "";
      // A model that thinks used up the limit and said nothing.
      const error =
        wasCutShort(message) && isSilent
          ? new ModelError("no_room", `${endpoint.label} ran out of tokens before its answer began`)
          : undefined;
      count(plausible(input) ?? sent(), plausible(output) ?? estimateTokens(message.text), error);
      return error ?? message;
    },
    failed: (thrown: unknown): ModelError => {
      signal.throwIfAborted();
      const error = classifyError(thrown, endpoint);
      // The prompt was probably read, and billed, even if nothing came back.
      const wasRead = error.kind === "timeout" || error.kind === "cut_stream";
      count(wasRead ? sent() : 0, estimateTokens(error.details.output ?? ""), error);
      if (thrown instanceof TimeLimitError && timeoutInMs < asking.timeoutInMs)
        throw new BudgetExhaustedError("seconds", budget.limits.seconds);
      return error;
    },
  };
}

/** Some endpoints count nothing, and some send texts or negative numbers. */
function plausible(tokens: unknown): number | undefined {
  return typeof tokens === "number" && tokens > 0 ? tokens : undefined;
}

/** Returns why a message ended, in its provider's words: `stop`, `length`, `content_filter`, … */
export function finishReason(message: AIMessageChunk): string | undefined {
  const reason: unknown =
    message.response_metadata["finish_reason"] ?? message.response_metadata["stop_reason"];
  return typeof reason === "string" ? reason : undefined;
}

function wasCutShort(message: AIMessageChunk): boolean {
  return ["length", "max_tokens"].includes(finishReason(message) ?? "");
}

function showsThinking({ usage_metadata, additional_kwargs, text }: AIMessageChunk): boolean {
  return (
    (usage_metadata?.output_token_details?.reasoning ?? 0) > 0 ||
    Boolean(additional_kwargs["reasoning_content"]) ||
    withoutThinking(text).trim() !== text.trim()
  );
}

/** Returns the milliseconds until the next attempt; undefined if there should be none. */
function waitBefore(error: ModelError, tries: number): number | undefined {
  if (error.kind === "rate_limit") {
    const wait = error.details.retryAfterInMs ?? 500 * 3 ** tries;
    return tries < MAX_RETRIES && wait <= MAX_WAIT_IN_MS ? wait : undefined;
  }
  return error.kind === "server" && tries < 1 ? 250 : undefined;
}
