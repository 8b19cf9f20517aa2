import type { BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk, BaseMessageLike } from "@langchain/core/messages";

/** Whatever answers messages with a message: a LangChain chat model, or a Runnable around one (`withRetry`, `withFallbacks`, `withConfig`). */
export interface ChatModel {
  invoke(
    messages: BaseMessageLike[],
    options?: Partial<BaseChatModelCallOptions>,
  ): Promise<AIMessageChunk>;
  stream(
    messages: BaseMessageLike[],
    options?: Partial<BaseChatModelCallOptions>,
  ): Promise<AsyncIterable<AIMessageChunk>>;
  bindTools?(
    tools: FunctionTool[],
    options?: { tool_choice?: string },
  ): Pick<ChatModel, "invoke" | "stream">;
}

/** A function in the form that all chat models' `bindTools` take. */
export interface FunctionTool {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** What is known of the endpoint behind a chat model, for messages and as a key for what was learned about it. */
export interface Endpoint {
  model: string;
  /** For people: the model's name and, where it is not the vendor's own, the base URL without credentials or query. */
  label: string;
  /** Equal for equal endpoint and model. */
  key: string;
  /** True where every complete stream ends with a finish reason, as OpenAI's protocol demands. */
  endsWithReason: boolean;
  /** The keys that the client holds: to be taken out of whatever the endpoint says. */
  secrets: string[];
}

const MAX_WRAPPERS = 5;

/** Reads name, base URL and keys from a chat model of any make, through whatever is wrapped around it; nothing is called. */
export function endpointOf(chatModel: ChatModel): Endpoint {
  const inner = unwrapped(chatModel);
  const type = typeOf(inner);
  const model = text(Reflect.get(inner, "model")) ?? text(Reflect.get(inner, "modelName")) ?? type;
  const client: unknown = Reflect.get(inner, "clientConfig");
  const config = isObject(client) ? client : {};
  const baseUrl = safeUrl(text(Reflect.get(config, "baseURL")));
  return {
    model,
    label: baseUrl === undefined ? model : `${model} at ${baseUrl}`,
    key: `${type} ${baseUrl ?? ""} ${model}`,
    endsWithReason: type === "openai",
    secrets: [...keysIn(inner), ...keysIn(config)],
  };
}

/** The chat model inside of its wrappers: a binding holds it as `bound`, fallbacks as `runnable`. */
function unwrapped(model: ChatModel): object {
  let current: object = model;
  for (let depth = 0; depth < MAX_WRAPPERS; depth += 1) {
    const inner: unknown = Reflect.get(current, "bound") ?? Reflect.get(current, "runnable");
    if (!isObject(inner)) return current;
    current = inner;
  }
  return current;
}

function typeOf(model: object): string {
  const type: unknown = Reflect.get(model, "_llmType");
  return typeof type === "function" ? String(Reflect.apply(type, model, [])) : "a chat model";
}

function keysIn(holder: object): string[] {
  return Object.entries(holder).flatMap(([name, value]) =>
    /key$/i.test(name) && typeof value === "string" && value.length >= 8 ? [value] : [],
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function safeUrl(value: string | undefined): string | undefined {
  if (value === undefined || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  return `${url.origin}${url.pathname.replace(/\/$/, "")}`;
}
