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
import { endpointOf, type ChatModel, type FunctionTool } from "./endpoint.js";
import { classifyError, ModelError } from "./model-error.js";
import { contentOf } from "./prompt.js";

/** After a 429; an endpoint that wants a longer wait is not asked again. */
const MAX_RETRIES = 2;
const MAX_WAIT_IN_MS = 8_000;
/** Tasks that may take the last call of a run. */
const ANSWERS: ReadonlySet<string> = new Set(["answer", "chat"]);
/** Time that must be left after a wait, so that it does not cost the answer. */
const RESERVE_IN_MS = 5_000;

export interface ModelCall {
  /** Purpose of the call, in events: `grade`, `rewrite`, `answer`, … */
  task: string;
  model: ChatModel;
  messages: BaseMessageLike[];
  scope: Scope;
  /** Per attempt; cut to the budget's remaining time. */
  timeoutInMs: number;
  /** Gives more room to a model that turns out to think. */
  source?: Pick<ModelSource, "withRoom">;
  /** Passed to the model as call options, e.g. `response_format`. */
  options?: Record<string, unknown>;
  /** A function that the model must call. */
  tool?: FunctionTool;
}

/** One attempt with one model. */
type Attempt = (model: ChatModel, signal: AbortSignal) => Promise<AIMessageChunk>;

/**
 * Calls the model, hidden from streams, and retries after a 429 or a 5xx while the budget allows.
 * Every attempt counts as a call.
 * @throws BudgetExhaustedError, ModelError, or the signal's reason when the run was canceled
 */
export async function callModel(call: ModelCall): Promise<AIMessageChunk> {
  const { tool, messages } = call;
  return withRetries(call, (model, signal) => {
    const bound = tool && model.bindTools?.([tool], { tool_choice: tool.function.name });
    return (bound ?? model).invoke(messages, optionsOf(call, signal));
  });
}

/**
 * Keeps the node's tags and callbacks but for those that stream, which get the checked draft, and
 * forbids the client's own retries, which nobody would count.
 */
export function optionsOf(call: ModelCall, signal: AbortSignal): Partial<BaseChatModelCallOptions> {
  const { config } = call.scope;
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

/** Retries after a wait if the endpoint is busy, and once with more room if the model thinks. */
export async function withRetries(call: ModelCall, attempt: Attempt): Promise<AIMessageChunk> {
  const { source, scope } = call;
  let { model } = call;
  for (let tries = 0; ; tries += 1) {
    try {
      const message = await tryOnce({ ...call, model }, attempt);
      const roomy = showsThinking(message) ? await source?.withRoom(model) : undefined;
      // Its thinking used up the room of its answer.
      const isCut = roomy !== undefined && wasCutShort(message);
      if (!isCut || !scope.budget.has("modelCalls")) return message;
      model = roomy;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const roomy = error.kind === "no_room" ? await source?.withRoom(model) : undefined;
      const wait = roomy === undefined ? waitBefore(error, tries) : 0;
      if (wait === undefined || !scope.budget.has("modelCalls")) throw error;
      const reserve = wait === 0 ? 0 : RESERVE_IN_MS;
      if (wait + reserve > scope.budget.remainingInMs()) throw error;
      model = roomy ?? model;
      await systemClock.sleep(wait, scope.signal);
    }
  }
}

/** Makes one attempt, paid and reported. */
async function tryOnce(call: ModelCall, attempt: Attempt): Promise<AIMessageChunk> {
  const { scope, task, model } = call;
  scope.signal.throwIfAborted();
  // The last call is kept for the answer; all else can be done without a model.
  if (!ANSWERS.has(task) && scope.budget.left("modelCalls") <= 1)
    throw new BudgetExhaustedError("modelCalls", scope.budget.limits.modelCalls);
  scope.budget.reserve("modelCalls");
  const endpoint = endpointOf(model);
  const startedAt = scope.budget.elapsedInMs();
  const count = (inputTokens: number, outputTokens: number, failure?: ModelError): void => {
    scope.budget.addTokens(inputTokens, outputTokens);
    scope.emit({
      type: "model_call",
      task,
      model: endpoint.model,
      took_ms: scope.budget.elapsedInMs() - startedAt,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      ok: failure === undefined,
      ...(failure && { error: `${failure.kind}: ${failure.message}` }),
    });
  };
  const timeoutInMs = Math.min(call.timeoutInMs, Math.max(1, scope.budget.remainingInMs()));
  const sent = (): number => estimateTokens(contentOf(call.messages));
  const message = await withinTime((signal) => attempt(model, signal), {
    timeoutInMs,
    signal: scope.signal,
  }).catch((thrown: unknown) => {
    scope.signal.throwIfAborted();
    const error = classifyError(thrown, endpoint);
    // The prompt was probably read, and billed, even if nothing came back.
    const wasRead = error.kind === "timeout" || error.kind === "cut_stream";
    count(wasRead ? sent() : 0, estimateTokens(error.details.output ?? ""), error);
    if (thrown instanceof TimeLimitError && timeoutInMs < call.timeoutInMs)
      throw new BudgetExhaustedError("seconds", scope.budget.limits.seconds);
    throw error;
  });
  const { input_tokens: input, output_tokens: output } = message.usage_metadata ?? {};
  const error = ranOutOfRoom(message)
    ? new ModelError("no_room", `${endpoint.label} ran out of tokens before its answer began`)
    : undefined;
  count(plausible(input) ?? sent(), plausible(output) ?? estimateTokens(message.text), error);
  if (error !== undefined) throw error;
  return message;
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

/** True for a model that thinks: it used up the limit and said nothing. */
function ranOutOfRoom(message: AIMessageChunk): boolean {
  if (!wasCutShort(message)) return false;
  return withoutThinking(message.text).trim() === "" && !message.tool_calls?.length;
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
