import { systemClock, type Clock } from "./waiting.js";

/** Says whether another attempt could help, and how many milliseconds it should wait at least. */
export type RetryDecision = { retry: false } | { retry: true; waitInMs?: number };

export interface RetryOptions<Result> {
  attempt: (attemptNumber: number) => Promise<Result>;
  decide: (error: unknown) => RetryDecision;
  /** Attempts after the first. */
  maxRetries?: number;
  initialDelayInMs?: number;
  /** No wait is longer than this, whatever the server asks for. */
  maxDelayInMs?: number;
  signal?: AbortSignal;
  clock?: Pick<Clock, "sleep">;
  /** In 0–1; spreads the retries of many callers. */
  random?: () => number;
}

/**
 * Repeats with exponential back-off: the wait doubles with each attempt, and half of it is random
 * ("equal jitter", https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 * Rejects with the last error, or with the signal's reason once it fires.
 */
export async function retry<Result>({
  attempt,
  decide,
  maxRetries = 3,
  initialDelayInMs = 500,
  maxDelayInMs = 20_000,
  signal,
  clock = systemClock,
  random = Math.random,
}: RetryOptions<Result>): Promise<Result> {
  for (let attemptNumber = 0; ; attemptNumber++) {
    signal?.throwIfAborted();
    try {
      return await attempt(attemptNumber);
    } catch (error) {
      signal?.throwIfAborted();
      const decision = decide(error);
      if (!decision.retry || attemptNumber >= maxRetries) throw error;
      const backoff = initialDelayInMs * 2 ** attemptNumber;
      const jittered = backoff / 2 + (backoff / 2) * random();
      await clock.sleep(Math.min(maxDelayInMs, Math.max(jittered, decision.waitInMs ?? 0)), signal);
    }
  }
}

/** Reads a `Retry-After` header: milliseconds from seconds or an HTTP date (RFC 9110, 10.2.3); undefined when it is neither. */
export function retryAfterInMs(
  header: string | null | undefined,
  now: number = Date.now(),
): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * 1000;
  // A bare negative number would pass for a date.
  const time = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
