/**
 * A draft answer on its way out: its text as deltas, and each citation as soon as its marker is
 * complete. Used by both ways to reason.
 */
import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import type { RunnableConfig } from "@langchain/core/runnables";
import { createNumberedStream, createNumbering } from "../answering/numbering.js";
import type { Scope } from "../observability/scope.js";
import { renderSource } from "../state/evidence.js";
import type { AnswerInput } from "./reasoner.js";

/** Characters of a quote in an event. */
const MAX_QUOTE = 300;

export interface DraftStream {
  /** Whether any text went out. */
  readonly begun: boolean;
  push(text: string): Promise<void>;
  end(): Promise<void>;
  /** Says that what went out is thrown away. Nothing when nothing went out. */
  retract(reason: string): Promise<void>;
}

/**
 * What is pushed carries the numbers of the window; what goes out, those that a reader sees. With
 * `input.stream` false it swallows everything.
 */
export async function openDraftStream(input: AnswerInput, scope: Scope): Promise<DraftStream> {
  const nothing = async (): Promise<void> => undefined;
  if (!input.stream) return { begun: false, push: nothing, end: nothing, retract: nothing };
  const messages = await openMessageStream({ id: input.messageId, config: scope.config });
  const numbering = createNumbering(input.window.sources.map(({ marker }) => marker));
  const numbered = createNumberedStream(
    numbering,
    input.evidence.flatMap(({ text, source }) => [
      text,
      source.kind === "web" ? source.url : source.path,
    ]),
  );
  let announced = 0;
  let begun = false;
  const announce = (marker: number): void => {
    const source = input.window.sources.find((each) => each.marker === marker);
    const evidence = input.evidence.find((each) => each.id === source?.evidenceId);
    if (source === undefined || evidence === undefined) return;
    const best = source.strips.toSorted((a, b) => b.score - a.score)[0];
    const quote = (best?.text ?? evidence.text).slice(0, MAX_QUOTE);
    scope.emit({
      type: "citation",
      id: input.messageId,
      marker: numbering.shown(marker),
      evidence_id: evidence.id,
      source: renderSource(evidence.source),
      title: evidence.title,
      quote,
    });
  };
  const send = async (text: string): Promise<void> => {
    if (text !== "") {
      begun = true;
      scope.emit({ type: "answer_delta", id: input.messageId, text });
      await messages.push(text);
    }
    for (const marker of numbering.named.slice(announced)) announce(marker);
    announced = numbering.named.length;
  };
  return {
    get begun() {
      return begun;
    },
    push: (text) => send(numbered.push(text)),
    async end() {
      await send(numbered.end());
      await messages.end();
    },
    async retract(reason) {
      if (begun) scope.emit({ type: "answer_retracted", id: input.messageId, reason });
      await messages.end();
      begun = false;
    },
  };
}

/**
 * The id for a draft that replaces a retracted one: with the old id, whoever joins the tokens of a
 * message would join both drafts.
 * @example nextDraftId("m1") // "m1-2"; then "m1-3"
 */
export function nextDraftId(id: string): string {
  const match = /^(.*)-(\d{1,3})$/.exec(id);
  // A UUID also ends in digits, but never in so few.
  return match?.[1] !== undefined ? `${match[1]}-${Number(match[2]) + 1}` : `${id}-2`;
}

interface MessageStream {
  push(text: string): Promise<void>;
  end(): Promise<void>;
}

const SILENT: MessageStream = { push: async () => undefined, end: async () => undefined };

/**
 * Opens a message on LangGraph's `messages` stream; costs nothing where nobody streams. A model's
 * own stream will not do: its tokens carry the endpoint's id, its "unanswerable" line and its
 * thinking must not be seen, and quotes have no model at all. So the model is called hidden, and
 * what is left of its tokens is told to the callback handlers that exist to stream; tracers saw the
 * real call.
 */
export async function openMessageStream({
  id,
  config,
}: {
  id: string;
  config: RunnableConfig;
}): Promise<MessageStream> {
  const handlers = streamingHandlers(config);
  if (handlers.length === 0) return SILENT;
  const manager = CallbackManager.configure(
    handlers,
    undefined,
    config.tags,
    undefined,
    config.metadata,
  );
  const started = await manager?.handleChatModelStart(
    { lc: 1, type: "not_implemented", id: ["corrective-rag", "answer"] },
    [[]],
    undefined,
    undefined,
    {},
    undefined,
    undefined,
    "answer",
  );
  const run = started?.[0];
  if (run === undefined) return SILENT;
  let text = "";
  return {
    async push(delta) {
      if (delta === "") return;
      if (text === "") {
        await run.handleChatModelStreamEvent({ event: "message-start", id });
        await run.handleChatModelStreamEvent({
          event: "content-block-start",
          index: 0,
          content: { type: "text", text: "" },
        });
      }
      text += delta;
      const chunk = new ChatGenerationChunk({
        text: delta,
        message: new AIMessageChunk({ id, content: delta }),
      });
      await run.handleLLMNewToken(
        delta,
        { prompt: 0, completion: 0 },
        undefined,
        undefined,
        undefined,
        { chunk },
      );
      await run.handleChatModelStreamEvent({
        event: "content-block-delta",
        index: 0,
        delta: { type: "text-delta", text: delta },
      });
    },
    async end() {
      if (text === "") {
        // Nothing was shown, so nothing is announced: an empty message would be echoed otherwise.
        await run.handleLLMError(new Error("no text"));
        return;
      }
      await run.handleChatModelStreamEvent({
        event: "content-block-finish",
        index: 0,
        content: { type: "text", text },
      });
      await run.handleChatModelStreamEvent({ event: "message-finish" });
      const message = new AIMessageChunk({ id, content: text });
      await run.handleLLMEnd({ generations: [[new ChatGenerationChunk({ text, message })]] });
    },
  };
}

function streamingHandlers({ callbacks = [] }: RunnableConfig): BaseCallbackHandler[] {
  const all = Array.isArray(callbacks) ? callbacks : callbacks.handlers;
  return all.filter(
    (handler): handler is BaseCallbackHandler => "name" in handler && prefersStreaming(handler),
  );
}

function prefersStreaming(handler: object): boolean {
  return ["lc_prefer_streaming", "lc_prefer_chat_model_stream_events"].some(
    (key) => Reflect.get(handler, key) === true,
  );
}
