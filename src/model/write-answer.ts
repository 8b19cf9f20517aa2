/**
 * The answer of a model, streamed where that is wanted, with a second try where the stream broke.
 */
import { setImmediate } from "node:timers/promises";
import { AIMessageChunk } from "@langchain/core/messages";
import { openDraftStream, type DraftStream } from "../reasoning/draft-stream.js";
import type { AnswerInput, DraftAnswer } from "../reasoning/reasoner.js";
import { sentences } from "../text/sentences.js";
import { createAnswerFilter, type AnswerFilter } from "./answer-filter.js";
import { callModel, finishReason, optionsOf, withRetries, type ModelCall } from "./call-model.js";
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
    return await (input.stream ? streamed(call, draft) : inOnePiece(call, draft));
  } catch (error) {
    await draft.retract(
      error instanceof Error ? error.message : "the answer could not be completed",
    );
    scope.signal.throwIfAborted();
    if (!isModelError(error) || error.kind !== "cut_stream" || !scope.budget.has("modelCalls"))
      throw error;
    scope.warn(`${error.message}; the answer was asked for again`);
    return inOnePiece(call, draft);
  }
}

async function inOnePiece(call: ModelCall, draft: DraftStream): Promise<DraftAnswer> {
  const message = await callModel(call);
  const filter = createAnswerFilter();
  const text = message.text.slice(0, longest(call));
  const pushed = filter.push(text);
  const ending = text.length < message.text.length ? "length" : finishReason(message);
  return finished(call, draft, { ...filter.finish(), pushed, ending });
}

async function streamed(call: ModelCall, draft: DraftStream): Promise<DraftAnswer> {
  let filter = createAnswerFilter();
  const message = await withRetries(call, (model, signal) => {
    filter = createAnswerFilter();
    return readStream({ ...call, model }, signal, async (delta) => {
      const text = filter.push(delta);
      if (filter.wasThinking) await draft.retract("it was the model's thinking");
      if (text !== "") await draft.push(text);
    });
  });
  const written = filter.finish();
  const ending = finishReason(message);
  // Some servers stream nothing that the client can read, and answer well in one piece.
  if (!written.unanswerable && written.text === "" && CUT_SHORT[ending ?? ""] === undefined)
    throw new ModelError("cut_stream", `${endpointOf(call.model).label} sent an empty stream`);
  return finished(call, draft, { ...written, pushed: "", ending });
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
        rest = new AIMessageChunk({ content: "", response_metadata: { finish_reason: "length" } });
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

interface Written extends ReturnType<AnswerFilter["finish"]> {
  /** What of it is not shown yet, before `rest`. */
  pushed: string;
  ending: string | undefined;
}

async function finished(
  call: ModelCall,
  draft: DraftStream,
  { text, unanswerable, reason, pushed, rest, ending }: Written,
): Promise<DraftAnswer> {
  if (!unanswerable && text.trim() === "") {
    const isFiltered = CUT_SHORT[ending ?? ""] === "content_filter";
    const what = isFiltered
      ? "gave no answer: its content filter stopped it"
      : "gave an empty answer";
    throw new ModelError("nonsense", `${endpointOf(call.model).label} ${what}`);
  }
  await draft.push(unanswerable ? "" : pushed + rest);
  await draft.end();
  const { begun: streamed, id } = draft;
  if (unanswerable) {
    const why = reason ?? "The sources do not answer the question.";
    return { text: "", unanswerable, reason: why, by: "model", streamed };
  }
  const cutShort = CUT_SHORT[ending ?? ""];
  return {
    text: cutShort === undefined ? text : wholeSentences(text),
    unanswerable,
    by: "model",
    streamed,
    ...(streamed && { messageId: id }),
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
