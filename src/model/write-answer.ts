/**
 * The answer of a model, streamed where that is wanted, with a second try where the stream broke.
 */
import { setImmediate } from "node:timers/promises";
import { AIMessageChunk } from "@langchain/core/messages";
import { openDraftStream, type DraftStream } from "../reasoning/draft-stream.js";
import type { AnswerInput, DraftAnswer } from "../reasoning/reasoner.js";
import { sentences } from "../text/sentences.js";
import { createAnswerFilter } from "./answer-filter.js";
import { finishReason, optionsOf, withRetries, type ModelCall } from "./call-model.js";
import { endpointOf } from "./endpoint.js";
import { classifyError, isModelError, ModelError } from "./model-error.js";

/**
 * Streams the answer; a stream that is cut is retracted and asked for once more in one piece.
 * @throws ModelError or BudgetExhaustedError when that failed too; what was shown is retracted by
 *   then
 */
export async function writeAnswer(
  input: AnswerInput,
  options: Omit<ModelCall, "task">,
): Promise<DraftAnswer> {
  const { scope } = options;
  const call: ModelCall = { ...options, task: input.mode === "chat" ? "chat" : "answer" };
  const draft = openDraftStream(input, scope);
  try {
    return await ask(call, draft, input.stream ? readStream : readWhole);
  } catch (error) {
    await draft.retract(
      error instanceof Error ? error.message : "the answer could not be completed",
    );
    scope.signal.throwIfAborted();
    if (!isModelError(error) || error.kind !== "cut_stream" || !scope.budget.has("modelCalls"))
      throw error;
    scope.warn(`${error.message}; the answer was asked for again`);
    return ask(call, draft, readWhole);
  }
}

type Read = (
  call: ModelCall,
  signal: AbortSignal,
  push: (delta: string) => Promise<void>,
) => Promise<AIMessageChunk>;

async function ask(call: ModelCall, draft: DraftStream, read: Read): Promise<DraftAnswer> {
  let filter = createAnswerFilter();
  const message = await withRetries(call, (model, signal) => {
    filter = createAnswerFilter();
    return read({ ...call, model }, signal, async (delta) => {
      const text = filter.push(delta);
      if (filter.wasThinking) await draft.retract("it was the model's thinking");
      if (text !== "") await draft.push(text);
    });
  });
  const { text, rest, unanswerable, reason } = filter.finish();
  const cutShort = CUT_SHORT[finishReason(message) ?? ""];
  if (!unanswerable && text.trim() === "") {
    const { label } = endpointOf(call.model);
    // Some servers stream nothing that the client can read, and answer well in one piece.
    if (read === readStream && cutShort === undefined)
      throw new ModelError("cut_stream", `${label} sent an empty stream`);
    const why =
      cutShort === FILTERED
        ? "gave no answer: its content filter stopped it"
        : "gave an empty answer";
    throw new ModelError("nonsense", `${label} ${why}`);
  }
  await draft.push(unanswerable ? "" : rest);
  await draft.end();
  const { begun: streamed, id } = draft;
  if (unanswerable) {
    const why = reason ?? "The sources do not answer the question.";
    return { text: "", unanswerable, reason: why, by: "model", streamed };
  }
  if (cutShort !== undefined) call.scope.warn(`The answer was cut short${cutShort}.`);
  return {
    text: cutShort === undefined ? text : wholeSentences(text),
    unanswerable,
    by: "model",
    streamed,
    ...(streamed && { messageId: id }),
  };
}

const LENGTH = ": it reached the limit of tokens (CRAG_MAX_ANSWER_TOKENS)";
const FILTERED = " by the provider's content filter";
/** Finish reasons, in the words of several providers, that mean that the model had more to say. */
const CUT_SHORT: Readonly<Record<string, string>> = {
  length: LENGTH,
  max_tokens: LENGTH,
  MAX_TOKENS: LENGTH,
  content_filter: FILTERED,
  refusal: FILTERED,
  SAFETY: FILTERED,
};

/**
 * No answer is longer, whatever the endpoint was asked for: some ignore the limit of tokens, and
 * some never stop.
 */
const MAX_CHARACTERS = { least: 20_000, perToken: 10 } as const;
/** Deltas of one answer at most, on top of its tokens: thinking comes as deltas without text. */
const MAX_EXTRA_CHUNKS = 10_000;
/** A server that sends faster than it is read would keep every timer waiting. */
const CHUNKS_BETWEEN_TURNS = 64;

/** Stands for the end of an answer that is not read on. */
const CUT = new AIMessageChunk({ content: "", response_metadata: { finish_reason: "length" } });

function saying(ending: AIMessageChunk, content: string): AIMessageChunk {
  return ending.concat(new AIMessageChunk({ content }));
}

function longest({ scope }: ModelCall): number {
  return Math.max(MAX_CHARACTERS.least, MAX_CHARACTERS.perToken * scope.settings.maxAnswerTokens);
}

const readWhole: Read = async (call, signal, push) => {
  const message = await call.model.invoke(call.messages, optionsOf(call, signal));
  const text = message.text.slice(0, longest(call));
  await push(text);
  return text.length < message.text.length ? saying(CUT, text) : message;
};

/**
 * Reads the stream to its end. Once text has come, whatever goes wrong is a cut stream, and
 * repeating it would double what was shown. Only the last chunk that said something besides text is
 * kept: a stream may be long, and its text is the filter's.
 */
const readStream: Read = async (call, signal, push) => {
  const endpoint = endpointOf(call.model);
  const limit = longest(call);
  const mostChunks = call.scope.settings.maxAnswerTokens + MAX_EXTRA_CHUNKS;
  let rest = new AIMessageChunk({ content: "" });
  let text = "";
  let chunks = 0;
  const cut = (why: string): ModelError =>
    new ModelError("cut_stream", `the answer of ${endpoint.label} broke off${why}`, {
      output: text,
    });
  try {
    for await (const chunk of await call.model.stream(call.messages, optionsOf(call, signal))) {
      signal.throwIfAborted();
      const piece = chunk.text.slice(0, limit - text.length);
      text += piece;
      chunks += 1;
      rest = withEnding(rest, chunk);
      await push(piece);
      if (piece.length < chunk.text.length || chunks >= mostChunks) {
        rest = CUT;
        break;
      }
      if (chunks % CHUNKS_BETWEEN_TURNS === 0) await setImmediate();
    }
  } catch (error) {
    if (text === "") throw error;
    const cause = signal.aborted ? "ran out of time" : classifyError(error, endpoint).kind;
    throw cut(` (${cause})`);
  }
  // OpenAI's protocol ends every answer with a reason; a connection that closed politely in the
  // middle gives none.
  if (endpoint.endsWithReason && finishReason(rest) === undefined && text !== "") throw cut("");
  return saying(rest, text);
};

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

/** Up to the last sentence that ends; all of it when none does. */
function wholeSentences(text: string): string {
  const spans = sentences(text);
  const last = spans.at(-1);
  if (last === undefined || /[.!?。！？…][\])"'”’\s\d[]*$/.test(last.text)) return text;
  const kept = text.slice(0, last.start).trimEnd();
  return kept === "" ? text : kept;
}
