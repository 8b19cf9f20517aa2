import { systemClock } from "../web/clock.js";

/** What to do after a failed attempt: give up, or try again after this many milliseconds at least. */
export type RetryDecision = { retry: false } | { retry: true; waitInMs?: number };

export interface RetryOptions<Result> {
  attempt: (attemptNumber: number) => Promise<Result>;
  /** Looks at an error and says whether another attempt could help. */
  decide: (error: unknown) => RetryDecision;
  /** Attempts after the first. */
  maxRetries?: number;
  initialDelayInMs?: number;
  /** No wait is longer than this, whatever the server asks for. */
  maxDelayInMs?: number;
  signal?: AbortSignal;
  sleep?: (delayInMs: number, signal?: AbortSignal) => Promise<void>;
  /** In 0–1; spreads the retries of many callers. */
  random?: () => number;
}

/**
 * Exponential back-off with jitter: the wait doubles with each attempt, and half of it is random
 * ("equal jitter", https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 * Rejects with the last error, or with the signal's reason once it fires.
 */
export async function retryWithBackoff<Result>({
  attempt,
  decide,
  maxRetries = 3,
  initialDelayInMs = 500,
  maxDelayInMs = 20_000,
  signal,
  sleep = (delayInMs, sleepSignal) => systemClock.sleep(delayInMs, sleepSignal),
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
      await sleep(Math.min(maxDelayInMs, Math.max(jittered, decision.waitInMs ?? 0)), signal);
    }
  }
}

/**
 * The value of a `Retry-After` header in milliseconds: seconds or an HTTP date (RFC 9110, 10.2.3); undefined when it is neither.
 */
export function retryAfterInMs(
  header: string | null | undefined,
  now: number = Date.now(),
): number | undefined {
  if (header === null || header === undefined || header.trim() === "") return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
