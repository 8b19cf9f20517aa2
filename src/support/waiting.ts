import { setTimeout } from "node:timers/promises";

/** Time, injected, so that tests can stand still. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason as soon as it fires. */
  sleep(delayInMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(delayInMs, signal) {
    // Node rejects with an error of its own in place of the reason.
    await setTimeout(delayInMs, undefined, { signal }).catch(() => undefined);
    signal?.throwIfAborted();
  },
};

/**
 * Waits for a promise, but no longer than the signal allows: a library that ignores its signal
 * cannot hold the caller up. Rejects with the signal's reason; a late failure is swallowed.
 */
export async function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return promise;
  promise.catch(() => undefined);
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<"aborted">((resolve) => {
    stop = () => resolve("aborted");
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    const ended = await Promise.race([promise.then((value) => ({ value })), aborted]);
    if (ended !== "aborted") return ended.value;
  } finally {
    // A listener that stays keeps its whole run alive for as long as the signal.
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
  throw new Error("an abort event of a signal that is not aborted");
}

export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";
  constructor(readonly timeoutInMs: number) {
    super(
      `no answer within ${timeoutInMs < 1000 ? `${timeoutInMs} ms` : `${timeoutInMs / 1000} s`}`,
    );
  }
}

/**
 * Runs `work` with a signal that fires at the time limit and with the caller's signal, and leaves
 * work behind that does not heed it. Nothing stays attached to the caller's signal.
 * @throws TimeLimitError, the signal's reason, or whatever the work rejects with
 */
export async function withinTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { timeoutInMs, signal, clock = systemClock }: WithinTimeOptions,
): Promise<T> {
  signal?.throwIfAborted();
  const limit = new AbortController();
  const finished = new AbortController();
  const forward = (): void => limit.abort(signal?.reason);
  signal?.addEventListener("abort", forward, { once: true });
  if (timeoutInMs !== Infinity)
    clock.sleep(timeoutInMs, finished.signal).then(
      () => limit.abort(new TimeLimitError(timeoutInMs)),
      () => undefined,
    );
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

interface WithinTimeOptions {
  /** Infinity for none. */
  timeoutInMs: number;
  signal?: AbortSignal;
  clock?: Clock;
}

/**
 * Repeats with exponential back-off: the wait doubles with each attempt, and half of it is random
 * ("equal jitter", https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 * Rejects with the last error, or with the signal's reason once it fires.
 * @param waitFor the least wait after this error, in milliseconds; undefined to give up
 * @param maxDelayInMs a server that asks for a longer wait is not asked again
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

/** Reads a `Retry-After` header, seconds or an HTTP date (RFC 9110, 10.2.3), as milliseconds. */
export function retryAfterInMs(
  header: string | null | undefined,
  now: number = Date.now(),
): number | undefined {
  const seconds = Number(header?.trim() || "-1");
  // A bare negative number would pass for a date.
  if (!Number.isNaN(seconds)) return seconds < 0 ? undefined : seconds * 1000;
  const time = Date.parse(header ?? "");
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

const waitingForTurn: (() => void)[] = [];

/**
 * Waits for the caller's turn. One caller goes on per turn of the event loop, however many wait,
 * so that a server with many runs under way still serves requests between any two of them.
 */
export function takeTurn(): Promise<void> {
  return new Promise((goOn) => {
    waitingForTurn.push(goOn);
    if (waitingForTurn.length === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  waitingForTurn.shift()?.();
  if (waitingForTurn.length > 0) setImmediate(giveTurn);
}
