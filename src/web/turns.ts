import { abortable } from "../support/waiting.js";

/**
 * One at a time: each task starts when the one before it has ended, whatever came of it. Whoever is cancelled while waiting gives up the turn.
 */
export function createTurns(): <T>(task: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task, signal) => {
    const mine = last.then(() => {
      signal?.throwIfAborted();
      return task();
    });
    last = mine.catch(() => undefined);
    return abortable(mine, signal);
  };
}
