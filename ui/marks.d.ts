/** Returns the answer with `open` and `close` around the given sentences, which are in its order. */
export function withMarks(
  answer: string,
  sentences: readonly string[],
  open: string,
  close: string,
): string;
