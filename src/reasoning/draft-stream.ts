/** Streams a draft answer: its text as deltas, and each citation once its marker is complete. */
import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { CallbackManagerForLLMRun, Callbacks } from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import type { RunnableConfig } from "@langchain/core/runnables";
import { createNumberedStream, createNumbering } from "../answering/numbering.js";
import type { Scope } from "../observability/scope.js";
import { addressOf, renderSource } from "../state/evidence.js";
import type { AnswerInput } from "./reasoner.js";

const MAX_QUOTE = 300;

export type DraftStream = ReturnType<typeof openDraftStream>;

/** Takes text with the window's numbers; sends it with the reader's, if `input.stream` is set. */
export function openDraftStream(input: AnswerInput, scope: Scope) {
  const { evidence, window } = input;
  const known = evidence.flatMap(({ text, source }) => [text, addressOf(source)]);
  let id = input.messageId;
  const open = () => {
    const numbering = createNumbering(window.sources.map(({ marker }) => marker));
    const messages = openMessageStream({ id, config: scope.config });
    return { numbering, numbered: createNumberedStream(numbering, known), messages, announced: 0 };
  };
  let draft = open();
  let sent = "";
  const announce = (marker: number, number: number): void => {
    const source = window.sources.find((each) => each.marker === marker);
    const item = evidence.find((each) => each.id === source?.evidenceId);
    if (source === undefined || item === undefined) return;
    const best = source.strips.toSorted((a, b) => b.score - a.score)[0];
    scope.emit({
      type: "citation",
      id,
      marker: number,
      evidence_id: item.id,
      source: renderSource(item.source),
      title: item.title,
      quote: (best?.text ?? item.text).slice(0, MAX_QUOTE),
    });
  };
  const send = async (text: string): Promise<void> => {
    if (text !== "") {
      sent += text;
      scope.emit({ type: "answer_delta", id, text });
      await draft.messages.push(text);
    }
    const { named, numberOf } = draft.numbering;
    for (const marker of named.slice(draft.announced)) announce(marker, numberOf(marker) ?? marker);
    draft.announced = named.length;
  };
  return {
    /** What was sent and not retracted. */
    get sent() {
      return sent;
    },
    /** The message id of the text; a new one after a retraction. */
    get id() {
      return id;
    },
    async push(text: string): Promise<void> {
      if (input.stream) await send(draft.numbered.push(text));
    },
    async end(): Promise<void> {
      if (!input.stream) return;
      await send(draft.numbered.end());
      await draft.messages.end();
    },
    /** Discards what was sent; the next push begins another draft. */
    async retract(reason: string): Promise<void> {
      if (sent !== "") {
        scope.emit({ type: "answer_retracted", id, reason });
        id = nextDraftId(id);
      }
      sent = "";
      await draft.messages.end();
      draft = open();
    },
  };
}

/**
 * Returns the id for a draft that replaces a retracted one. Under the old one, clients would join
 * the tokens of both.
 */
export function nextDraftId(id: string): string {
  return `${id}-2`;
}

/**
 * Opens a message on LangGraph's `messages` stream; free if nobody streams. The model's stream
 * will not do: its tokens carry the endpoint's id, thinking and the "unanswerable" line, and quotes
 * have no model at all. So the model is called hidden, and the text goes to the callback handlers
 * that stream as another chat model's would; tracers see the real call.
 */
export function openMessageStream({ id, config }: { id: string; config: RunnableConfig }) {
  const callbacks = handlersIn(config.callbacks).filter(prefersStreaming);
  const { tags, metadata } = config;
  const options = { callbacks, tags, metadata, runName: "answer" };
  const { readable, writable } = new TransformStream<string, string>();
  const deltas = writable.getWriter();
  let spoken: Promise<unknown> | undefined;
  return {
    async push(delta: string): Promise<void> {
      if (delta === "" || callbacks.length === 0) return;
      // A cancelled run ends the call, whose signal it inherits; the text is of no use then.
      spoken ??= new DraftModel(id, readable).invoke([], options).catch(() => undefined);
      await Promise.race([deltas.write(delta).catch(() => undefined), spoken]);
    },
    async end(): Promise<void> {
      if (spoken === undefined) return;
      await deltas.close().catch(() => undefined);
      await spoken;
    },
  };
}

/** Speaks a text that is written elsewhere. */
class DraftModel extends BaseChatModel {
  constructor(
    private readonly id: string,
    private readonly deltas: AsyncIterable<string>,
  ) {
    super({});
  }

  override _llmType(): string {
    return "draft";
  }

  override _generate(): never {
    throw new Error("a draft is only streamed");
  }

  override async *_streamResponseChunks(
    _messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for await (const text of this.deltas) {
      const message = new AIMessageChunk({ id: this.id, content: text });
      const chunk = new ChatGenerationChunk({ text, message });
      yield chunk;
      await run?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

/** Hides a model call from the handlers that stream. */
export function withoutStreaming(callbacks: Callbacks = []): Callbacks {
  if (Array.isArray(callbacks)) return callbacks.filter((handler) => !prefersStreaming(handler));
  const others = callbacks.copy();
  for (const handler of handlersIn(callbacks).filter(prefersStreaming))
    others.removeHandler(handler);
  return others;
}

function handlersIn(callbacks: Callbacks = []): BaseCallbackHandler[] {
  const all = Array.isArray(callbacks) ? callbacks : callbacks.handlers;
  return all.filter((handler): handler is BaseCallbackHandler => "name" in handler);
}

function prefersStreaming(handler: object): boolean {
  return ["lc_prefer_streaming", "lc_prefer_chat_model_stream_events"].some(
    (key) => Reflect.get(handler, key) === true,
  );
}
