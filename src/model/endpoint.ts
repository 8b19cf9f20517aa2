/**
 * The endpoint behind a chat model: what is known about it, and the `fetch` of our own models,
 * which repeats a refused request without what was refused, and cuts off a response that cannot
 * be an answer.
 */
import type { BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk, BaseMessageLike } from "@langchain/core/messages";
import { CorrectiveRagError } from "../support/errors.js";
import { isRecord, parsedJson } from "../support/json.js";

/**
 * A LangChain chat model, or a Runnable around one (`withRetry`, `withFallbacks`, `withConfig`).
 */
export interface ChatModel {
  invoke(
    messages: BaseMessageLike[],
    options?: Partial<BaseChatModelCallOptions>,
  ): Promise<AIMessageChunk>;
  stream(
    messages: BaseMessageLike[],
    options?: Partial<BaseChatModelCallOptions>,
  ): Promise<AsyncIterable<AIMessageChunk>>;
}

export type Endpoint = ReturnType<typeof endpointOf>;

/**
 * Reads name, base URL and keys from a chat model of any make, through what is wrapped around it.
 */
export function endpointOf(chatModel: ChatModel) {
  const inner = unwrapped(chatModel);
  const typeOf: unknown = Reflect.get(inner, "_llmType");
  const type = typeof typeOf === "function" ? String(Reflect.apply(typeOf, inner, [])) : "a model";
  const model = textIn(inner, "model") ?? textIn(inner, "modelName") ?? type;
  const client: unknown = Reflect.get(inner, "clientConfig");
  const config = isRecord(client) ? client : {};
  const baseUrl = publicPart(textIn(config, "baseURL") ?? "");
  return {
    model,
    /** For people: the model's name and its base URL, if any, without credentials or query. */
    label: baseUrl === undefined ? model : `${model} at ${baseUrl}`,
    /** Identifies endpoint and model. */
    key: `${type} ${baseUrl ?? ""} ${model}`,
    /** True where every complete stream ends with a finish reason, as OpenAI's protocol demands. */
    endsWithReason: type === "openai",
    /** The client's keys, to be redacted from whatever the endpoint says. */
    secrets: [inner, config].flatMap(keysIn),
  };
}

export function textIn(holder: unknown, key: string): string | undefined {
  const value: unknown = isRecord(holder) ? holder[key] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The address without credentials and query; undefined for what is no web address. */
function publicPart(address: string): string | undefined {
  if (!address.startsWith("http") || !URL.canParse(address)) return undefined;
  const { origin, pathname } = new URL(address);
  return origin + (pathname.endsWith("/") ? pathname.slice(0, -1) : pathname);
}

/** The model inside its wrappers: a binding holds it as `bound`, fallbacks as `runnable`. */
function unwrapped(model: object): object {
  const inner: unknown = Reflect.get(model, "bound") ?? Reflect.get(model, "runnable");
  return isRecord(inner) ? unwrapped(inner) : model;
}

function keysIn(holder: object): string[] {
  return Object.entries(holder).flatMap(([name, value]) =>
    name.toLowerCase().endsWith("key") && typeof value === "string" && value.length >= 8
      ? [value]
      : [],
  );
}

type Body = Record<string, unknown>;

/** Parameters that some endpoints refuse, and without which the request is still worth sending. */
const LIMITS = ["max_tokens", "max_completion_tokens"];
const OPTIONAL = ["temperature", "stream_options", ...LIMITS];
/** The templates of some models know no system turn. */
const NO_SYSTEM_TURN =
  /\b(?:system|developer) (?:role|instruction|message)|\broles must alternate|\bassistant roles\b/i;
/** OpenAI's words for a limit that the context has no room for. */
const NO_ROOM = " in the completion";

/** Returns what the endpoint refuses: the name of a parameter, or `system`. */
function refusedIn(said: string, body: Body): string | undefined {
  const named = new Set(said.split(/\W+/));
  const isRefused = (name: string): boolean =>
    named.has(name) || (name.startsWith("max_") && said.includes(NO_ROOM));
  const parameter = OPTIONAL.find((name) => name in body && isRefused(name));
  return parameter ?? (NO_SYSTEM_TURN.test(said) ? "system" : undefined);
}

/** Returns the request without what was refused; a limit is first tried under its other name. */
function without(refused: ReadonlySet<string>, body: Body): Body {
  const kept = Object.entries(body).filter(([name]) => !refused.has(name));
  const limit = LIMITS.flatMap((name) => (refused.has(name) ? (body[name] ?? []) : []))[0];
  const other = LIMITS.find((name) => !refused.has(name));
  const changed: Body = {
    ...Object.fromEntries(kept),
    ...(limit !== undefined && other !== undefined && { [other]: limit }),
  };
  return refused.has("system") ? withoutSystem(changed) : changed;
}

/** Puts the system text at the beginning of the user's message. */
function withoutSystem({ messages, ...body }: Body): Body {
  const [first, second, ...rest] = listOf(messages);
  if (!isRecord(first) || !isRecord(second) || first["role"] === "user")
    return { ...body, messages };
  const content = `${String(first["content"])}\n\n${String(second["content"])}`;
  return { ...body, messages: [{ ...second, content }, ...rest] };
}

/** Characters of a refusal that are read. */
const MAX_REFUSAL = 20_000;
const REFUSALS: ReadonlySet<number> = new Set([400, 422, 500]);
const MAX_CHANGES_PER_REQUEST = 3;
/** Per response; a delta of one token takes about 250 bytes. */
const MAX_BYTES = 12_000_000;
/** Per event: clients search a growing event again with each piece. */
const MAX_EVENT_BYTES = 2_000_000;

/** Thrown at a response that cannot be an answer: one without end, or a page for people. */
class NoAnswerError extends CorrectiveRagError {
  override readonly name = "NoAnswerError";
  constructor(message: string) {
    super(message, { code: "no_answer" });
  }
}

/**
 * Creates the `fetch` of our own models. What was refused is remembered for endpoint and model. A
 * refused request is not a model call: nothing was computed.
 */
export function createEndpointFetch({
  fetch: inner = fetch,
}: { fetch?: typeof fetch } = {}): typeof fetch {
  const learned = new Map<string, Set<string>>();
  return async (input, init) => {
    const parsed = typeof init?.body === "string" ? parsedJson(init.body) : undefined;
    const sent = isRecord(parsed) ? parsed : undefined;
    const send = async (request: RequestInit | undefined): Promise<Response> => {
      const response = bounded(await inner(input, request));
      return response.ok && sent?.["stream"] === true ? response : withErrorStatus(response);
    };
    if (sent === undefined) return send(init);
    const key = `${String(input instanceof Request ? input.url : input)} ${String(sent["model"])}`;
    const refused = new Set(learned.get(key));
    for (let tries = 0; ; tries += 1) {
      const body = without(refused, sent);
      const headers = new Headers(init?.headers);
      headers.delete("content-length");
      const changed = { ...init, body: JSON.stringify(body), headers };
      const response = await send(refused.size === 0 ? init : changed);
      // An error may name a parameter without refusing it, such as one that repeats the question.
      if (response.ok) learned.set(key, refused);
      if (!REFUSALS.has(response.status) || tries >= MAX_CHANGES_PER_REQUEST) return response;
      const said = (await response.clone().text()).slice(0, MAX_REFUSAL);
      const name = refusedIn(said, body);
      if (name === undefined || refused.has(name)) return response;
      refused.add(name);
    }
  };
}

/**
 * Returns an error as OpenAI would have sent it, so that its client understands it: some gateways
 * send it as a success, Gemini in a list.
 */
async function withErrorStatus(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const text = await response.text();
  const all = parsedJson(text);
  const value: unknown = Array.isArray(all) ? all[0] : all;
  const error = isRecord(value) ? (value["error"] ?? undefined) : undefined;
  const hasChoices = isRecord(value) && listOf(value["choices"]).length > 0;
  if (error === undefined || hasChoices) return new Response(text, response);
  const code = isRecord(error) ? Number(error["code"]) : Number.NaN;
  const named = code >= 400 && code < 600 ? code : 502;
  const status = response.ok ? named : response.status;
  return Response.json(value, { status, headers: response.headers });
}

/**
 * Returns the response with a body that fails once it, or one event of it, is longer than any
 * answer, empty deltas and white space included.
 */
function bounded(response: Response): Response {
  if (response.body === null) return response;
  if (response.ok && response.headers.get("content-type")?.includes("text/html") === true)
    throw new NoAnswerError("sent a web page instead of an answer; check the base URL");
  let bytes = 0;
  let eventBytes = 0;
  /** The end of the last chunk: some servers write an event and its blank line apart. */
  let last = "";
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const text = last + Buffer.from(chunk).toString("latin1");
      last = text.slice(-2);
      const end = Math.max(text.lastIndexOf("\n\n"), text.lastIndexOf("\n\r\n"));
      bytes += chunk.byteLength;
      eventBytes = end === -1 ? eventBytes + chunk.byteLength : text.length - end;
      if (bytes > MAX_BYTES)
        controller.error(new NoAnswerError(`sent more than ${MAX_BYTES / 1e6} MB`));
      else if (eventBytes > MAX_EVENT_BYTES)
        controller.error(new NoAnswerError(`sent more than ${MAX_EVENT_BYTES / 1e6} MB at once`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counter), response);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
