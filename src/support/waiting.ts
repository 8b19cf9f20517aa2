import { setTimeout } from "node:timers/promises";
import { CorrectiveRagError } from "./errors.js";

/** Time, injected for tests. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after the delay; rejects with the signal's reason as soon as it fires. */
  sleep(delayInMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(delayInMs, signal) {
    // Node rejects with its own error instead of the reason.
    await setTimeout(delayInMs, undefined, { signal }).catch(() => undefined);
    signal?.throwIfAborted();
  },
};

/**
 * Waits for a promise until the signal fires, in case the work behind it ignores the signal.
 * Rejects with the signal's reason; a later failure of the promise is swallowed. No listener stays
 * behind, which would keep the run alive as long as the signal.
 */
export async function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return promise;
  promise.catch(() => undefined);
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    // Asked again, it rejects with the signal's reason.
    const stop = (): void => resolve(abortable(promise, signal));
    signal.addEventListener("abort", stop, { once: true });
    const done = (): void => signal.removeEventListener("abort", stop);
    promise.finally(done).then(resolve, reject);
  });
}

export class TimeLimitError extends CorrectiveRagError {
  override readonly name = "TimeLimitError";
  constructor(readonly timeoutInMs: number) {
    super(
      `no answer within ${timeoutInMs < 1000 ? `${timeoutInMs} ms` : `${timeoutInMs / 1000} s`}`,
      { code: "time_limit" },
    );
  }
}

/**
 * Runs `work` with a signal that fires at the time limit or with the caller's signal, and does not
 * wait for work that ignores it. Nothing stays attached to the caller's signal.
 * @throws TimeLimitError, the signal's reason, or the error of the work
 */
export async function withinTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  {
    timeoutInMs,
    signal,
    clock = systemClock,
  }: {
    /** Infinity for no limit. */
    timeoutInMs: number;
    signal?: AbortSignal;
    clock?: Clock;
  },
): Promise<T> {
  signal?.throwIfAborted();
  const limit = new AbortController();
  const finished = new AbortController();
  if (timeoutInMs !== Infinity)
    clock.sleep(timeoutInMs, finished.signal).then(
      () => limit.abort(new TimeLimitError(timeoutInMs)),
      () => undefined,
    );
  const forward = (): void => limit.abort(signal?.reason);
  signal?.addEventListener("abort", forward, { once: true });
  try {
    return await abortable(work(limit.signal), limit.signal);
  } catch (error) {
    limit.signal.throwIfAborted();
    throw error;
  } finally {
    finished.abort();
    signal?.removeEventListener("abort", forward);
  }
}

/**
 * Retries with exponential backoff: the wait doubles with each attempt, and half of it is random
 * ("equal jitter", https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 * Rejects with the last error, or with the signal's reason once it fires.
 * @param waitFor minimum wait after this error, in milliseconds; undefined to give up
 * @param maxDelayInMs gives up if the server asks for a longer wait
 * @param random in 0–1; spreads the retries of many callers
 */
export async function retry<Result>({
  attempt,
  waitFor,
  maxRetries = 3,
  initialDelayInMs = 500,
  maxDelayInMs = 20_000,
  signal,
  clock = systemClock,
  random = Math.random,
}: {
  attempt: () => Promise<Result>;
  waitFor: (error: unknown) => number | undefined;
  maxRetries?: number;
  initialDelayInMs?: number;
  maxDelayInMs?: number;
  signal?: AbortSignal;
  clock?: Pick<Clock, "sleep">;
  random?: () => number;
}): Promise<Result> {
  for (let retries = 0; ; retries++) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      const asked = waitFor(error);
      if (asked === undefined || asked > maxDelayInMs || retries >= maxRetries) throw error;
      const backoff = initialDelayInMs * 2 ** retries;
      const jittered = backoff / 2 + (backoff / 2) * random();
      await clock.sleep(Math.max(Math.min(maxDelayInMs, jittered), asked), signal);
    }
  }
}

/** Converts a `Retry-After` header, seconds or an HTTP date (RFC 9110, 10.2.3), to milliseconds. */
export function retryAfterInMs(
  header: string | null | undefined,
  now: number = Date.now(),
): number | undefined {
  const seconds = Number(header?.trim() || "-1");
  // `Date.parse` accepts a negative number.
  if (!Number.isNaN(seconds)) return seconds < 0 ? undefined : seconds * 1000;
  const time = Date.parse(header ?? "");
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

const waitingForTurn: (() => void)[] = [];

/**
 * Waits for the caller's turn. One caller continues per turn of the event loop, so that a server
 * with many active runs still answers requests in between.
 */
export function waitForTurn(): Promise<void> {
  return new Promise((goOn) => {
    waitingForTurn.push(goOn);
    if (waitingForTurn.length === 1) setImmediate(giveTurn);
  });
}

/** Between two turns of long work, in milliseconds. */
const LONGEST_STRETCH_IN_MS = 20;

/**
 * Returns a function for long work to call between its steps: it lets others have their turn now
 * and then, and rejects with the signal's reason.
 */
export function createPauses(signal: AbortSignal | undefined): () => Promise<void> {
  let since = performance.now();
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - since < LONGEST_STRETCH_IN_MS) return;
    await waitForTurn();
    since = performance.now();
  };
}

function giveTurn(): void {
  waitingForTurn.shift()?.();
  if (waitingForTurn.length > 0) setImmediate(giveTurn);
}
