/** Streams a draft answer: its text as deltas, and each citation once its marker is complete. */
import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager, type Callbacks } from "@langchain/core/callbacks/manager";
import { AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import type { RunnableConfig } from "@langchain/core/runnables";
import { createNumberedStream, createNumbering } from "../answering/numbering.js";
import type { Scope } from "../observability/scope.js";
import { addressOf, renderSource } from "../state/evidence.js";
import type { AnswerInput } from "./reasoner.js";

const MAX_QUOTE = 300;

export type DraftStream = ReturnType<typeof openDraftStream>;

/** Takes text with the window's numbers and sends it with the reader's, if `input.stream` is set. */
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
  const announce = (marker: number, shown: number): void => {
    const source = window.sources.find((each) => each.marker === marker);
    const item = evidence.find((each) => each.id === source?.evidenceId);
    if (source === undefined || item === undefined) return;
    const best = source.strips.toSorted((a, b) => b.score - a.score)[0];
    scope.emit({
      type: "citation",
      id,
      marker: shown,
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
    const { named, shown } = draft.numbering;
    for (const marker of named.slice(draft.announced)) announce(marker, shown(marker) ?? marker);
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
 * Returns the id for a draft that replaces a retracted one. Under the old id, clients would join the
 * tokens of both.
 * @example nextDraftId("m1") // "m1-2"; then "m1-3"
 */
export function nextDraftId(id: string): string {
  const cut = id.lastIndexOf("-");
  const number = Number(id.slice(cut + 1));
  // A UUID may end in digits too, but in more of them.
  const isDraft = number >= 2 && cut >= id.length - "-999".length;
  return isDraft ? `${id.slice(0, cut)}-${number + 1}` : `${id}-2`;
}

/**
 * Opens a message on LangGraph's `messages` stream; free if nobody streams. The model's own stream
 * will not do: its tokens carry the endpoint's id, thinking and the "unanswerable" line, and quotes
 * have no model at all. So the model is called hidden, and the text goes to the callback handlers
 * that stream; tracers see the real call.
 */
export function openMessageStream({ id, config }: { id: string; config: RunnableConfig }) {
  const handlers = handlersIn(config.callbacks).filter(prefersStreaming);
  let run: Awaited<ReturnType<typeof startRun>>;
  let text = "";
  return {
    async push(delta: string): Promise<void> {
      if (delta === "" || handlers.length === 0) return;
      if (run === undefined) {
        run = await startRun(handlers, config);
        await run?.handleChatModelStreamEvent({ event: "message-start", id });
        await run?.handleChatModelStreamEvent({
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
      const at = { prompt: 0, completion: 0 };
      await run?.handleLLMNewToken(delta, at, undefined, undefined, undefined, { chunk });
      await run?.handleChatModelStreamEvent({
        event: "content-block-delta",
        index: 0,
        delta: { type: "text-delta", text: delta },
      });
    },
    async end(): Promise<void> {
      await run?.handleChatModelStreamEvent({
        event: "content-block-finish",
        index: 0,
        content: { type: "text", text },
      });
      await run?.handleChatModelStreamEvent({ event: "message-finish" });
      const message = new AIMessageChunk({ id, content: text });
      await run?.handleLLMEnd({ generations: [[new ChatGenerationChunk({ text, message })]] });
    },
  };
}

async function startRun(handlers: BaseCallbackHandler[], { tags, metadata }: RunnableConfig) {
  const manager = CallbackManager.configure(handlers, undefined, tags, undefined, metadata);
  const [run] =
    (await manager?.handleChatModelStart(
      { lc: 1, type: "not_implemented", id: ["corrective-rag", "answer"] },
      [[]],
      undefined,
      undefined,
      {},
      undefined,
      undefined,
      "answer",
    )) ?? [];
  return run;
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
