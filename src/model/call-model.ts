/**
 * One guarded call of a chat model. Whatever is asked of a model goes through here, so that each attempt is paid from the budget, ends in time,
 * hears the run's signal, is counted and is seen.
 */
import type {
  BaseChatModel,
  BaseChatModelCallOptions,
} from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk, BaseMessageLike } from "@langchain/core/messages";
import { BudgetExhaustedError } from "../observability/budget.js";
import type { Scope } from "../observability/scope.js";
import { estimateTokens } from "../text/tokens.js";
import { classifyError } from "./classify-error.js";
import { endpointOf } from "./endpoint.js";
import { ModelError } from "./model-error.js";

/** Waits for a 429 or a 5xx: at most so many repetitions, and never longer than the cap, however long `Retry-After` is. */
const MAX_RETRIES = 2;
const MAX_WAIT_IN_MS = 8_000;
/** Tasks that may take the last call of a run. */
const ANSWERS: ReadonlySet<string> = new Set(["answer", "chat"]);
/** What must be left of the time budget after waiting, so that waiting does not cost the answer. */
const RESERVE_IN_MS = 5_000;

export interface ModelCall {
  /** What the call is for, in events: `grade`, `rewrite`, `answer`, … */
  task: string;
  model: BaseChatModel;
  messages: BaseMessageLike[];
  scope: Scope;
  /** Per attempt. The budget's remaining time is a limit too. */
  timeoutInMs: number;
  /** Passed to the model as call options, e.g. `response_format`. */
  options?: Record<string, unknown>;
  /** A function that the model must call. */
  tool?: ForcedTool;
}

/** A function in the form that all chat models' `bindTools` take. */
export interface ForcedTool {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/**
 * Calls the model, hidden from the `messages` stream, and repeats after a 429 or a 5xx while the budget allows. Every attempt is a call.
 * @throws BudgetExhaustedError when nothing is left, ModelError when the endpoint failed, the signal's reason when the run was cancelled
 */
export async function callModel(call: ModelCall): Promise<AIMessageChunk> {
  const { tool } = call;
  const runnable =
    tool === undefined
      ? undefined
      : call.model.bindTools?.([tool], { tool_choice: tool.function.name });
  return withRetries(call, (signal) =>
    (runnable ?? call.model).invoke(call.messages, optionsOf(call, signal)),
  );
}

/**
 * Call options that keep the node's callbacks and tags, hide the tokens from the `messages` stream, carry the signal, and forbid the client's own
 * repetitions, which nobody would count.
 */
export function optionsOf(call: ModelCall, signal: AbortSignal): Partial<BaseChatModelCallOptions> {
  const { config } = call.scope;
  return {
    ...config,
    ...call.options,
    signal,
    maxRetries: 0,
    tags: [...(config.tags ?? []), "nostream", `task:${call.task}`],
    runName: call.task,
  };
}

/** Pays, times and repeats `attempt`. The attempt's result is counted by what the endpoint reports, else by an estimate. */
export async function withRetries(
  call: ModelCall,
  attempt: (signal: AbortSignal) => Promise<AIMessageChunk>,
): Promise<AIMessageChunk> {
  for (let tries = 0; ; tries += 1) {
    const result = await once(call, attempt);
    if (result.success) return result.message;
    const { error } = result;
    const wait = waitBefore(error, tries);
    if (
      wait === undefined ||
      wait > call.scope.budget.remainingInMs() - RESERVE_IN_MS ||
      !call.scope.budget.has("modelCalls")
    )
      throw error;
    await pause(wait, call.scope.signal);
  }
}

type Attempt = { success: true; message: AIMessageChunk } | { success: false; error: ModelError };

async function once(
  call: ModelCall,
  attempt: (signal: AbortSignal) => Promise<AIMessageChunk>,
): Promise<Attempt> {
  const { scope, task, model } = call;
  scope.signal.throwIfAborted();
  // Judging and planning do not spend the call with which the answer is written: the rest can be done without a model, and better than the answer.
  if (!ANSWERS.has(task) && scope.budget.left("modelCalls") <= 1)
    throw new BudgetExhaustedError("modelCalls", scope.budget.limits.modelCalls);
  scope.budget.reserve("modelCalls");
  const endpoint = endpointOf(model);
  const startedAt = scope.now();
  const limit = deadline(scope.signal, Math.min(call.timeoutInMs, scope.budget.remainingInMs()));
  try {
    const message = await raced(attempt(limit.signal), limit.signal);
    const usage = usageOf(message, call.messages);
    scope.budget.addTokens(usage.input, usage.output);
    scope.emit({
      type: "model_call",
      task,
      model: endpoint.model,
      tookMs: scope.now() - startedAt,
      inputTokens: usage.input,
      outputTokens: usage.output,
      ok: true,
    });
    return { success: true, message };
  } catch (thrown) {
    scope.signal.throwIfAborted();
    const error = limit.signal.aborted
      ? new ModelError("timeout", `${endpoint.label} did not answer in time`)
      : classifyError(thrown, endpoint.label);
    // What was sent was probably read and paid for even where nothing came back.
    const input =
      error.kind === "timeout" || error.kind === "cut_stream"
        ? estimateTokens(textOf(call.messages))
        : 0;
    const output = estimateTokens(error.details.output ?? "");
    scope.budget.addTokens(input, output);
    scope.emit({
      type: "model_call",
      task,
      model: endpoint.model,
      tookMs: scope.now() - startedAt,
      inputTokens: input,
      outputTokens: output,
      ok: false,
      error: `${error.kind}: ${error.message}`,
    });
    return { success: false, error };
  } finally {
    limit.clear();
  }
}

/** Milliseconds to wait before the next attempt; undefined when there should be none. */
function waitBefore(error: ModelError, tries: number): number | undefined {
  if (error.kind === "rate_limit") {
    const wait = error.details.retryAfterInMs ?? 500 * 3 ** tries;
    return tries < MAX_RETRIES && wait <= MAX_WAIT_IN_MS ? wait : undefined;
  }
  return error.kind === "server" && tries < 1 ? 250 : undefined;
}

/** A signal that fires with `outer` or after the time limit, whichever is first. */
function deadline(outer: AbortSignal, inMs: number): { signal: AbortSignal; clear: () => void } {
  const own = new AbortController();
  const abort = (): void => own.abort(outer.reason);
  outer.addEventListener("abort", abort, { once: true });
  const timer = setTimeout(() => own.abort(new Error("time limit")), Math.max(1, inMs));
  return {
    signal: own.signal,
    clear: () => {
      clearTimeout(timer);
      outer.removeEventListener("abort", abort);
    },
  };
}

/** Not every model listens to its signal, so the wait ends with the signal whether it does or not. */
async function raced<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(new Error("aborted", { cause: signal.reason }));
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

async function pause(inMs: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, inMs);
    signal.addEventListener("abort", done, { once: true });
  });
  signal.throwIfAborted();
}

function usageOf(
  message: AIMessageChunk,
  sent: readonly BaseMessageLike[],
): { input: number; output: number } {
  const reported = message.usage_metadata;
  const input = reported?.input_tokens ?? 0;
  const output = reported?.output_tokens ?? 0;
  return {
    input: input > 0 ? input : estimateTokens(textOf(sent)),
    output: output > 0 ? output : estimateTokens(message.text),
  };
}

function textOf(messages: readonly BaseMessageLike[]): string {
  return messages
    .map((message) =>
      typeof message === "object" && "content" in message && typeof message.content === "string"
        ? message.content
        : "",
    )
    .join("\n");
}
