import { CorrectiveRagError } from "./errors.js";

/**
 * Kinds of failure that callers treat differently. `unauthorized` and `quota`: no retry will help.
 * `network`: not reached, or cut off. `malformed`: it answered with something else than was asked.
 */
export type HttpFailure =
  | "unauthorized"
  | "quota"
  | "not_found"
  | "rejected"
  | "rate_limited"
  | "server"
  | "network"
  | "timeout"
  | "malformed";

/** An endpoint failed; the message holds its answer, cut and without secrets. */
export class HttpError extends CorrectiveRagError {
  override readonly name = "HttpError";
  readonly status: number | undefined;
  readonly retryAfterInMs: number | undefined;

  constructor(
    readonly failure: HttpFailure,
    message: string,
    details: { status?: number; retryAfterInMs?: number; cause?: unknown } = {},
  ) {
    super(message, { code: `http_${failure}`, cause: details.cause });
    this.status = details.status;
    this.retryAfterInMs = details.retryAfterInMs;
  }
}

export function failureOfStatus(status: number): HttpFailure {
  if (status === 401 || status === 403) return "unauthorized";
  // 432 and 433 are Tavily's: limit of the plan, limit of pay-as-you-go.
  if (status === 402 || status === 432 || status === 433) return "quota";
  if (status === 404) return "not_found";
  if (status === 408) return "timeout";
  if (status === 429) return "rate_limited";
  return status >= 500 ? "server" : "rejected";
}

/** Reads the kind of failure from an endpoint's words: some answer failures with status 200. */
export function failureOfMessage(message: string): HttpFailure {
  if (/rate.?limit|too many requests|too quickly|throttl/i.test(message)) return "rate_limited";
  if (
    /unauthori[sz]ed|invalid.{0,20}(key|token)|missing.{0,20}(key|token)|forbidden/i.test(message)
  )
    return "unauthorized";
  if (/quota|usage limit|plan.{0,20}limit|payment required|credits/i.test(message)) return "quota";
  return "malformed";
}

/** Says whether the same request may succeed a little later. */
export function mayPass({ failure }: HttpError): boolean {
  return ["rate_limited", "server", "network", "timeout"].includes(failure);
}

/** Removes known secrets, since endpoints repeat keys in their errors. */
export function redact(text: string, secrets: readonly (string | undefined)[]): string {
  return secrets
    .filter((secret) => secret !== undefined && secret.length > 3)
    .reduce<string>((clean, secret) => clean.split(String(secret)).join("[key]"), text);
}

/** Returns the message of an error object in one of the shapes that endpoints use. */
export function errorMessageIn(value: unknown): string | undefined {
  if (value === null || typeof value !== "object") return undefined;
  for (const key of ["error", "detail", "message", "info", "code", "status"]) {
    const inner: unknown = Reflect.get(value, key);
    if (typeof inner === "string" && inner !== "") return inner.replace(/\s+/g, " ").slice(0, 200);
    const nested = errorMessageIn(inner);
    if (nested !== undefined) return nested;
  }
  return undefined;
}
