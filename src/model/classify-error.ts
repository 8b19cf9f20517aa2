import { ModelError } from "./model-error.js";

/**
 * Reads what a chat model's client threw. Clients differ, so this looks at properties (`status`, `headers`, `code`, `name`) and not at classes.
 * @param endpoint how the endpoint is called in messages, e.g. `gpt-4o-mini at http://127.0.0.1:8080/v1`
 */
export function classifyError(error: unknown, endpoint: string): ModelError {
  if (error instanceof ModelError) return error;
  const status = statusOf(error);
  const text = messageOf(error);
  if (status !== undefined) return fromStatus(status, text, error, endpoint);
  const name = stringProperty(error, "name") ?? "";
  if (/timeout/i.test(name) || /timed? ?out/i.test(text))
    return new ModelError("timeout", `${endpoint} did not answer in time`);
  if (/maximum context length|context_length_exceeded|context window/i.test(text))
    return new ModelError("too_long", `the text was too long for ${endpoint}`);
  const code = deepCode(error);
  if (
    code !== undefined ||
    /fetch failed|connection error|terminated|socket|premature close|network/i.test(text)
  )
    return new ModelError(
      "network",
      `${endpoint} could not be reached${code === undefined ? "" : ` (${code})`}`,
    );
  if (/LengthFinishReason|length limit/i.test(`${name} ${text}`))
    return new ModelError(
      "nonsense",
      `${endpoint} ran out of tokens before its answer was complete`,
    );
  if (error instanceof SyntaxError)
    return new ModelError("nonsense", `${endpoint} sent something that is not JSON`);
  // The client reads into what it takes for a completion: a log-in page, `null`, an answer without choices.
  if (error instanceof TypeError && /^Cannot read propert/.test(text))
    return new ModelError(
      "other",
      `${endpoint} sent something that is no chat completion: is the base URL right?`,
    );
  return new ModelError("other", `${endpoint} failed: ${firstLine(text)}`);
}

function fromStatus(status: number, text: string, error: unknown, endpoint: string): ModelError {
  const details = { status };
  if (status === 401 || status === 403)
    return new ModelError("auth", `${endpoint} refused the key (${status})`, details);
  if (status === 404)
    return new ModelError(
      "unknown_model",
      `${endpoint} is not there (404): the model's name or the base URL is wrong`,
      details,
    );
  if (status === 429) {
    const retryAfterInMs = retryAfterOf(error);
    return new ModelError("rate_limit", `${endpoint} is rate-limited or out of quota (429)`, {
      status,
      retryAfterInMs,
    });
  }
  if (status === 408 || status === 504)
    return new ModelError("timeout", `${endpoint} did not answer in time (${status})`, details);
  if (status >= 500 && status !== 501)
    return new ModelError("server", `${endpoint} failed with status ${status}`, details);
  if (/context.?length|context window|maximum context|too long|too many tokens/i.test(text))
    return new ModelError("too_long", `the text was too long for ${endpoint} (${status})`, details);
  if (/model.{0,80}(not found|does not exist|unknown|not exist)|unknown model/i.test(text))
    return new ModelError(
      "unknown_model",
      `${endpoint} does not know the model (${status})`,
      details,
    );
  if (
    /response_format|json_schema|schema|tools?\b|tool_choice|function/i.test(text) ||
    status === 501
  )
    return new ModelError(
      "refused_format",
      `${endpoint} refused the form of the request (${status})`,
      details,
    );
  return new ModelError("other", `${endpoint} refused the request (${status})`, details);
}

function statusOf(error: unknown): number | undefined {
  const status: unknown =
    property(error, "status") ??
    property(error, "statusCode") ??
    property(property(error, "response"), "status");
  return typeof status === "number" && status >= 400 ? status : undefined;
}

/** `Retry-After` in milliseconds: seconds or an HTTP date (RFC 9110, 10.2.3); `retry-after-ms` where a gateway sends it. */
function retryAfterOf(error: unknown): number | undefined {
  const headers = property(error, "headers") ?? property(property(error, "response"), "headers");
  const millis = Number(header(headers, "retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(millis) && millis >= 0) return millis;
  const value = header(headers, "retry-after");
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function header(headers: unknown, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  return stringProperty(headers, name);
}

/** Node wraps socket errors: the code may sit one or two causes deep. */
function deepCode(error: unknown): string | undefined {
  for (
    let current = error, depth = 0;
    current !== undefined && depth < 4;
    current = property(current, "cause"), depth += 1
  ) {
    const code = stringProperty(current, "code");
    if (code !== undefined && /^(E[A-Z_]+|UND_ERR_\w+)$/.test(code)) return code;
  }
  return undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Keys may be echoed by an endpoint, so anything that looks like one goes. */
function firstLine(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.replaceAll(/\b(sk|key|token|bearer)[-_ ][\w*.-]{6,}/gi, "…").slice(0, 200);
}

function stringProperty(value: unknown, key: string): string | undefined {
  const inner = property(value, key);
  return typeof inner === "string" ? inner : undefined;
}

function property(value: unknown, key: string): unknown {
  return (typeof value === "object" && value !== null) || typeof value === "function"
    ? Reflect.get(value, key)
    : undefined;
}
