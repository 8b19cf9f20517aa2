/**
 * Some endpoints refuse parameters that others require: OpenAI's newer models want `max_completion_tokens` for `max_tokens` and no temperature,
 * some servers know no `stream_options` or no `strict`. The refusal (400 or 422) names the parameter; it is then changed, the request sent once
 * more, and the change remembered. A refused request is not a model call: nothing was computed.
 */

/** What can be changed, and how. */
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

export function createAdaptingFetch(inner: typeof fetch): typeof fetch {
  const learnt = new Map<string, Set<string>>();
  return async (input, init) => {
    const sent = bodyOf(init?.body);
    if (sent === undefined) return inner(input, init);
    const key = `${String(input instanceof Request ? input.url : input)} ${String(sent["model"])}`;
    const changes = learnt.get(key) ?? new Set<string>();
    learnt.set(key, changes);
    for (let tries = 0; ; tries += 1) {
      const body = [...changes].reduce(
        (current, name) => (name in current ? (CHANGES[name]?.(current) ?? current) : current),
        sent,
      );
      const response = await inner(
        input,
        changes.size === 0
          ? init
          : { ...init, body: JSON.stringify(body), headers: withoutLength(init?.headers) },
      );
      if ((response.status !== 400 && response.status !== 422) || tries >= MAX_CHANGES)
        return response;
      const said = await response.clone().text();
      const refused = Object.keys(CHANGES).find(
        (name) => name in body && !changes.has(name) && refuses(said, name),
      );
      if (refused === undefined) return response;
      changes.add(refused);
    }
  };
}

/** The parameter is named as such, and not the one that is recommended in its place. */
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function withoutLength(headers: RequestInit["headers"]): Headers {
  const copy = new Headers(headers);
  copy.delete("content-length");
  return copy;
}
