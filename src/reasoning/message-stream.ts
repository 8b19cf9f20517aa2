/**
 * Puts text that we wrote or filtered ourselves on LangGraph's `messages` stream, under an id of our choice.
 *
 * A model's own stream will not do: its tokens carry the endpoint's id instead of the message's, its "unanswerable" line and its thinking must
 * not be seen, and quotes have no model at all. So the model is called hidden, and what is left of its tokens is told here to those callback
 * handlers that exist to stream. Tracers and counters are not told: they saw the real call.
 */
import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import type { RunnableConfig } from "@langchain/core/runnables";

export interface MessageStream {
  push(text: string): Promise<void>;
  end(): Promise<void>;
}

const SILENT: MessageStream = { push: async () => undefined, end: async () => undefined };

/** Opens a message on the stream; costs nothing where nobody streams. */
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

function streamingHandlers(config: RunnableConfig): BaseCallbackHandler[] {
  const callbacks = config.callbacks;
  const all =
    callbacks === undefined ? [] : Array.isArray(callbacks) ? callbacks : callbacks.handlers;
  return all.filter(
    (handler): handler is BaseCallbackHandler => "name" in handler && prefersStreaming(handler),
  );
}

function prefersStreaming(handler: object): boolean {
  return (
    ("lc_prefer_streaming" in handler && handler.lc_prefer_streaming === true) ||
    ("lc_prefer_chat_model_stream_events" in handler &&
      handler.lc_prefer_chat_model_stream_events === true)
  );
}
