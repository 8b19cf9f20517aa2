/**
 * The `fetch` of every model endpoint of ours. It does what no client does: it sends a refused request again without the parameter that was refused,
 * and ends a response that cannot be an answer.
 */

import { isRecord } from "../support/is-record.js";

/**
 * Some endpoints refuse parameters that others require: OpenAI's newer models want `max_completion_tokens` for `max_tokens` and no temperature,
 * some servers know no `stream_options`. The refusal (400 or 422) names the parameter.
 */
const CHANGES: Record<string, (body: Record<string, unknown>) => Record<string, unknown>> = {
  max_tokens: ({ max_tokens, ...body }) => ({ ...body, max_completion_tokens: max_tokens }),
  max_completion_tokens: ({ max_completion_tokens, ...body }) => ({
    ...body,
    max_tokens: max_completion_tokens,
  }),
  temperature: ({ temperature: _dropped, ...body }) => body,
  stream_options: ({ stream_options: _dropped, ...body }) => body,
};
/** Changes per request at most. */
const MAX_CHANGES = 3;
/** Bytes of a response at most. A delta of one token takes about 250, so that this is more than 32,000 tokens with their thinking. */
const MAX_BYTES = 12_000_000;

/** Thrown at a response that cannot be an answer: longer than any, or a page for people. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

/** Each change is remembered for its endpoint and model. A refused request is not a model call: nothing was computed. */
export function createEndpointFetch({
  fetch: inner = fetch,
  maxBytes = MAX_BYTES,
}: { fetch?: typeof fetch; maxBytes?: number } = {}): typeof fetch {
  const learned = new Map<string, Set<string>>();
  return async (input, init) => {
    const sent = bodyOf(init?.body);
    if (sent === undefined) return bounded(await inner(input, init), maxBytes);
    const key = `${String(input instanceof Request ? input.url : input)} ${String(sent["model"])}`;
    const changes = learned.get(key) ?? new Set<string>();
    learned.set(key, changes);
    for (let tries = 0; ; tries += 1) {
      const body = [...changes].reduce(
        (current, name) => (name in current ? (CHANGES[name]?.(current) ?? current) : current),
        sent,
      );
      const changed = {
        ...init,
        body: JSON.stringify(body),
        headers: withoutLength(init?.headers),
      };
      const response = bounded(await inner(input, changes.size === 0 ? init : changed), maxBytes);
      const wasRefused = response.status === 400 || response.status === 422;
      if (!wasRefused || tries >= MAX_CHANGES) return response;
      const said = await response.clone().text();
      const refused = Object.keys(CHANGES).find(
        (name) => name in body && !changes.has(name) && refuses(said, name),
      );
      if (refused === undefined) return response;
      changes.add(refused);
    }
  };
}

/** The response with a body that fails once it is longer than `maxBytes`, bytes of empty deltas and of white space included. */
function bounded(response: Response, maxBytes: number): Response {
  if (response.body === null) return response;
  if (response.ok && response.headers.get("content-type")?.includes("text/html") === true)
    throw new NoAnswerError("sent a web page in place of an answer: is the base URL right?");
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes)
        controller.error(new NoAnswerError(`sent more than ${maxBytes / 1e6} MB`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
}

/** Whether the parameter is named as such, and not as the one that is recommended in its place. */
function refuses(said: string, name: string): boolean {
  const mention = new RegExp(
    `(?:param(?:eter)?|unsupported|unrecognized|unknown|unexpected|extra|not (?:permitted|supported)|invalid)[^.]{0,60}\\b${name}\\b|\\b${name}\\b[^.]{0,60}(?:not supported|unsupported|not permitted|does not support|extra|unknown|is not allowed)`,
    "i",
  );
  return mention.test(said);
}

function bodyOf(body: unknown): Record<string, unknown> | undefined {
  if (typeof body !== "string" || !body.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function withoutLength(headers: RequestInit["headers"]): Headers {
  const copy = new Headers(headers);
  copy.delete("content-length");
  return copy;
}
