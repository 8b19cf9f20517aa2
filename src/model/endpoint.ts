/**
 * The endpoint behind a chat model: what is known of it, and the `fetch` of our own models, which
 * sends a refused request again without the parameter that was refused, and ends a response that
 * cannot be an answer.
 */
import type { BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk, BaseMessageLike } from "@langchain/core/messages";
import { isRecord } from "../support/is-record.js";

/** A LangChain chat model, or a Runnable around one (`withRetry`, `withFallbacks`, `withConfig`). */
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

/** For messages, and as a key for what was learned about an endpoint. */
export interface Endpoint {
  model: string;
  /** For people: the model's name and its base URL, if any, without credentials or query. */
  label: string;
  /** Equal for equal endpoint and model. */
  key: string;
  /** True where every complete stream ends with a finish reason, as OpenAI's protocol demands. */
  endsWithReason: boolean;
  /** The keys that the client holds: to be taken out of whatever the endpoint says. */
  secrets: string[];
}

/** Reads name, base URL and keys from a chat model of any make, through what is wrapped round it. */
export function endpointOf(chatModel: ChatModel): Endpoint {
  const inner = unwrapped(chatModel);
  const typeOf: unknown = Reflect.get(inner, "_llmType");
  const type = typeof typeOf === "function" ? String(Reflect.apply(typeOf, inner, [])) : "a model";
  const model = textIn(inner, "model") ?? textIn(inner, "modelName") ?? type;
  const client: unknown = Reflect.get(inner, "clientConfig");
  const config = isRecord(client) ? client : {};
  const base = textIn(config, "baseURL") ?? "";
  const url = URL.canParse(base) ? new URL(base) : undefined;
  const path = url?.pathname.endsWith("/") ? url.pathname.slice(0, -1) : url?.pathname;
  const baseUrl = url && `${url.origin}${path ?? ""}`;
  return {
    model,
    label: baseUrl === undefined ? model : `${model} at ${baseUrl}`,
    key: `${type} ${baseUrl ?? ""} ${model}`,
    endsWithReason: type === "openai",
    secrets: [inner, config].flatMap(keysIn),
  };
}

function textIn(holder: object, key: string): string | undefined {
  const value: unknown = Reflect.get(holder, key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

const MAX_WRAPPERS = 5;

/** The model inside of its wrappers: a binding holds it as `bound`, fallbacks as `runnable`. */
function unwrapped(model: ChatModel): object {
  let current: object = model;
  for (let depth = 0; depth < MAX_WRAPPERS; depth += 1) {
    const inner: unknown = Reflect.get(current, "bound") ?? Reflect.get(current, "runnable");
    if (!isRecord(inner)) return current;
    current = inner;
  }
  return current;
}

function keysIn(holder: object): string[] {
  return Object.entries(holder).flatMap(([name, value]) =>
    name.toLowerCase().endsWith("key") && typeof value === "string" && value.length >= 8
      ? [value]
      : [],
  );
}

type Body = Record<string, unknown>;

/**
 * Some endpoints refuse what others require: OpenAI's newer models want `max_completion_tokens` for
 * `max_tokens` and no temperature, some servers know no `stream_options`, the templates of some
 * models no system turn. The refusal (400, 422 or 500) names it.
 */
const CHANGES: Record<string, (body: Body) => Body> = {
  max_tokens: ({ max_tokens, ...body }) => ({ ...body, max_completion_tokens: max_tokens }),
  max_completion_tokens: ({ max_completion_tokens, ...body }) => ({
    ...body,
    max_tokens: max_completion_tokens,
  }),
  temperature: ({ temperature: _dropped, ...body }) => body,
  stream_options: ({ stream_options: _dropped, ...body }) => body,
  messages: ({ messages, ...body }) => ({ ...body, messages: withoutSystem(messages) }),
};
const NO_SYSTEM = /\b(?:system|developer) (?:role|instruction|message)s?\b/i;

/** The system text as the beginning of the first message. */
function withoutSystem(messages: unknown): unknown {
  const [first, second, ...rest] = listOf(messages);
  const isOurs = isRecord(first) && isRecord(second) && first["role"] !== "user";
  if (!isOurs) return messages;
  return [
    { ...second, content: `${String(first["content"])}\n\n${String(second["content"])}` },
    ...rest,
  ];
}

const REFUSALS: ReadonlySet<number> = new Set([400, 422, 500]);
/** Changes per request at most. */
const MAX_CHANGES = 3;
/** Bytes of a response at most; a delta of one token takes about 250. */
const MAX_BYTES = 12_000_000;
/** Bytes of one event: who reads a stream searches a growing event again with each piece. */
const MAX_EVENT_BYTES = 2_000_000;

/** Thrown at a response that cannot be an answer: longer than any, or a page for people. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

/**
 * Each change is remembered for its endpoint and model. A refused request is not a model call:
 * nothing was computed.
 */
export function createEndpointFetch({
  fetch: inner = fetch,
  maxBytes = MAX_BYTES,
}: { fetch?: typeof fetch; maxBytes?: number } = {}): typeof fetch {
  const learned = new Map<string, Set<string>>();
  const send: typeof fetch = async (input, init) => {
    const response = bounded(await inner(input, init), maxBytes);
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    // A stream is passed on as it comes, whatever it is called.
    const isStream = response.ok && bodyOf(init?.body)?.["stream"] === true;
    return isJson && !isStream ? asCompletion(response) : response;
  };
  return async (input, init) => {
    const sent = bodyOf(init?.body);
    if (sent === undefined) return send(input, init);
    const key = `${String(input instanceof Request ? input.url : input)} ${String(sent["model"])}`;
    const changes = learned.get(key) ?? new Set<string>();
    learned.set(key, changes);
    for (let tries = 0; ; tries += 1) {
      const body = [...changes].reduce(
        (current, name) => (name in current ? (CHANGES[name]?.(current) ?? current) : current),
        sent,
      );
      const headers = new Headers(init?.headers);
      headers.delete("content-length");
      const changed = { ...init, body: JSON.stringify(body), headers };
      const response = await send(input, changes.size === 0 ? init : changed);
      if (!REFUSALS.has(response.status) || tries >= MAX_CHANGES) return response;
      const said = await response.clone().text();
      const refused = Object.keys(CHANGES).find(
        (name) => name in body && !changes.has(name) && refuses(said, name),
      );
      if (refused === undefined) return response;
      changes.add(refused);
    }
  };
}

/**
 * The response as OpenAI would have sent it, so that its client understands it: gateways send
 * errors as a success, Gemini in a list; a refusal has a field that the client does not read; and
 * arguments may come as an object.
 */
async function asCompletion(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const { headers } = response;
  const text = await response.text();
  const all = parsed(text);
  const value: unknown = Array.isArray(all) ? all[0] : all;
  if (!isRecord(value)) return new Response(text, response);
  const { error, choices } = value;
  if (error !== undefined && error !== null && !Array.isArray(choices)) {
    const code = isRecord(error) ? Number(error["code"]) : Number.NaN;
    const status = response.ok ? (code >= 400 && code < 600 ? code : 502) : response.status;
    return Response.json(value, { status, headers });
  }
  for (const choice of listOf(choices)) {
    const message: unknown = isRecord(choice) ? choice["message"] : undefined;
    if (!isRecord(message)) continue;
    message["role"] ??= "assistant";
    message["content"] ??= message["refusal"] ?? null;
    for (const call of listOf(message["tool_calls"])) {
      const called: unknown = isRecord(call) ? call["function"] : undefined;
      if (isRecord(called) && isRecord(called["arguments"]))
        called["arguments"] = JSON.stringify(called["arguments"]);
    }
  }
  return Response.json(value, { status: response.status, headers });
}

/**
 * The response with a body that fails once it, or an event of it, is longer than any answer, bytes of
 * empty deltas and of white space included.
 */
function bounded(response: Response, maxBytes: number): Response {
  if (response.body === null) return response;
  if (response.ok && response.headers.get("content-type")?.includes("text/html") === true)
    throw new NoAnswerError("sent a web page in place of an answer; check the base URL");
  let bytes = 0;
  let eventBytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const end = Math.max(text.lastIndexOf("\n\n"), text.lastIndexOf("\n\r\n"));
      bytes += chunk.byteLength;
      eventBytes = end === -1 ? eventBytes + chunk.byteLength : chunk.byteLength - end;
      if (bytes > maxBytes)
        controller.error(new NoAnswerError(`sent more than ${maxBytes / 1e6} MB`));
      else if (eventBytes > MAX_EVENT_BYTES)
        controller.error(new NoAnswerError(`sent more than ${MAX_EVENT_BYTES / 1e6} MB at once`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
}

/** Is the parameter named as such, and not as the one that is recommended in its place? */
function refuses(said: string, name: string): boolean {
  if (name === "messages") return NO_SYSTEM.test(said);
  return new RegExp(
    `(?:param(?:eter)?|unsupported|unrecognized|unknown|unexpected|extra|not (?:permitted|supported)|invalid)[^.]{0,60}\\b${name}\\b|\\b${name}\\b[^.]{0,60}(?:not supported|unsupported|not permitted|does not support|deprecated|extra|unknown|is not allowed)`,
    "i",
  ).test(said);
}

function bodyOf(body: unknown): Body | undefined {
  const value = typeof body === "string" ? parsed(body) : undefined;
  return isRecord(value) ? value : undefined;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
