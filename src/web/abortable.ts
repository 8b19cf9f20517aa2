/**
 * Waits for a promise, but no longer than the signal allows: a library that ignores its signal cannot hold the caller up.
 * Rejects with the signal's reason. The promise itself goes on; its late failure is swallowed.
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
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
  throw new Error("an abort event of a signal that is not aborted");
}
