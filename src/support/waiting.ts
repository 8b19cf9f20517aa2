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
    signal?.throwIfAborted();
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, delayInMs);
      signal?.addEventListener("abort", wake, { once: true });
    });
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

export interface WithinTimeOptions {
  /** Infinity for none. */
  timeoutInMs: number;
  signal?: AbortSignal;
  clock?: Clock;
}
