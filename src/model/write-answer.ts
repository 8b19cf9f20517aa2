/** Writes a model's answer, streamed on request, and again if the stream broke off. */
import { setImmediate } from "node:timers/promises";
import { AIMessageChunk } from "@langchain/core/messages";
import { openDraftStream, type DraftStream } from "../reasoning/draft-stream.js";
import type { AnswerInput, DraftAnswer } from "../reasoning/reasoner.js";
import { reasonOf } from "../support/errors.js";
import { lastSign } from "../text/words.js";
import { sentences } from "../text/sentences.js";
import { createAnswerFilter } from "./answer-filter.js";
import { answerPrompt, chatPrompt } from "./answer.js";
import { callModel, finishReason, optionsOf, type Asking, type ModelCall } from "./call-model.js";
import { endpointOf } from "./endpoint.js";
import { classifyError, isModelError, ModelError } from "./model-error.js";
import { withReplacement } from "./prompt.js";
import { refuses } from "./structured-call.js";

/**
 * Streams the answer. One that breaks off is retracted and asked for once more in one piece.
 * @param byQuotes answers without any evidence, from which a model could only invent
 * @throws ModelError or BudgetExhaustedError when that failed too, and everything is retracted
 */
export async function writeAnswer(
  input: AnswerInput,
  asking: Asking,
  byQuotes: () => Promise<DraftAnswer>,
): Promise<DraftAnswer> {
  const { scope, source, prompts, today, streamless } = asking;
  if (input.mode === "search" && input.window.sources.length === 0) return byQuotes();
  const { settings } = scope;
  const { answer: model } = await source.get({ settings, temperature: input.temperature });
  const asked = { ...input, today };
  const isChat = input.mode === "chat";
  const heard = { ...asked, holdings: isChat ? await input.holdings?.() : undefined };
  const messages = isChat
    ? withReplacement(chatPrompt(heard), heard, prompts.chat)
    : withReplacement(answerPrompt(asked), asked, prompts.answer);
  const call: ModelCall = { asking, model, task: isChat ? "chat" : "answer", messages };
  const { key } = endpointOf(model);
  const streams = input.stream && !streamless.has(key);
  const draft = openDraftStream(input, scope);
  try {
    return await writeDraft(call, draft, streams ? readStream : readWhole);
  } catch (error) {
    await draft.retract(reasonOf(error));
    scope.signal.throwIfAborted();
    if (!isModelError(error) || !scope.budget.has("modelCalls")) throw error;
    if (streams && refuses(error) && error !== asking.health.down) {
      streamless.add(key);
      return writeDraft(call, draft, readWhole);
    }
    if (error.kind !== "cut_stream") throw error;
    scope.warn(`${error.message}; the answer was asked for again`);
    return writeDraft(call, draft, readWhole);
  }
}

type ReadReply = (
  call: ModelCall,
  signal: AbortSignal,
  push: (delta: string) => Promise<void>,
) => Promise<AIMessageChunk>;

async function writeDraft(
  call: ModelCall,
  draft: DraftStream,
  read: ReadReply,
): Promise<DraftAnswer> {
  let filter = createAnswerFilter();
  const message = await callModel(call, async (model, signal) => {
    if (draft.sent !== "") await draft.retract("its thinking left no room for it");
    filter = createAnswerFilter();
    return read({ ...call, model }, signal, async (delta) => {
      const text = filter.push(delta);
      if (filter.wasThinking) await draft.retract("it was the model's thinking");
      if (text !== "") await draft.push(text);
    });
  });
  const { text, rest, unanswerable, reason } = filter.finish();
  const { label } = endpointOf(call.model);
  const cutShort = CUT_SHORT[finishReason(message) ?? ""];
  if (!unanswerable && text.trim() === "") {
    // Some servers stream nothing that the client can read, and answer well in one piece.
    if (read === readStream && cutShort === undefined)
      throw new ModelError("cut_stream", `${label} sent an empty stream`);
    const isFiltered = cutShort === FILTERED;
    const why = isFiltered ? "no answer: its content filter stopped it" : "an empty answer";
    throw new ModelError("nonsense", `${label} gave ${why}`);
  }
  await draft.push(unanswerable ? "" : rest);
  await draft.end();
  const streamed = draft.sent !== "" && { streamed: draft.sent, messageId: draft.id };
  const common = { unanswerable, by: "model", ...streamed } as const;
  if (unanswerable) return { text: "", ...(reason && { reason }), ...common };
  if (cutShort === undefined) return { text, ...common };
  call.asking.scope.warn(`The answer was cut short${cutShort}.`);
  return { text: wholeSentences(text), ...common };
}

/** The finish reason of gateways whose provider failed in the middle. */
const PROVIDER_FAILED = "error";
const LENGTH = ": it reached its token limit (CRAG_MAX_ANSWER_TOKENS)";
const FILTERED = " by the provider's content filter";
/** Finish reasons of several providers that stopped the model before its end. */
const CUT_SHORT: Readonly<Record<string, string>> = {
  length: LENGTH,
  max_tokens: LENGTH,
  MAX_TOKENS: LENGTH,
  content_filter: FILTERED,
  refusal: FILTERED,
  SAFETY: FILTERED,
};

/** Some endpoints ignore the limit of tokens, and some never stop. */
const MAX_CHARACTERS = { least: 20_000, perToken: 10 } as const;
/** A server that sends faster than it is read would keep every timer waiting. */
const CHUNKS_BETWEEN_TURNS = 64;

const LIMIT_REACHED = { finish_reason: "length" } as const;

function maxCharacters({ asking }: ModelCall): number {
  const { least, perToken } = MAX_CHARACTERS;
  return Math.max(least, perToken * asking.scope.settings.maxAnswerTokens);
}

function brokenOff({ model }: ModelCall, text: string, why = ""): ModelError {
  const { label } = endpointOf(model);
  return new ModelError("cut_stream", `the answer of ${label} broke off${why}`, { output: text });
}

const readWhole: ReadReply = async (call, signal, push) => {
  const message = await call.model.invoke(call.messages, optionsOf(call, signal));
  const text = message.text.slice(0, maxCharacters(call));
  if (finishReason(message) === PROVIDER_FAILED) throw brokenOff(call, text);
  await push(text);
  return text.length < message.text.length
    ? new AIMessageChunk({ content: text, response_metadata: LIMIT_REACHED })
    : message;
};

/**
 * Reads the stream to its end. Once text has come, a failure is a cut stream, since a repetition
 * would show the text twice. The message keeps the finish reason, the tokens, and whether the model
 * thinks.
 */
const readStream: ReadReply = async (call, signal, push) => {
  const endpoint = endpointOf(call.model);
  const mostCharacters = maxCharacters(call);
  const message = new AIMessageChunk({ content: "" });
  let text = "";
  let chunks = 0;
  try {
    for await (const chunk of await call.model.stream(call.messages, optionsOf(call, signal))) {
      signal.throwIfAborted();
      const piece = chunk.text.slice(0, mostCharacters - text.length);
      text += piece;
      chunks += 1;
      message.usage_metadata = chunk.usage_metadata ?? message.usage_metadata;
      if (finishReason(chunk) !== undefined) message.response_metadata = chunk.response_metadata;
      if (chunk.additional_kwargs["reasoning_content"])
        message.additional_kwargs = { reasoning_content: "…" };
      await push(piece);
      if (piece.length < chunk.text.length) {
        message.response_metadata = LIMIT_REACHED;
        break;
      }
      if (chunks % CHUNKS_BETWEEN_TURNS === 0) await setImmediate();
    }
  } catch (error) {
    if (text === "") throw error;
    const isComplete = finishReason(message) !== undefined && !signal.aborted;
    const cause = signal.aborted ? "ran out of time" : classifyError(error, endpoint).kind;
    if (!isComplete) throw brokenOff(call, text, ` (${cause})`);
  }
  // A connection that was closed politely in the middle gives no reason.
  const finish = finishReason(message);
  if (
    finish === PROVIDER_FAILED ||
    (endpoint.endsWithReason && finish === undefined && text !== "")
  )
    throw brokenOff(call, text);
  message.content = text;
  return message;
};

/** Cuts an unfinished sentence off, unless it is the only one. */
function wholeSentences(text: string): string {
  const last = sentences(text).at(-1);
  const ending = lastSign(last?.text ?? "", "[]()\"'”’ \n0123456789");
  if (last === undefined || ".!?。！？…".includes(ending)) return text;
  const kept = text.slice(0, last.start).trimEnd();
  return kept === "" ? text : kept;
}
