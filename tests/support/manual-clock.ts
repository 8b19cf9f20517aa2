import type { Clock } from "../../src/support/waiting.js";

/** A clock that stands still until it is moved. Whoever sleeps wakes up when the time has come. */
export interface ManualClock extends Clock {
  advance(milliseconds: number): void;
  /** How long each sleeper asked to sleep, in order. */
  readonly sleeps: readonly number[];
}

export function createManualClock(start = 1_000_000): ManualClock {
  let now = start;
  const sleeps: number[] = [];
  const sleepers = new Set<{ until: number; wake: () => void }>();
  return {
    sleeps,
    now: () => now,
    sleep: (delayInMs, signal) =>
      new Promise((resolve, reject) => {
        sleeps.push(delayInMs);
        const sleeper = { until: now + delayInMs, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
        });
      }),
    advance(milliseconds) {
      now += milliseconds;
      for (const sleeper of sleepers) {
        if (sleeper.until > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
  };
}
