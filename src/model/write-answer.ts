/**
 * The answer of a model, streamed where that is wanted, with a second try where the stream broke.
 */
import { setImmediate } from "node:timers/promises";
import type { BaseMessageLike } from "@langchain/core/messages";
import { AIMessageChunk } from "@langchain/core/messages";
import type { Scope } from "../observability/scope.js";
import type { DraftStream } from "../reasoning/draft-stream.js";
import { nextDraftId, openDraftStream } from "../reasoning/draft-stream.js";
import type { AnswerInput, DraftAnswer } from "../reasoning/reasoner.js";
import { sentences } from "../text/sentences.js";
import { createAnswerFilter, type AnswerFilter } from "./answer-filter.js";
import { callModel, finishReason, optionsOf, withRetries, type ModelCall } from "./call-model.js";
import type { ModelSource } from "./chat-model.js";
import { endpointOf, type ChatModel } from "./endpoint.js";
import { classifyError, isModelError, ModelError } from "./model-error.js";

export interface WriteAnswer {
  input: AnswerInput;
  scope: Scope;
  model: ChatModel;
  source: ModelSource;
  messages: BaseMessageLike[];
  timeoutInMs: number;
}

/**
 * Streams the answer; a stream that is cut is retracted and asked for once more in one piece.
 * @throws ModelError or BudgetExhaustedError when that failed too; what was shown is retracted by
 *   then
 */
export async function writeAnswer({ input, ...rest }: WriteAnswer): Promise<DraftAnswer> {
  const { scope } = rest;
  const call: ModelCall = { ...rest, task: input.mode === "chat" ? "chat" : "answer" };
  const draft = await openDraft(input, scope);
  let error: unknown;
  try {
    return await (input.stream ? streamed(call, draft) : inOnePiece(call, draft));
  } catch (thrown) {
    error = thrown;
  }
  await draft.retract(error instanceof Error ? error.message : "the answer could not be completed");
  scope.signal.throwIfAborted();
  if (!isModelError(error) || error.kind !== "cut_stream" || !scope.budget.has("modelCalls"))
    throw error;
  scope.warn(`${error.message}; the answer was asked for again`);
  return inOnePiece(call, draft);
}

/** A draft on its way out that can be taken back and begun again, under another id. */
interface Draft {
  push(text: string): Promise<void>;
  retract(reason: string): Promise<void>;
  /** Ends the stream; says what became of it. */
  end(): Promise<{ streamed: boolean; messageId: string }>;
}

async function openDraft(input: AnswerInput, scope: Scope): Promise<Draft> {
  let messageId = input.messageId;
  let stream: DraftStream | undefined = await openDraftStream(input, scope);
  const open = async (): Promise<DraftStream> => {
    if (stream === undefined) {
      messageId = nextDraftId(messageId);
      stream = await openDraftStream({ ...input, messageId }, scope);
    }
    return stream;
  };
  return {
    push: async (text) => (await open()).push(text),
    async retract(reason) {
      await stream?.retract(reason);
      stream = undefined;
    },
    async end() {
      const last = await open();
      await last.end();
      return { streamed: last.begun, messageId };
    },
  };
}

async function inOnePiece(call: ModelCall, draft: Draft): Promise<DraftAnswer> {
  const message = await callModel(call);
  const filter = createAnswerFilter();
  const text = message.text.slice(0, longest(call));
  return finished({
    call,
    draft,
    filter,
    unread: text,
    ending: text.length < message.text.length ? "length" : finishReason(message),
  });
}

async function streamed(call: ModelCall, draft: Draft): Promise<DraftAnswer> {
  let filter = createAnswerFilter();
  const message = await withRetries(call, (model, signal) => {
    filter = createAnswerFilter();
    return readStream({ ...call, model }, signal, async (delta) => {
      const text = filter.push(delta);
      if (filter.wasThinking) await draft.retract("it was the model's thinking");
      if (text !== "") await draft.push(text);
    });
  });
  return finished({ call, draft, filter, unread: "", ending: finishReason(message) });
}

/**
 * No answer is longer, whatever the endpoint was asked for: some ignore the limit of tokens, and
 * some never stop.
 */
const MAX_CHARACTERS = { least: 20_000, perToken: 10 } as const;
/** Deltas of one answer at most, on top of its tokens: thinking comes as deltas without text. */
const MAX_EXTRA_CHUNKS = 10_000;
/** A server that sends faster than it is read would keep every timer waiting. */
const CHUNKS_BETWEEN_TURNS = 64;

function longest({ scope }: ModelCall): number {
  return Math.max(MAX_CHARACTERS.least, MAX_CHARACTERS.perToken * scope.settings.maxAnswerTokens);
}

/**
 * Reads the stream to its end. Once text has come, whatever goes wrong is a cut stream, and
 * repeating it would double what was shown. Only the last chunk that said something besides text is
 * kept: a stream may be long, and its text is the filter's.
 */
async function readStream(
  call: ModelCall,
  signal: AbortSignal,
  push: (delta: string) => Promise<void>,
): Promise<AIMessageChunk> {
  const endpoint = endpointOf(call.model);
  const limit = longest(call);
  const mostChunks = call.scope.settings.maxAnswerTokens + MAX_EXTRA_CHUNKS;
  let rest = new AIMessageChunk({ content: "" });
  let text = "";
  let chunks = 0;
  try {
    for await (const chunk of await call.model.stream(call.messages, optionsOf(call, signal))) {
      signal.throwIfAborted();
      const piece = chunk.text.slice(0, limit - text.length);
      text += piece;
      chunks += 1;
      rest = withEnding(rest, chunk);
      await push(piece);
      if (piece.length < chunk.text.length || chunks >= mostChunks) {
        rest = new AIMessageChunk({ content: "", response_metadata: { finish_reason: "length" } });
        break;
      }
      if (chunks % CHUNKS_BETWEEN_TURNS === 0) await setImmediate();
    }
  } catch (error) {
    if (text === "") throw error;
    const cause = signal.aborted ? "ran out of time" : classifyError(error, endpoint).kind;
    throw new ModelError("cut_stream", `the answer of ${endpoint.label} broke off (${cause})`, {
      output: text,
    });
  }
  // OpenAI's protocol ends every answer with a reason; a connection that closed politely in the
  // middle gives none.
  if (endpoint.endsWithReason && finishReason(rest) === undefined && text !== "")
    throw new ModelError("cut_stream", `the answer of ${endpoint.label} broke off`, {
      output: text,
    });
  return rest.concat(new AIMessageChunk({ content: text }));
}

/** What the end of a stream tells: the finish reason, the tokens, and whether the model thinks. */
function withEnding(rest: AIMessageChunk, chunk: AIMessageChunk): AIMessageChunk {
  const { response_metadata, usage_metadata, additional_kwargs } = chunk;
  const reason = finishReason(chunk);
  const thought = additional_kwargs["reasoning_content"];
  if (reason === undefined && usage_metadata === undefined && typeof thought !== "string")
    return rest;
  return new AIMessageChunk({
    content: "",
    response_metadata: reason === undefined ? rest.response_metadata : response_metadata,
    usage_metadata: usage_metadata ?? rest.usage_metadata,
    additional_kwargs:
      typeof thought === "string" && thought !== ""
        ? { reasoning_content: "…" }
        : rest.additional_kwargs,
  });
}

async function finished({
  call,
  draft,
  filter,
  unread,
  ending,
}: {
  call: ModelCall;
  draft: Draft;
  filter: AnswerFilter;
  unread: string;
  ending: string | undefined;
}): Promise<DraftAnswer> {
  const pushed = filter.push(unread);
  const { rest, text, unanswerable, reason } = filter.finish();
  const cutShort = CUT_SHORT[ending ?? ""];
  if (!unanswerable && text.trim() === "")
    throw new ModelError("nonsense", `${endpointOf(call.model).label} gave an empty answer`);
  if (unanswerable) {
    const { streamed } = await draft.end();
    return {
      text: "",
      unanswerable: true,
      reason: reason ?? "The sources do not answer the question.",
      by: "model",
      streamed,
    };
  }
  await draft.push(pushed + rest);
  const { streamed, messageId } = await draft.end();
  return {
    text: cutShort === undefined ? text : wholeSentences(text),
    unanswerable: false,
    by: "model",
    streamed,
    ...(streamed && { messageId }),
    ...(cutShort && { cutShort }),
  };
}

/** Finish reasons, in the words of several providers, that mean that the model had more to say. */
const CUT_SHORT: Readonly<Record<string, DraftAnswer["cutShort"]>> = {
  length: "length",
  max_tokens: "length",
  MAX_TOKENS: "length",
  content_filter: "content_filter",
  refusal: "content_filter",
  SAFETY: "content_filter",
};

/** Up to the last sentence that ends; all of it when none does. */
function wholeSentences(text: string): string {
  const spans = sentences(text);
  const last = spans.at(-1);
  if (last === undefined || /[.!?。！？…][\])"'”’\s\d[]*$/.test(last.text)) return text;
  const kept = text.slice(0, last.start).trimEnd();
  return kept === "" ? text : kept;
}
