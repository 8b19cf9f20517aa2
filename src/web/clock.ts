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
