/** The answer of a model, streamed where that is wanted, with a second try where the stream broke. */
import { setImmediate } from "node:timers/promises";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk } from "@langchain/core/messages";
import type { Scope } from "../observability/scope.js";
import { sentences } from "../text/sentences.js";
import type { DraftStream } from "../reasoning/draft-stream.js";
import { nextDraftId, openDraftStream } from "../reasoning/draft-stream.js";
import type { AnswerInput, DraftAnswer } from "../reasoning/reasoner.js";
import { createAnswerFilter } from "./answer-filter.js";
import type { ModelCall } from "./call-model.js";
import { callModel, optionsOf, withRetries } from "./call-model.js";
import { classifyError } from "./classify-error.js";
import { endpointOf } from "./endpoint.js";
import { ModelError } from "./model-error.js";
import type { Prompt } from "./prompts/prompt.js";

export interface WriteAnswer {
  input: AnswerInput;
  scope: Scope;
  model: BaseChatModel;
  prompt: Prompt;
  timeoutInMs: number;
}

/**
 * Streams the answer; a stream that is cut is retracted and asked for once more in one piece.
 * @throws ModelError or BudgetExhaustedError when that failed too; what was shown is retracted by then
 */
export async function writeAnswer(write: WriteAnswer): Promise<DraftAnswer> {
  const { input, scope } = write;
  const call: ModelCall = {
    task: input.mode === "chat" ? "chat" : "answer",
    model: write.model,
    messages: write.prompt,
    scope,
    timeoutInMs: write.timeoutInMs,
  };
  const draft = await openDraftStream(input, scope);
  let error: unknown;
  try {
    return await toDraft(
      input.stream ? await streamed(call, draft) : await inOnePiece(call),
      draft,
      input,
    );
  } catch (thrown) {
    error = thrown;
  }
  await draft.retract(error instanceof Error ? error.message : "the answer could not be completed");
  scope.signal.throwIfAborted();
  if (
    !(error instanceof ModelError) ||
    error.kind !== "cut_stream" ||
    !scope.budget.has("modelCalls")
  )
    throw error;
  scope.warn(`${error.message}; the answer was asked for again`);
  const fresh = { ...input, messageId: nextDraftId(input.messageId) };
  return toDraft(await inOnePiece(call), await openDraftStream(fresh, scope), fresh);
}

interface Written {
  raw: string;
  /** Pushed already, up to what the filter held back. */
  rest: string;
  text: string;
  unanswerable: boolean;
  reason?: string;
  /** The token limit ended it. */
  cutByLimit: boolean;
}

async function inOnePiece(call: ModelCall): Promise<Written> {
  const message = await callModel(call);
  return finished(call, message, createAnswerFilter(), message.text);
}

async function streamed(call: ModelCall, draft: DraftStream): Promise<Written> {
  const filter = createAnswerFilter();
  const message = await withRetries(call, (signal) =>
    readStream(call, signal, async (delta) => draft.push(filter.push(delta))),
  );
  return finished(call, message, filter, "");
}

/** No answer is longer, whatever the endpoint was asked for: some ignore the limit of tokens, and some never stop. */
const MAX_CHARACTERS = { least: 20_000, perToken: 10 } as const;
/** A server that sends faster than it is read would keep every timer waiting. */
const CHUNKS_BETWEEN_TURNS = 64;

/** Reads the stream to its end. Once text has come, whatever goes wrong is a cut stream, and repeating it would double what was shown. */
async function readStream(
  call: ModelCall,
  signal: AbortSignal,
  push: (delta: string) => Promise<void>,
): Promise<AIMessageChunk> {
  const { label } = endpointOf(call.model);
  const limit = Math.max(
    MAX_CHARACTERS.least,
    MAX_CHARACTERS.perToken * call.scope.settings.maxAnswerTokens,
  );
  let whole: AIMessageChunk | undefined;
  let chunks = 0;
  let characters = 0;
  try {
    for await (const chunk of await call.model.stream(call.messages, optionsOf(call, signal))) {
      signal.throwIfAborted();
      whole = whole === undefined ? chunk : whole.concat(chunk);
      await push(chunk.text);
      characters += chunk.text.length;
      if (characters > limit) return endedByLength(whole);
      chunks += 1;
      if (chunks % CHUNKS_BETWEEN_TURNS === 0) await setImmediate();
    }
  } catch (error) {
    if (whole === undefined || whole.text === "") throw error;
    const cause = signal.aborted ? "ran out of time" : classifyError(error, label).kind;
    throw new ModelError("cut_stream", `the answer of ${label} broke off (${cause})`, {
      output: whole.text,
    });
  }
  if (whole === undefined) return new AIMessageChunk({ content: "" });
  // OpenAI's protocol ends every answer with a reason; a connection that closed politely in the middle gives none.
  if (call.model._llmType() === "openai" && finishReason(whole) === undefined && whole.text !== "")
    throw new ModelError("cut_stream", `the answer of ${label} broke off`, { output: whole.text });
  return whole;
}

function endedByLength(whole: AIMessageChunk): AIMessageChunk {
  return whole.concat(
    new AIMessageChunk({ content: "", response_metadata: { finish_reason: "length" } }),
  );
}

function finished(
  call: ModelCall,
  message: AIMessageChunk,
  filter: ReturnType<typeof createAnswerFilter>,
  unread: string,
): Written {
  const pushed = filter.push(unread);
  const end = filter.finish();
  if (!end.unanswerable && end.text.trim() === "")
    throw new ModelError("nonsense", `${endpointOf(call.model).label} gave an empty answer`);
  return {
    ...end,
    raw: message.text,
    rest: pushed + end.rest,
    cutByLimit: finishReason(message) === "length",
  };
}

async function toDraft(
  written: Written,
  draft: DraftStream,
  input: AnswerInput,
): Promise<DraftAnswer> {
  if (written.unanswerable) {
    await draft.end();
    return {
      text: "",
      unanswerable: true,
      reason: written.reason ?? "The sources do not answer the question.",
      by: "model",
      streamed: draft.begun,
    };
  }
  await draft.push(written.rest);
  await draft.end();
  const text = written.cutByLimit ? wholeSentences(written.text) : written.text;
  return {
    text,
    unanswerable: false,
    by: "model",
    streamed: draft.begun,
    ...(draft.begun ? { messageId: input.messageId } : {}),
  };
}

/** Up to the last sentence that ends; all of it when none does. */
function wholeSentences(text: string): string {
  const spans = sentences(text);
  const last = spans.at(-1);
  if (last === undefined || /[.!?。！？…][\])"'”’\s\d[]*$/.test(last.text)) return text;
  const kept = text.slice(0, last.start).trimEnd();
  return kept === "" ? text : kept;
}

function finishReason(message: AIMessageChunk): string | undefined {
  const reason: unknown =
    message.response_metadata["finish_reason"] ?? message.response_metadata["stop_reason"];
  return typeof reason === "string" ? reason : undefined;
}
