import type { BaseChatModel } from "@langchain/core/language_models/chat_models";

/** What is known of the endpoint behind a chat model, for messages and as a key for what was learnt about it. */
export interface Endpoint {
  model: string;
  /** For people: the model's name and, where it is not the vendor's own, the base URL without credentials or query. */
  label: string;
  /** Equal for equal endpoint and model. */
  key: string;
}

/** Reads name and base URL from a chat model of any make; nothing is called. */
export function endpointOf(chatModel: BaseChatModel): Endpoint {
  const model =
    text(Reflect.get(chatModel, "model")) ??
    text(Reflect.get(chatModel, "modelName")) ??
    chatModel._llmType();
  const client: unknown = Reflect.get(chatModel, "clientConfig");
  const baseUrl =
    typeof client === "object" && client !== null
      ? safeUrl(text(Reflect.get(client, "baseURL")))
      : undefined;
  return {
    model,
    label: baseUrl === undefined ? model : `${model} at ${baseUrl}`,
    key: `${chatModel._llmType()} ${baseUrl ?? ""} ${model}`,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function safeUrl(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  try {
    const url = new URL(value);
    return `${url.origin}${url.pathname.replace(/\/$/, "")}`;
  } catch {
    return undefined;
  }
}
